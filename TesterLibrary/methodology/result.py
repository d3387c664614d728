# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a procedure found, with the trials it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ..measurement.trial import Trial


@dataclass(frozen=True)
class Result:
    """Base of every procedure's result. Prints as one line; its fields are what the report records."""

    title: str  # streams and frame size: "north, 64 bytes"
    trials: tuple[Trial, ...]  # every one, in the order in which they ran

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials that the result's value rests on; those that only led to it are left out."""
        return self.trials
