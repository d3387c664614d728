# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Asks the device by the hooks of its testbed, before trials and after them, for the certificate."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.units.units import Duration
from ..reporting.record.device_answers import MOST_CHARACTERS, When, record_said
from ..reporting.record.recorder import Recorder
from ..testbeds.testbed import SSH, AskHook, DutSpec
from .hooks.hook_process import HookProcess

_KEPT = 4 * MOST_CHARACTERS  # bytes: a character has four at most


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
        return _run(command, hook.timeout)
    except OSError as problem:
        return b"", f"cannot be run: {problem.strerror}"


def _run(command: Sequence[str], timeout: Duration) -> tuple[bytes, str]:
    said = b""
    with HookProcess(command, timeout) as process:  # and with all that it has started
        try:
            for part in process.said():
                said += part[: _KEPT - len(said)]
            status = process.status()
        except TimeoutError:
            return said, f"did not end within {timeout}"
    return said, f"ended with status {status}" if status else ""
