# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on packets of others that were timed around a device (p4sta §III)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..errors import Inconclusive, PlanError, UnitError, did_you_mean
from ..measurement.counter import total
from ..measurement.delays.latency_error import OF_ENGINE, PercentileError
from ..measurement.snapshot import StampDirectionCounters
from ..measurement.stamps import StampedPackets, packets_of, remarks
from ..model.stamps import StampMode
from ..model.units.units import Duration, Ratio, duration_text, ratio_text
from ..verdict import AT_MOST, Between, Outcome, Verdict, assess
from .result import Result
from .verdicts.judging import about

_BADNESS = (Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.FAIL)
_EACH_ONCE = ("received", "lost")
_COUNTS = (
    *("sent", "received", "lost", "late", "duplicated", "reordered", "behind", "ambiguous"),
    *("uncovered", "unknown"),
    *("unstamped", "unfit", "occupied", "no_room", "too_long", "overflowed", "untracked", "flows"),
)
_NOT_COUNTED = "this tester does not count them, or does not tell them from others"
_NONE_KNOWN = "no packet came back that is known again"
_LATENCIES = ("min", "mean", "max")
_PERCENTILE = re.compile(r"(p|pdv)\d+(\.\d+)?")
_OTHER_TIMES = {"std": "std_ns", "ipdv_mean": "ipdv_mean_ns", "ipdv_max": "ipdv_max_ns"}


@dataclass(frozen=True)
class StampValue:
    """One statistic of stamped packets: a count, or a time in nanoseconds."""

    name: str
    value: float | None  # None if this tester does not count it
    is_time: bool
    doubt: str  # why nothing can be concluded from it; empty if something can


@dataclass(frozen=True)
class StampResult(Result):
    """The packets that were stamped, or known again, in one direction or both, from a start to a stop."""

    name: str
    mode: StampMode
    timeout_ns: int
    directions: tuple[StampDirectionCounters, ...]
    under_way: int = 0  # packets that may still come back
    files: tuple[str, ...] = ()  # CSV in the evidence: flows and intervals
    percentile_error: PercentileError = OF_ENGINE

    def packets(self, direction: str | None = None) -> StampedPackets:
        """The packets of one direction, or of the only one.

        Raises:
            UnitError: it was not stamped, or there are two and none is named.
        """
        names = [found.heading for found in self.directions]
        if direction is None and len(names) == 1:
            (direction,) = names
        for found in self.directions:
            if found.heading == direction:
                return self._packets(found)
        given = direction or "both"
        raise UnitError(
            f"stamps {self.name!r}: direction={given} is not one of theirs; give {' or '.join(names)}"
        )

    def _packets(self, found: StampDirectionCounters) -> StampedPackets:
        return packets_of(found, self.percentile_error)

    @property
    def doubt(self) -> str:
        """Why nothing can be concluded; empty if something can."""
        if self.under_way:
            return (
                f"{self.under_way:,} packets of {self.name} may still come back, as more are being sent; "
                "call Stop Path, or end the load first"
            )
        return next(
            (f"no packet of {self.name} was stamped {d.heading}" for d in self.directions if not d.sent), ""
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The packets that are not in the figures, and why."""
        return tuple(text for found in self.directions for text in remarks(found))

    def value(self, name: str, direction: str | None) -> StampValue:
        """A statistic by its name, such as `lost` or `p99`.

        Args:
            name: A count, or a time: min, mean, max, std, ipdv_mean, ipdv_max, p99.9, pdv99.9.
            direction: forward or backward. None: a count of both directions, a time of the only one.

        Raises:
            PlanError: no statistic has this name.
            UnitError: this direction was not stamped, or a time needs one of two directions.
            Inconclusive: the time was not measured.
        """
        if name in _COUNTS:
            count = self.count(name, direction)
            return StampValue(name, count, False, self.doubt or (_NOT_COUNTED if count is None else ""))
        if name not in (*_LATENCIES, *_OTHER_TIMES) and not _PERCENTILE.fullmatch(name):
            names = (*_COUNTS, *_LATENCIES, *_OTHER_TIMES)
            raise PlanError(
                f"{name!r} is no statistic of stamps{did_you_mean(name, names)}; the documentation of Get "
                "Stamp Statistics lists them"
            )
        time = self.time(name, direction)
        if time is None:
            known = self.packets(direction).delay.count
            reason = "this tester does not measure it" if known else _NONE_KNOWN
            raise Inconclusive(f"{name} of {self.name}: {reason}")
        return StampValue(name, float(time), True, self.doubt)

    def count(self, what: str, direction: str | None) -> int | None:
        """A count by its name, over both directions unless one is named; None where nobody counts it.

        Where packets may have come back twice, nobody knows how many were received, and how many lost.
        """
        chosen = [found for found in self.directions if direction in (None, found.heading)]
        if not chosen and direction is not None:
            self.packets(direction)
        packets = [self._packets(found) for found in chosen]
        if what in _EACH_ONCE and any(each.copies for each in packets):
            return None
        return total(
            getattr(each if hasattr(StampedPackets, what) else each.counters, what) for each in packets
        )

    def time(self, what: str, direction: str | None) -> float | None:
        """A time in nanoseconds by its name; None where no delay is known. UnitError for another name."""
        packets = self.packets(direction)
        if what not in _OTHER_TIMES:
            return packets.delay.statistic(what)
        found = getattr(packets, _OTHER_TIMES[what])
        return None if found is None else float(found)

    def loss_below(
        self, bound: Ratio, *, at: Ratio | None = None, timeout: Duration | None = None
    ) -> Verdict:
        """Judges that no direction lost a greater part of its packets than the bound.

        INCONCLUSIVE where packets that are not in the figures could decide.
        """
        for name, argument in (("at", at), ("timeout", timeout)):
            if argument is not None:
                raise PlanError(
                    f"{name}={argument} applies to trials, not to stamps {self.name!r}; leave it out. Stamps "
                    "have the timeout of Stamp Traffic"
                )
        return self._worst(lambda packets: self._loss_below(packets, bound))

    def _loss_below(self, packets: StampedPackets, bound: Ratio) -> Verdict:
        least, most = packets.loss_bounds
        loss = str(Ratio(least)) if least == most else f"{Ratio(least)} to {Ratio(most)}"
        late = f"; {packets.late:,} later than {Duration(self.timeout_ns)}" if packets.late else ""
        verdict = assess(
            least if least == most else Between(least, most),
            AT_MOST,
            bound.value,
            subject=f"loss of {self.title} {packets.name}",
            measured=f"{loss} ({_lost_text(packets)} of {packets.sent:,} packets{late})",
            bound=f"<= {bound}",
            doubt=self.doubt,
            text=ratio_text,
        )
        return verdict.doubted(*self.remarks) if least <= bound.value < most else verdict

    def latency_below(self, bound: Duration, percentile: float) -> Verdict:
        """Judges that a percentile of the delay in each direction is at most the bound."""
        return self._worst(lambda packets: self._delay_below(packets, bound, percentile))

    def delay_below(self, bound: Duration) -> Verdict:
        """Judges that the mean delay in each direction is at most the bound."""
        return self._worst(lambda packets: self._delay_below(packets, bound, None))

    def _missing_text(self, packets: StampedPackets) -> str:
        """The packets that a delay says nothing of; empty if there are none."""
        untimed = f" without {packets.untimed:,} packets whose delay is not known"
        lost = f" of the packets that came back ({_lost_text(packets)} of {packets.sent:,} lost)"
        late = f"; {packets.late:,} later than {Duration(self.timeout_ns)}"
        return untimed * bool(packets.untimed) + lost * bool(packets.lost) + late * bool(packets.late)

    def _delay_below(self, packets: StampedPackets, bound: Duration, percentile: float | None) -> Verdict:
        what = "mean" if percentile is None else f"p{percentile:g}"
        figure = (
            packets.delay.figure("mean", packets.copies)
            if percentile is None
            else packets.delay.figure_without(packets.copies, percentile)
        )
        value: Between | None = about(figure)
        if figure is not None and packets.copies:
            value = Between(figure.least, figure.most)
        few = figure.few if figure and figure.least <= bound.ns else ""
        if value is not None and (packets.untimed or packets.late):
            value = self._with_others(packets, percentile, value)
        measured = duration_text(figure.value) + self._missing_text(packets) if figure else "unknown"
        return assess(
            value,
            AT_MOST,
            bound.ns,
            subject=f"{what} delay of {self.title} {packets.name}",
            measured=measured,
            bound=f"<= {bound}",
            doubt=self.doubt or few or ("" if figure else _NONE_KNOWN),
            text=duration_text,
        )

    def _with_others(self, packets: StampedPackets, percentile: float | None, value: Between) -> Between:
        """The same with packets of which it is known only that they came back in time, if at all, and with
        those that came back after that."""
        latest = inf if packets.late else float(self.timeout_ns)
        late = packets.slower[0]
        if percentile is None:
            total, each = packets.counters.delay.sum_ns, packets.delay.count + packets.untimed
            least: float | None = (total + late * self.timeout_ns) / (each + late)
            most = inf if packets.late else (total + packets.untimed * self.timeout_ns) / each
        elif bounds := packets.delay_bounds(percentile):
            least, found = bounds
            most = latest if found is None else max(found, value.most)
        else:
            return value
        if least is None:
            least = float(self.timeout_ns)
        return Between(least if late else min(least, value.least), most)

    def _worst(self, judge: Callable[[StampedPackets], Verdict]) -> Verdict:
        """The worst verdict of all directions; of equally bad ones that of the greatest value."""
        verdicts = [judge(self._packets(found)) for found in self.directions]
        return max(verdicts, key=lambda v: (_BADNESS.index(v.outcome), v.most or Fraction(0)))

    def __str__(self) -> str:
        each = "; ".join(str(self._packets(found)) for found in self.directions)
        return "; ".join((f"{self.title}: {each}", *self.remarks))


def _lost_text(packets: StampedPackets) -> str:
    """The packets that were lost, as far as it is known."""
    if packets.most_lost == packets.lost:
        return f"{packets.lost:,}"
    return f"{packets.lost:,} to {packets.most_lost:,}"
