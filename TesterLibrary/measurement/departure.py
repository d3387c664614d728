# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How exactly the frames of a stream left, against when they were due."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TypeGuard

from ..model.plan.law import Departures, Replay
from ..model.plan.random_law import Random
from ..model.units.units import duration_text
from .delays.histogram import bounds_of
from .delays.latency import Latency
from .snapshot import DepartureCounters, LatencyCounters, StreamCounters


def achieved_rate(counted: StreamCounters) -> Fraction:
    """Frames each second from the first departure to the last, (n - 1) / (last - first); 0 for none."""
    span = counted.last_tx_ns - counted.first_tx_ns
    if counted.tx_packets < 2 or span <= 0:
        return Fraction(0)
    return Fraction((counted.tx_packets - 1) * 10**9, span)


def rate_error(departures: Departures | None, counted: StreamCounters) -> Fraction:
    """(achieved - intended) / intended rate, from the first departure to the last.

    That is how long it was to take by the law of the stream, against how long it took. Where a law draws its
    gaps, or there is none to know, because a file has them or it was changed meanwhile, the frames sent
    against those that were due.
    """
    span = counted.last_tx_ns - counted.first_tx_ns
    if counted.tx_packets < 2 or span <= 0:
        return Fraction(0)
    due = _due_ns(departures, counted)
    if due is None:
        return Fraction(counted.tx_packets, counted.intended_packets) - 1
    return due / span - 1


def sending_ns(departures: Departures | None, counted: StreamCounters) -> Fraction | None:
    """The time that frames take by the law of their stream, each with its gap; None for fewer than two.

    Behind the last one it is the mean gap of the others. Without a law to know it is the time that they took.
    """
    span = counted.last_tx_ns - counted.first_tx_ns
    if counted.tx_packets < 2 or span <= 0:
        return None
    due = _due_ns(departures, counted)
    return (span if due is None else due) * Fraction(counted.tx_packets, counted.tx_packets - 1)


def is_scheduled(departures: Departures | None) -> TypeGuard[Departures]:
    """Whether a law says when each frame is due: none that draws its gaps, or has them in a file."""
    return departures is not None and not isinstance(departures.law, (Random, Replay))


def has_span(departures: Departures | None, counted: StreamCounters) -> bool:
    """Whether it is known how long the frames that were sent were to take, also of a file that was read."""
    return counted.tx_packets > 1 and _due_ns(departures, counted) is not None


def _due_ns(departures: Departures | None, counted: StreamCounters) -> Fraction | None:
    """The time from the first frame that was sent to the last as it was to be; None where no law says it."""
    if departures is not None and isinstance(departures.law, Replay):
        return departures.law.span_ns(counted.tx_packets)
    if not is_scheduled(departures):
        return None
    return departures.due(counted.tx_packets - 1) - departures.due(0)


def held_up(counted: StreamCounters, rate: Fraction, limit_ns: int) -> int:
    """The most frames that the tester held up in pauses, and sent back to back after them.

    Pauses are errors of gaps above the limit, and above a gap: what is held up for less comes alone. Where
    gaps were not measured it is the worst pause alone. `rate` is frames each nanosecond.
    """
    gaps = counted.departures.buckets if counted.departures else {}
    least_ns = max(Fraction(limit_ns), 1 / rate) if rate else limit_ns
    pauses = sum(
        times * bounds_of(index)[1] for index, times in gaps.items() if bounds_of(index)[1] > least_ns
    )
    return ceil(rate * max(counted.worst_lateness_ns, pauses))


def missing(counted: StreamCounters) -> int:
    """Frames that were sent and did not arrive; of those that arrived twice one counts."""
    return max(0, counted.tx_packets - (counted.rx_packets - (counted.order.duplicated or 0)))


def lost_crowded(counted: StreamCounters) -> int | None:
    """Lost frames that left after pauses of the tester; None where they are not counted."""
    if counted.rx_lost_crowded is None:
        return None
    return min(counted.rx_lost_crowded, missing(counted))


def pauses_text(worst_ns: int, burst: str) -> str:
    """How pauses of the tester may have cost frames: those of a burst, or all that are lost."""
    effect = f"put up to {burst} back to back" if burst else "came before all of them"
    return f"pauses of the tester of up to {worst_ns / 1e6:.1f} ms {effect}"


@dataclass(frozen=True)
class GapError:
    """|gap - intended gap| of frames that left one after the other, in ns; `None` where none was seen."""

    counters: DepartureCounters

    @classmethod
    def merged(cls, parts: Iterable[DepartureCounters | None]) -> GapError:
        """Several streams as if they were one; those whose gaps the tester did not measure are left out."""
        merged = Latency.merged(Latency(_as_latency(part)) for part in parts if part).counters
        return cls(DepartureCounters(merged.count, merged.sum_ns, merged.max_ns, merged.buckets))

    @property
    def count(self) -> int:
        """Gaps seen."""
        return self.counters.count

    @property
    def mean(self) -> float | None:
        """Exact mean."""
        return self._statistics.mean

    @property
    def p50(self) -> float | None:
        """The median, at most 0.1 % off."""
        return self._statistics.p50

    @property
    def p99(self) -> float | None:
        """The 99th percentile, at most 0.1 % off."""
        return self._statistics.p99

    @property
    def max(self) -> int | None:
        """Exact maximum."""
        return self._statistics.max

    @property
    def _statistics(self) -> Latency:
        return Latency(_as_latency(self.counters))

    def __str__(self) -> str:
        values = (("p50", self.p50), ("p99", self.p99), ("max", self.max))
        return " ".join(f"{name} {'-' if v is None else duration_text(v)}" for name, v in values)


def _as_latency(counted: DepartureCounters) -> LatencyCounters:
    """Both are times in the same buckets."""
    return LatencyCounters(counted.count, counted.sum_ns, 0, counted.max_ns, counted.buckets)
