# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The mean delay of frames that carry no timestamp (norma §6.2): when they left against when they arrived.

Neither side knows which frame it sees. But the mean of the differences is the difference of the means, as
long as the same frames were counted at both ends; what loss makes of that has a bound (norma appendix D).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ...model.units.units import duration_text


@dataclass(frozen=True)
class Passages:
    """Frames that passed one place: their number, and the sum of their times in nanoseconds of one clock."""

    packets: int = 0
    # Python's integers do not overflow: 100 Mpps for an hour sum up to 10^24. None: the tester's sum wrapped.
    sum_ns: int | None = 0

    @property
    def mean_ns(self) -> Fraction | None:
        """The exact mean of the frames' times; None without frames, and where the times are not known."""
        return Fraction(self.sum_ns, self.packets) if self.packets and self.sum_ns is not None else None

    def __sub__(self, earlier: Passages) -> Passages:
        """Frames that passed between two readings of a counter that only grows."""
        return Passages(self.packets - earlier.packets, _of_both(self.sum_ns, earlier.sum_ns, int.__sub__))

    def __add__(self, other: Passages) -> Passages:
        return Passages(self.packets + other.packets, _of_both(self.sum_ns, other.sum_ns, int.__add__))


def _of_both(one: int | None, other: int | None, does: Callable[[int, int], int]) -> int | None:
    return None if one is None or other is None else does(one, other)


@dataclass(frozen=True)
class BlindDelay:
    """The mean delay of some frames, with the most by which lost frames can make it wrong."""

    departures: Passages
    arrivals: Passages
    span_ns: int  # from the first departure to the last
    duplicated: int = 0  # arrivals beyond the first of a frame, where that is known
    offset_ns: int = 0  # the tester's own delay, which is subtracted
    again: int | None = 0  # further arrivals that may be copies; None: any arrival may be one
    error_ns: int = 0  # by how much the tester itself can make the mean wrong
    once: bool = False  # it is assumed that no frame arrived twice, because nobody can tell
    stale: int = 0  # frames of earlier trials that look the same, and may be among the arrivals
    arrival_span_ns: int = 0  # from the first arrival to the last

    @property
    def mean_ns(self) -> Fraction | None:
        """Mean time of arrival - mean time of departure; None where nothing left or nothing arrived."""
        left, arrived = self.departures.mean_ns, self.arrivals.mean_ns
        if self._all_stale:
            return None
        return None if left is None or arrived is None else arrived - left - self.offset_ns

    @property
    def _all_stale(self) -> bool:
        return 0 < self.arrivals.packets <= self.stale

    @property
    def absence(self) -> str:
        """Why there is no mean; empty if there is one."""
        if self.mean_ns is not None:
            return ""
        if self._all_stale:
            return (
                f"all {self.arrivals.packets:,} frames that arrived may be of an earlier trial, of which "
                f"{self.stale:,} were missing; give `Create Stream` signature=True, or wait for two minutes"
            )
        unknown = self.departures.sum_ns is None or self.arrivals.sum_ns is None
        return "the tester's sums of times wrapped in an interval this long" if unknown else "nothing arrived"

    @property
    def arrived(self) -> tuple[int, int]:
        """The least and the most frames that arrived, each counted once."""
        most = self.arrivals.packets - self.duplicated
        again = self.arrivals.packets if self.again is None else self.again
        return max(0, most - again), max(0, most)

    @property
    def missing(self) -> int:
        """Frames that left and did not arrive."""
        return max(0, self.departures.packets - self.arrived[1])

    @property
    def bound_ns(self) -> Fraction:
        """The most by which the mean can be wrong: frames lost / rate at which they were sent.

        A lost frame left somewhere within the span, so it shifts the mean departure by at most span / frames
        sent (norma appendix D). A frame that arrives twice shifts the mean arrival by as much, at most. Where
        nobody can tell copies from frames that were overtaken, each of these may stand for a lost one. So may
        a frame of an earlier trial, which arrived somewhere within the span of all arrivals.
        What the tester's calibration and the steps of its clock leave open comes on top.
        """
        if not self.departures.packets:
            return Fraction(self.error_ns)
        stale = min(self.stale, self.arrivals.packets)
        foreign = Fraction(stale * self.span_ns, self.departures.packets)
        if stale:
            foreign += Fraction(stale * self.arrival_span_ns, self.arrivals.packets)
        left, arrived = self.departures.packets, self.arrivals.packets
        # Unpaired are departures without an arrival, and arrivals without a departure of their own.
        missing = max(0, left - self.arrived[0])
        unpaired = missing + max(0, arrived - left + missing)
        return Fraction(unpaired * self.span_ns, self.departures.packets) + foreign + self.error_ns

    def __str__(self) -> str:
        if self.mean_ns is None:
            return f"no delay: {self.absence}"
        return bounded_text(self.mean_ns, self.bound_ns) + self.assumption

    @property
    def assumption(self) -> str:
        """The assumption behind the bound, and the reason why it is wide; empty if there is neither."""
        assumed = ", if no frame arrived twice" if self.once else ""
        if self.stale:
            assumed += f"; {self.stale:,} frames of earlier trials were missing, and may be among these"
        return assumed


def bounded_text(mean_ns: Fraction | float, bound_ns: Fraction | float) -> str:
    """A mean delay with the bound of its error: `105 ns ± 0 ns`; only the bound, if it exceeds the delay."""
    mean, bound = Fraction(mean_ns), Fraction(bound_ns)
    error = f"± {duration_text(bound)}"
    if bound <= abs(mean):
        return f"{duration_text(mean)} {error}"
    return f"unknown ({error}), at most {duration_text(mean + bound)}"
