# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as a process of its own, which ends cleanly with the command that started it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from ..service.robot_process import start_robot
from ._signals import asked_to_end

_UNRECORDED = (
    "Robot has ended, and its suite has recorded nothing of them: it does not import TesterLibrary, or a "
    "listener took them out"
)


def run_robot(arguments: Sequence[str], output: Path, run_id: str, testbed: str) -> tuple[bool, str]:
    """Runs Robot with these options and suites for the run in a folder.

    Returns:
        Whether it was interrupted, and why it has not run all of its tests if it ends with a record of less.
    """

    def forward(signals: Sequence[int]) -> None:
        # Robot ends a run cleanly on the first one and at once on the second. It has a session of its own,
        # so that it gets each once.
        if robot.poll() is None:
            robot.send_signal(signals[-1])

    with start_robot(arguments, output, run_id, testbed) as robot, asked_to_end(forward) as interrupted:
        robot.wait()
    if robot.returncode < 0:
        return bool(interrupted), f"Robot was killed by {signal.Signals(-robot.returncode).name}"
    return bool(interrupted), _UNRECORDED


def literal(name: str) -> str:
    """A pattern of Robot that this name alone matches."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)
