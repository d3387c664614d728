# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Narrows steps until one passes and the next one fails, in no more trials than it is given.

It aims: at a step that is expected to be the last one to pass. Where that is right two trials show it. An aim
that would cost more trials than are left in the worst case is given up for the middle.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...measurement.trial import Trial


@dataclass
class Narrowing:
    """Steps up to `passed` pass, those from `failed` on fail; others are unknown. Starts beyond both ends."""

    passed: int
    failed: int
    aim: int  # the step that is expected to be the last one to pass
    left: int  # trials; raised to what halving takes, if it is less
    passing: Trial | None = None
    failures: list[Trial] = field(default_factory=list)  # at lower and lower steps
    _stride: int = 1  # from an aim that was wrong to the next one; doubled at each use

    def __post_init__(self) -> None:
        self.left = max(self.left, self.unknown.bit_length())

    @property
    def unknown(self) -> int:
        """Steps of which nobody knows yet."""
        return self.failed - self.passed - 1

    @property
    def failing(self) -> Trial | None:
        """The trial at the lowest step that failed."""
        return self.failures[-1] if self.failures else None

    @property
    def most_trials(self) -> int:
        """More trials than these will not be needed."""
        return min(self.unknown, self.left)

    @property
    def next(self) -> int:
        """The step to be tried: beside the aim, first the side that leaves less if the aim is right."""
        aim = min(max(self.aim, self.passed), self.failed - 1)
        passes_first = self.failed - 1 - aim <= aim - self.passed
        step = aim if aim > self.passed and (passes_first or aim + 1 == self.failed) else aim + 1
        worst = max(step - self.passed - 1, self.failed - step - 1)
        return step if 1 + worst.bit_length() <= self.left else (self.passed + self.failed) // 2

    def tried(self, step: int, trial: Trial, *, passes: bool, forwarded: int) -> None:
        """Takes note of a trial.

        Args:
            step: Of its load.
            trial: What came of it.
            passes: Whether it passes.
            forwarded: The step of the load that arrived: the best aim where more was offered than can pass.
        """
        self.left -= 1
        if passes:
            self.passed, self.passing = step, trial
            if step > self.aim:
                self.aim, self._stride = step + self._stride, 2 * self._stride
        else:
            self.failed = step
            self.failures.append(trial)
            if step <= self.aim:
                self.aim, self._stride = min(forwarded, step - self._stride), 2 * self._stride
