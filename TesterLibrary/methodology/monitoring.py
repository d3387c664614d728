# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss, throughput and delay interval by interval, while traffic runs (norma §6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..measurement.interval import Interval, bounds_text
from ..model.units.number import percent
from ..model.units.units import Duration, Ratio, ratio_text
from ..verdict import AT_MOST, Between, Verdict, assess
from .result import Result


class Method(Enum):
    """The way in which an interval's frames are told from those of the next one."""

    VERSION = "version"  # by a bit in each frame
    QUIESCING = "quiescing"  # by sending none: one interval, from the start of the traffic to its end


@dataclass(frozen=True)
class MonitoringResult(Result):
    """A series of intervals. A lossless device has lost 0 frames in each, whatever its queues."""

    interval_ns: int  # as asked for; an interval lasts longer while frames of the one before still arrive
    method: Method
    reason: str  # why it is not by version; empty if it is
    intervals: tuple[Interval, ...]
    objections: tuple[str, ...] = ()  # why the tester is not to be trusted
    unsigned: tuple[str, ...] = ()  # streams whose frames only their version bit puts into an interval

    @property
    def lost(self) -> int:
        """Frames lost in all intervals."""
        return sum(interval.lost for interval in self.intervals)

    @property
    def least_lost(self) -> int:
        """Frames that are lost for sure: without a signature those that all intervals lost together."""
        return sum(max(0, total) for total in self._totals.values())

    @property
    def most_lost(self) -> int:
        """Frames lost if all arrivals that may be copies were copies."""
        return sum(interval.most_lost for interval in self.intervals)

    @property
    def sent(self) -> int:
        """Frames sent in all intervals."""
        return sum(interval.sent for interval in self.intervals)

    @property
    def worst(self) -> Interval | None:
        """The interval that lost the greatest part; the first of equal ones."""
        return max(self.intervals, key=lambda interval: interval.loss, default=None)

    def verdict_below(self, bound: Ratio) -> Verdict:
        """Whether no interval lost a greater part of its frames than the bound.

        INCONCLUSIVE if frames that arrived twice may hide as many that were lost, or if only the version bit
        of frames without a signature says in which interval they were lost.
        """
        loss = self.worst.loss if self.worst else Fraction(0)
        most = max((interval.most_loss for interval in self.intervals), default=loss)
        copied = f" to {Ratio(most)}, as frames may have arrived twice," if most > loss else ""
        where = f" in interval {self.worst.number}" if self.worst and loss else ""
        least = min(loss, self._least_worst)
        if least < loss:
            copied += f", {Ratio(least)} at least by all intervals together,"
        return assess(
            (loss if least == most else Between(least, most)) if self.worst else None,
            AT_MOST,
            bound.value,
            subject=f"interval loss of {self.title}",
            measured=f"{Ratio(loss)}{copied}{where}, {self._lost_text} of {self.sent:,} frames in all",
            bound=f"<= {bound} in each of {len(self.intervals)} intervals",
            doubt="; ".join(self.objections) or ("" if self.intervals else "no interval has ended"),
            text=ratio_text,
        )

    @property
    def _least_worst(self) -> Fraction:
        """The loss that one of the intervals has at least.

        A device that writes over version bits moves losses from one interval to another, and hides that by
        losing frames. The sums of all intervals stay; one of them loses at least as great a part as all do.
        """
        own = [Fraction(self._own_least(i), i.sent) for i in self.intervals if i.sent]
        return max([Fraction(self.least_lost, self.sent) if self.sent else Fraction(0), *own])

    def _own_least(self, interval: Interval) -> int:
        """Frames that an interval lost for sure, whatever the others lost."""
        return sum(stream.least_lost for stream in interval.streams if stream.name not in self.unsigned)

    @property
    def _totals(self) -> Mapping[str, int]:
        """Frames that each stream lost for sure; below 0 where more arrived than were sent."""
        totals: dict[str, int] = {}
        for stream in (stream for interval in self.intervals for stream in interval.streams):
            net = stream.sent - stream.received if stream.name in self.unsigned else stream.least_lost
            totals[stream.name] = totals.get(stream.name, 0) + net
        return totals

    def least_lost_in(self, interval: Interval) -> int:
        """Frames that an interval lost for sure: of those without signature more than others have sent."""
        sent = dict.fromkeys(self.unsigned, 0)
        for beside in self.intervals:
            for stream in beside.streams:
                if beside is not interval and stream.name in sent:
                    sent[stream.name] += stream.sent
        more = sum(max(0, self._totals.get(name, 0) - count) for name, count in sent.items())
        return min(interval.lost, self._own_least(interval) + more)

    @property
    def _lost_text(self) -> str:
        return bounds_text(self.lost, self.most_lost)

    def __str__(self) -> str:
        text = (
            f"{self.title}: {len(self.intervals)} intervals of {Duration(self.interval_ns)}, "
            f"sent {self.sent:,}, lost {self._lost_text}"
        )
        if self.worst and self.worst.lost:
            text += f", most in interval {self.worst.number} ({percent(self.worst.loss, 4)})"
        return f"{text}; measured by {self.method.value}: {self.reason}" if self.reason else text
