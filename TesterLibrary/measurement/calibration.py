# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's own part of delays, and its highest rate: measured without a device, over a cable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction


@dataclass(frozen=True)
class CalibratedSize:
    """Frames of one size. Times are nanoseconds."""

    frame_size: int  # bytes, FCS included
    offset_ns: int  # the median of the delays without a device
    spread_ns: int  # from their minimum to their 99th percentile
    highest_pps: int  # frames a second at which the tester lost none and sent each in time


@dataclass(frozen=True)
class Calibration:
    """All of one tester, for ports of the same kinds."""

    testbed: str  # the testbed whose delays it corrects
    over: str  # the testbed, or the ports, that were connected by a cable
    made_at: str  # ISO 8601 with zone
    tester: str  # kind and version
    drivers: tuple[str, ...]  # of the two ports, sorted
    sizes: tuple[CalibratedSize, ...]  # at least one, by ascending frame size

    def at(self, frame_size: int) -> tuple[int, int]:
        """Offset and spread for a frame size: between two that were measured on the line between them,
        beyond the smallest and the largest as for that one."""
        below = [size for size in self.sizes if size.frame_size <= frame_size]
        above = [size for size in self.sizes if size.frame_size >= frame_size]
        low, high = (below or above)[-1 if below else 0], (above or below)[0 if above else -1]
        width = high.frame_size - low.frame_size
        part = Fraction(frame_size - low.frame_size, width) if width > 0 else Fraction(0)
        return (
            round(low.offset_ns + part * (high.offset_ns - low.offset_ns)),
            round(low.spread_ns + part * (high.spread_ns - low.spread_ns)),
        )

    def highest_pps(self, frame_size: int) -> int:
        """Frames a second that the tester sustained with frames of the nearest sizes, the higher rate."""
        below = [size for size in self.sizes if size.frame_size <= frame_size][-1:]
        above = [size for size in self.sizes if size.frame_size >= frame_size][:1]
        return max(size.highest_pps for size in (*below, *above))

    def age(self, now: datetime) -> timedelta:
        """Since it was made; `now` has a zone."""
        return now - datetime.fromisoformat(self.made_at)
