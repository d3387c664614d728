# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sums over a capture file, for rates and loads of its replay."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .units.units import FrameSizes


@dataclass(frozen=True)
class CaptureTotals(FrameSizes):
    """The frames of a capture file, as sizes of a stream: their mean is exact, their order is the file's."""

    frames: int
    octets: int  # on the line, FCS included: short frames are padded to 64 bytes
    duration_ns: int  # from the first frame to the last

    @property
    def order(self) -> tuple[int, ...]:
        """One frame of the mean size, rounded: a file is not listed frame by frame."""
        return (round(self.mean),)

    @property
    def mean(self) -> Fraction:
        """See FrameSizes."""
        return Fraction(self.octets, self.frames)

    def rate(self, scale: float) -> Fraction | None:
        """Frames each second with the captured gaps times `scale`; None where the frames take no time."""
        span_ns = self.duration_ns * Fraction(str(scale))
        return (self.frames - 1) * 10**9 / span_ns if span_ns else None

    def span_ns(self, packets: int, scale: float) -> Fraction | None:
        """The time from the first to the last of so many frames; None unless they are whole rounds.

        Between two rounds is the mean gap.
        """
        rounds, rest = divmod(packets, self.frames)
        rate = self.rate(scale)
        if rest or not rounds or rate is None:
            return None
        return (packets - 1) * 10**9 / rate

    def __str__(self) -> str:
        return f"{float(self.mean):g} bytes on average"
