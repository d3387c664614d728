# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`trafgen` of netsniff-ng, the peer that needs no DPDK."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..harness.frame import frame
from ..harness.machine import UNDISTURBED, need_program, sending_cpu

NAME = "trafgen"
# As many frames at once as its socket may have on their way: with more it ends ("Flushing TX_RING failed"),
# and it is not slower with fewer than its default.
_RING = "256KiB"
_START_S = 5.0
_END_S = 3.0
_LOOK_S = 0.05
_LOOKS = 3  # in a row


@contextmanager
def sending(interface: str, *, enter: Sequence[str] = ()) -> Iterator[None]:
    """A trafgen that sends at its maximum, as one process on the CPU for sending.

    Args:
        interface: Where it sends.
        enter: Put before its command, to run it in a namespace.
    """
    packet = f"{{ {', '.join(f'0x{byte:02x}' for byte in frame())} }}"
    options = ["--dev", interface, "--cpus", "1", "--ring-size", _RING, "--notouch-irq", "--no-cpu-stats"]
    process = subprocess.Popen(
        [*enter, *UNDISTURBED, need_program("trafgen", "netsniff-ng"), *options, packet],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        _keep_on(process, sending_cpu())
        yield
        _check_alive(process)
    finally:
        _end(process)


def _keep_on(process: subprocess.Popen[bytes], cpu: int) -> None:
    """Moves the child that sends to that CPU, from the first one, to which it binds itself when it starts."""
    deadline, settled = time.monotonic() + _START_S, 0
    while settled < _LOOKS:
        if time.monotonic() > deadline:
            raise RuntimeError(f"trafgen did not start to send within {_START_S} s")
        time.sleep(_LOOK_S)
        _check_alive(process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        stays = bool(children) and all(os.sched_getaffinity(int(child)) == {cpu} for child in children)
        settled = settled + 1 if stays else 0
        for child in children:
            os.sched_setaffinity(int(child), {cpu})


def _check_alive(process: subprocess.Popen[bytes]) -> None:
    """Raises RuntimeError with its last words if it has ended."""
    if process.poll() is not None:
        assert process.stdout is not None
        said = process.stdout.read().decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"trafgen ended: {' | '.join(said[-3:])}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Parent and child, which has no other way to learn of it."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_END_S)
            return
