# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The correction of delays that the tester sees: by its own delay, and by the time of a frame on the line.

The tester stamps a frame before its first bit leaves and finds it after its last bit has come in. So what it
sees without a device, over a cable, is its own delay and the time of one frame on that cable (a calibration
run). RFC 1242 §3.8 measures from the first bit in to the first bit out of a bit forwarding device
(cut-through), and from the last bit in to the first bit out of a store and forward device.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class DelayKind(Enum):
    """Between which two instants a delay is measured."""

    AS_SEEN = "as seen"  # by the tester, less its calibrated delay
    CUT_THROUGH = "cut-through"
    STORE_AND_FORWARD = "store-and-forward"


@dataclass(frozen=True)
class Correction:
    """The correction that is subtracted from the delays of one stream."""

    offset_ns: int = 0  # the delay that the tester sees without a device
    spread_ns: int = 0  # variation of that delay, minimum to 99th percentile, and the error of clocks
    calibrated: bool = False
    frame_time_ns: Fraction = Fraction(0)  # of one frame on the line; 0 where the ports are virtual
    time_step_ns: int = 0  # by how much a time that the tester sums up can be off

    @property
    def sums_error_ns(self) -> int:
        """By how much the tester itself can make a delay from its sums of times wrong."""
        return self.spread_ns + self.time_step_ns

    def total_ns(self, kind: DelayKind = DelayKind.AS_SEEN) -> int:
        """The whole nanoseconds that are subtracted."""
        # The offset already contains the time of a frame on the calibration's cable, once.
        frames = {DelayKind.AS_SEEN: 0, DelayKind.CUT_THROUGH: 1, DelayKind.STORE_AND_FORWARD: 2}[kind]
        if self.calibrated and frames:
            frames -= 1
        return self.offset_ns + round(frames * self.frame_time_ns)


NOT_CORRECTED = Correction()


def frame_time_ns(frame_size: int, bits_per_second: int) -> Fraction:
    """Time of the bits of a frame, FCS included, on a link; 0 for a link that has no speed."""
    return Fraction(frame_size * 8 * 10**9, bits_per_second) if bits_per_second else Fraction(0)
