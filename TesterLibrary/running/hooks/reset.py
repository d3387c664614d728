# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Resets the device under test by the hook of its testbed."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from ...errors import Inconclusive, TestbedError, TesterLibraryError
from ...methodology.reset import ResetKind
from ...model.units.units import Duration
from ...testbeds.testbed import SSH, ResetHook
from ..gateways import moved_gateways
from ..opening import OpenTestbed
from ..tester import Tester
from .hook_process import HookProcess, LeftBehind

_AT_ONCE = 1e-3  # seconds
_MOST_WORDS = 300  # of what a hook that failed has said


@dataclass(frozen=True)
class Hook:
    """The hook that resets the device, with its name."""

    name: str
    run: Callable[[], None]

    def __str__(self) -> str:
        return self.name


CONNECTIONS = "connections"  # the hook that empties the connection table
GROUPS = "groups"  # the hook that empties the table of multicast groups


def connections_hook(opened: OpenTestbed) -> Hook:
    """The hook that empties the device's connection table. Raises as `reset_hook`."""
    return _hook(opened, CONNECTIONS, "that empties the connection table")


def groups_hook(opened: OpenTestbed) -> Hook:
    """The hook that empties the device's table of multicast groups. Raises as `reset_hook`."""
    return _hook(opened, GROUPS, "that empties the table of multicast groups")


def filter_hooks(opened: OpenTestbed) -> tuple[Hook, Hook]:
    """The hooks that load filters into the device and take them out. Raises as `reset_hook`."""
    return (
        _hook(opened, "filters", "that loads filters"),
        _hook(opened, "no_filters", "that takes filters out"),
    )


def reset_hook(opened: OpenTestbed, kind: ResetKind) -> Hook:
    """The hook for a kind of reset.

    Its `run` raises Inconclusive where it fails or hangs: that is a fault of the testbed, not of the device.

    Raises:
        TestbedError: the testbed has none.
    """
    if device := opened.tester.target.device:
        return Hook("the reset of the simulated device", device.reset)
    return _hook(opened, kind.value, f"for a {kind.value} reset")


def _hook(opened: OpenTestbed, kind: str, what: str) -> Hook:
    dut = opened.testbed.testbed.dut
    found = dut.reset.get(kind)
    if found is None:
        known = f" (it has {', '.join(dut.reset)})" if dut.reset else ""
        raise TestbedError(
            f"testbed {opened.name!r} has no hook {what}{known}; give dut.reset."
            f"{kind} in its file: command (and ssh), or keyword"
        )
    if found.restart:
        restart = found.restart
        return Hook(str(found), lambda: _restart(opened, restart, str(found)))
    if found.keyword:
        return Hook(str(found), lambda: _run_keyword(found))
    return Hook(str(found), lambda: _run_command(found, opened.left_behind))


def replaced_device(tester: Tester) -> str:
    """The gateway that has another MAC address than before, as if the device had been replaced; or empty."""
    moved = next(moved_gateways(tester, tester.gateways), "")
    return f"after the reset {moved}: is it the same device?" if moved else ""


def _restart(opened: OpenTestbed, duration: Duration, name: str) -> None:
    try:
        opened.testbed.restart(duration)
    except TestbedError as problem:
        raise _fault(name, str(problem)) from None


def _run_command(hook: ResetHook, left: LeftBehind) -> None:
    """Runs it to its end. Where it hangs or fails, all that it has started is ended.

    Otherwise that goes on until the run ends: it may be what resets the device.
    """
    # Words of a command over SSH are the shell's of the other machine, as with every ssh.
    command = [*SSH, hook.ssh, "--", *hook.command] if hook.ssh else list(hook.command)
    try:
        with HookProcess(command, hook.timeout) as process:
            said = b"".join(process.said())
            status = process.status()
            if status == 0:
                left.add(process)
    except TimeoutError:
        raise _fault(str(hook), f"did not end within {hook.timeout}") from None
    except OSError as problem:
        raise _fault(str(hook), f"cannot be run: {problem.strerror}") from None
    if status != 0:
        text = " ".join(said.decode(errors="replace").split())[-_MOST_WORDS:]
        raise _fault(str(hook), f"ended with status {status}: {text or 'it said nothing'}")


def _run_keyword(hook: ResetHook) -> None:
    try:
        with _time_limit(hook.timeout, str(hook)):
            BuiltIn().run_keyword(hook.keyword, *hook.arguments)
    except RobotNotRunningError:
        raise TesterLibraryError(f"{hook} can be run within Robot Framework only") from None
    except HookFault:
        raise
    except Exception as problem:
        raise _fault(str(hook), f"failed: {problem}") from None


class HookFault(Inconclusive):
    """A hook of the testbed failed or hung. That says nothing about the device under test."""


class _TooLong(BaseException):
    """Passes all handlers of a keyword's errors."""


@contextmanager
def _time_limit(limit: Duration, name: str) -> Iterator[None]:
    """Interrupts what runs too long. A timeout of Robot that ends before is the limit."""
    others = signal.getitimer(signal.ITIMER_REAL)[0]
    if threading.current_thread() is not threading.main_thread() or 0 < others <= limit.seconds:
        yield
        return

    expired = False

    def interrupt(*_: object) -> None:
        nonlocal expired
        expired = True
        raise _TooLong

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, limit.seconds)
    try:
        yield
    except BaseException:  # Robot makes another error of what is raised in a keyword
        if not expired:
            raise
        raise _fault(name, f"did not end within {limit}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if others:
            signal.setitimer(signal.ITIMER_REAL, max(_AT_ONCE, others - (time.monotonic() - began)))


def _fault(name: str, what: str) -> HookFault:
    return HookFault(f"the device was not reset: {name} {what}")
