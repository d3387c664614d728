# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How Robot is ended that does not end by itself, on a clock that waits for nobody."""

from __future__ import annotations

from dataclasses import dataclass, field
from signal import SIGINT, SIGKILL
from subprocess import TimeoutExpired

import pytest

from TesterLibrary.campaign.robot_command import await_robot

LIMIT = 100.0


@dataclass
class HangingRobot:
    """Robot that ends by the signal of that number, counted from 1. Time passes while it is waited for."""

    ends_by: int
    interruptions: dict[float, int] = field(default_factory=dict)  # signals of the user, by their time
    now: float = 0.0
    interrupted: list[int] = field(default_factory=list)
    told: list[tuple[float, int]] = field(default_factory=list)

    def wait(self, timeout: float | None = None) -> int:
        if len(self.told) >= self.ends_by or (self.told and self.told[-1][1] == SIGKILL):
            return 0
        assert timeout
        self.now = round(self.now + timeout, 1)
        if self.now in self.interruptions:
            self.interrupted.append(self.interruptions[self.now])
        raise TimeoutExpired("robot", timeout)

    def send_signal(self, sig: int) -> None:
        self.told.append((self.now, sig))

    def awaited(self, latest_end: float | None) -> bool:
        return await_robot(self, latest_end, self.interrupted, lambda: self.now)


@pytest.mark.parametrize(
    ("ends_by", "told", "killed"),
    [
        (0, [], False),
        (1, [(100, SIGINT)], False),
        (2, [(100, SIGINT), (130, SIGINT)], False),
        (9, [(100, SIGINT), (130, SIGINT), (160, SIGKILL)], True),
    ],
)
def test_a_test_that_hangs_is_ended_when_the_time_is_over(
    ends_by: int, told: list[tuple[float, int]], killed: bool
) -> None:
    robot = HangingRobot(ends_by)
    assert robot.awaited(LIMIT) is killed
    assert robot.told == told


def test_a_second_interruption_ends_robot_at_once() -> None:
    robot = HangingRobot(9, {5.0: SIGINT, 7.0: SIGINT})
    assert robot.awaited(None) is False
    assert robot.told == [(9.0, SIGKILL)]
