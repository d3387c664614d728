# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of frames that no register of a pass/skip unit can count to: so many laps of it, and a rest.

A unit of 32 bits passes all frames of a lap for lap after lap. While the last lap runs the driver has it pass
the rest only, which leaves what it has counted as it is: so the stream ends exact to the frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...planning.switch_resources import TICK_BITS

_WORD = 1 << TICK_BITS


@dataclass(frozen=True)
class Laps:
    """A number of frames, as a unit counts it."""

    whole: int  # laps before the last one
    length: int  # frames of each, less than 2^32
    rest: int  # frames of the last one: about half a lap, so that there is time to tell the unit

    @classmethod
    def of(cls, frames: int) -> Laps:
        """Of a number of frames; 0 whole laps of one that a unit can count by itself."""
        if frames < _WORD:
            return cls(0, _WORD - 1, frames)
        longest = _WORD - 1
        whole = max(1, -(-(2 * frames - longest) // (2 * longest)))
        length = -(-2 * frames // (2 * whole + 1))
        return cls(whole, length, frames - whole * length)

    @property
    def last_begins(self) -> int:
        """After so many frames the last lap has begun."""
        return self.whole * self.length
