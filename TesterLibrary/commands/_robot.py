# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as a process of its own, which ends cleanly with the command that started it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..service.robot_process import start_robot
from ._signals import asked_to_end


def run_robot(arguments: Sequence[str], output: Path, run_id: str, testbed: str) -> bool:
    """Runs Robot with these options and suites for the run in a folder. True if it was interrupted."""

    def forward(signals: Sequence[int]) -> None:
        # Robot ends a run cleanly on the first one and at once on the second. It has a session of its own,
        # so that it gets each once.
        if robot.poll() is None:
            robot.send_signal(signals[-1])

    with start_robot(arguments, output, run_id, testbed) as robot, asked_to_end(forward) as interrupted:
        robot.wait()
    return bool(interrupted)


def literal(name: str) -> str:
    """A pattern of Robot that this name alone matches."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)
