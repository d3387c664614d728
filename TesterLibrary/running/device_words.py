# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Asks the device by the hooks of its testbed, before trials and after them, for the certificate."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from ..reporting.device_said import MOST_CHARACTERS, When, record_said
from ..reporting.recorder import Recorder
from ..testbeds.testbed import SSH, AskHook, DutSpec

_KEPT = 4 * MOST_CHARACTERS  # bytes: a character has four at most
_AT_ONCE = 1 << 16


def ask_device(dut: DutSpec, recorder: Recorder, when: When) -> None:
    """Runs each hook and records what it says. A hook that fails is recorded as such, and ends nothing."""
    for name, hook in dut.ask.items():
        said, failed = _said_by(hook)
        record_said(recorder, name, when, asked=str(hook), said=said, failed=failed)


def _said_by(hook: AskHook) -> tuple[bytes, str]:
    """The begin of what a hook prints, and why that is not all or not right; empty if it is."""
    # Words of a command over SSH are the shell's of the other machine, as with every ssh.
    command = [*SSH, hook.ssh, "--", *hook.command] if hook.ssh else list(hook.command)
    try:
        return _run(command, time.monotonic() + hook.timeout.seconds, f"did not end within {hook.timeout}")
    except OSError as problem:
        return b"", f"cannot be run: {problem.strerror}"


def _run(command: Sequence[str], ends_at: float, late: str) -> tuple[bytes, str]:
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said, failed = b"", late
        try:
            said, is_whole = _read(process.stdout, ends_at)
            if is_whole:
                status = process.wait(max(0.0, ends_at - time.monotonic()))
                failed = f"ended with status {status}" if status else ""
        except subprocess.TimeoutExpired:
            pass  # it has closed its output, and goes on
        finally:
            with suppress(ProcessLookupError):  # what it may have started holds nothing open
                os.killpg(process.pid, signal.SIGKILL)
        return said, failed


def _read(output: IO[bytes], ends_at: float) -> tuple[bytes, bool]:
    """The begin of an output, and whether it ended in time. What is too much is read, and dropped."""
    said = b""
    while select.select([output], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        part = os.read(output.fileno(), _AT_ONCE)
        if not part:
            return said, True
        said += part[: _KEPT - len(said)]
        if time.monotonic() >= ends_at:
            break
    return said, False
