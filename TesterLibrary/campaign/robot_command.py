# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as a process of its own, which ends cleanly with the command that started it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Protocol

from .child_status import UNHEARD, StatusWriter
from .end_signals import asked_to_end
from .robot_process import start_robot

_UNRECORDED = (
    "Robot has ended, and its suite has recorded nothing of them: it does not import TesterLibrary, or a "
    "listener took them out"
)
_OVERDUE = "the time budget was spent, and a test did not end when it was told to: Robot was killed"
_LOOK_S = 0.2
_PATIENCE_S = 30.0  # with Robot after each signal, where the time budget is spent
_HURRY_S = 2.0  # with Robot after the second signal of a user


class RobotProcess(Protocol):
    """The part of `subprocess.Popen` that waits for Robot and ends it."""

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status. TimeoutExpired when the seconds are over."""
        ...

    def send_signal(self, sig: int) -> None:
        """Sends it a signal."""
        ...


def run_robot(
    arguments: Sequence[str],
    output: Path,
    run_id: str,
    testbed: str,
    latest_end: float | None = None,
    status: StatusWriter = UNHEARD,
) -> tuple[bool, str]:
    """Runs Robot with these options and suites for the run in a folder.

    `latest_end` is the time of the monotonic clock at which a test that still runs is ended. `status` is told
    how each test has ended.

    Returns:
        Whether it was interrupted, and why it has not run all of its tests if it ends with a record of less.
    """

    def forward(signals: Sequence[int]) -> None:
        # Robot ends a run cleanly on the first one and at once on the second. It has a session of its own,
        # so that it gets each once.
        if robot.poll() is None:
            robot.send_signal(signals[-1])

    with (
        start_robot(arguments, output, run_id, testbed, status=status) as robot,
        asked_to_end(forward) as interrupted,
    ):
        overdue = await_robot(robot, latest_end, interrupted)
    if overdue:
        return bool(interrupted), _OVERDUE
    if robot.returncode < 0:
        return bool(interrupted), f"Robot was killed by {signal.Signals(-robot.returncode).name}"
    return bool(interrupted), _UNRECORDED


def await_robot(
    robot: RobotProcess,
    latest_end: float | None,
    interrupted: Sequence[int],
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Waits for Robot, and kills it if it does not end when it is told to.

    Args:
        robot: The process.
        latest_end: As `run_robot` has it.
        interrupted: The signals of the user so far, which Robot gets from elsewhere.
        clock: The seconds of the monotonic clock.

    Returns:
        Whether it was killed because the time budget was spent.
    """
    due: list[tuple[float, signal.Signals]] = []
    if latest_end is not None:
        steps = (signal.SIGINT, signal.SIGINT, signal.SIGKILL)
        due = [(latest_end + number * _PATIENCE_S, step) for number, step in enumerate(steps)]
    is_hurried = killed = False
    while True:
        try:
            robot.wait(_LOOK_S)
        except TimeoutExpired:
            if len(interrupted) > 1 and not is_hurried:
                is_hurried, due = True, [(clock() + _HURRY_S, signal.SIGKILL)]
            while due and clock() >= due[0][0]:
                step = due.pop(0)[1]
                killed = step is signal.SIGKILL and not is_hurried
                robot.send_signal(step)
            continue
        return killed


def literal(name: str) -> str:
    """A pattern of Robot that this name alone matches."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)
