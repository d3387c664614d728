# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Divides numbers of frames that are too large for a pass/skip unit's register into laps and a rest.

A unit of 32 bits passes all frames of one lap after the other. During the last lap the driver lets it pass
the rest only, without changing its count, so the stream ends exactly after the last frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....planning.switch.resources import TICK_BITS

_WORD = 1 << TICK_BITS


@dataclass(frozen=True)
class Laps:
    """A number of frames in laps of a unit."""

    whole: int  # laps before the last one
    length: int  # frames of each, less than 2^32
    rest: int  # frames of the last one: about half a lap, so that there is time to tell the unit

    @classmethod
    def of(cls, frames: int) -> Laps:
        """The laps of a number of frames; a number that a unit can count by itself has 0 whole laps."""
        if frames < _WORD:
            return cls(0, _WORD - 1, frames)
        longest = _WORD - 1
        whole = max(1, -(-(2 * frames - longest) // (2 * longest)))
        length = -(-2 * frames // (2 * whole + 1))
        return cls(whole, length, frames - whole * length)

    @property
    def last_begins(self) -> int:
        """The number of frames after which the last lap has begun."""
        return self.whole * self.length
