# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A peer as a process that sends until it is told to end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ..harness.machine import UNDISTURBED, sending_cpu

_END_S = 3.0


@contextmanager
def running(command: Sequence[str], *, enter: Sequence[str] = ()) -> Iterator[subprocess.Popen[bytes]]:
    """A program with its children, on the CPU for sending. RuntimeError if it has ended by itself.

    Args:
        command: The program and its arguments.
        enter: Put before it, to run it in a namespace.
    """
    process = subprocess.Popen(
        [*enter, *UNDISTURBED, "taskset", "--cpu-list", str(sending_cpu()), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
        check_alive(process)
    finally:
        _end(process)


def check_alive(process: subprocess.Popen[bytes]) -> None:
    """Raises RuntimeError with its last words if it has ended."""
    if process.poll() is not None:
        assert process.stdout is not None
        said = process.stdout.read().decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"{process.args!r} ended: {' | '.join(said[-3:])}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Parent and children, which have no other way to learn of it."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_END_S)
            return
