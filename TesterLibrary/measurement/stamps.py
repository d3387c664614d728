# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of stamped packets: lost, late, reordered, and the time that the device took for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from .delays.histogram import bounds_of
from .delays.latency import Latency
from .delays.latency_error import OF_ENGINE, LatencyError, PercentileError
from .snapshot import StampCounters, StampDirectionCounters, StampFlowCounters

_UNFIT = {
    "too_long": "would be longer than the MTU with a stamp",
    "no_room": "have no room for a stamp in their header or payload",
    "occupied": "have an option of kind 0x0f already",
    "unfit": "are fragments, or neither TCP nor UDP",
    "overflowed": "found no room among those that are under way",
}


@dataclass(frozen=True)
class StampedPackets:
    """The packets of one direction, of one flow or of all: integers first."""

    name: str  # forward, backward, or the flow
    counters: StampDirectionCounters | StampFlowCounters
    percentile_error: PercentileError = OF_ENGINE

    @property
    def sent(self) -> int:
        """Packets that were stamped or remembered, and left to the device."""
        return self.counters.sent

    @property
    def received(self) -> int:
        """Packets that came back in time, each once, but for `copies`."""
        return self.counters.received

    @property
    def copies(self) -> int:
        """Packets of those received that may have come back before: the tester does not tell."""
        return (getattr(self.counters, "behind", None) or 0) if self.duplicated is None else 0

    @property
    def lost(self) -> int:
        """Packets that did not come back in time, at least: `copies` may be in the place of as many more."""
        return max(0, self.sent - self.received)

    @property
    def most_lost(self) -> int:
        """Packets that did not come back in time, at most."""
        return min(self.sent, max(0, self.sent - self.received + self.copies))

    @property
    def late(self) -> int:
        """Packets that came back after the time limit."""
        return self.counters.late

    @property
    def duplicated(self) -> int | None:
        """Packets that came back once more; None where the tester does not tell them from reordered ones."""
        return self.counters.duplicated

    @property
    def reordered(self) -> int | None:
        """Packets that came back after one of their flow that was sent later; None as above."""
        return self.counters.reordered

    @property
    def ambiguous(self) -> int:
        """Packets that nobody could tell apart from another one."""
        return self.counters.ambiguous

    @property
    def uncovered(self) -> int:
        """Packets that went to the device, and were neither stamped nor remembered."""
        return sum(getattr(self.counters, reason, 0) for reason in _UNFIT)

    @property
    def unknown(self) -> int:
        """Packets that came from the device and are more than those that went to it without a stamp."""
        return max(0, getattr(self.counters, "unstamped", 0) - self.uncovered)

    @property
    def delay(self) -> Latency:
        """The delay of those that are known again."""
        return Latency(self.counters.delay, LatencyError(self.percentile_error))

    @property
    def loss_bounds(self) -> tuple[Fraction, Fraction]:
        """The part of all packets that was lost, at least and at most: 0 to 1.

        Nobody knows what became of a packet without a stamp; one that comes back unknown may be one of
        those that are missing, and one that comes back out of order a copy, where nobody tells. Where none is
        known again and others come, the device makes its own packets, as a proxy does: it may put what
        several packets brought into one, so that nothing is known of any.
        """
        packets = self.sent + self.uncovered
        if not packets:
            return Fraction(0), Fraction(0)
        least = max(0, self.lost - self.unknown) if self.received or not self.unknown else 0
        return Fraction(least, packets), Fraction(self.most_lost + self.uncovered, packets)

    @property
    def std_ns(self) -> float | None:
        """The standard deviation of delays; None where the tester does not sum up their squares."""
        count, total, squares = self.delay.count, self.counters.delay.sum_ns, self.counters.delay_squares
        if not count or squares is None:
            return None
        return isqrt(max(0, squares * count - total * total)) / count

    @property
    def ipdv_mean_ns(self) -> float | None:
        """The mean difference of the delays of two packets of a flow that followed each other."""
        count, total = self.counters.ipdv_count, self.counters.ipdv_sum_ns
        return total / count if count and total is not None else None

    @property
    def ipdv_max_ns(self) -> int | None:
        """The greatest of these differences."""
        return self.counters.ipdv_max_ns if self.counters.ipdv_count else None

    @property
    def untimed(self) -> int:
        """Packets whose delay nobody knows, if they came back: alike, or without a stamp."""
        return max(0, self.received - self.delay.count) + self.uncovered

    @property
    def slower(self) -> tuple[int, int]:
        """Packets that came back after the time limit, at least and at most: none of them may be a copy."""
        return (0 if self.duplicated is None else self.late), self.late

    def delay_bounds(self, percent: float) -> tuple[float | None, float | None] | None:
        """The least and the greatest value that a percentile can have, wherever those without a known delay
        lie; None where it may be beyond the time limit. None where no delay is known."""
        known = self.delay.count
        if not known:
            return None
        least_late, most_late = self.slower
        wanted = ceil(percent / 100 * (known + self.untimed + least_late))
        least: float | None = 0.0
        if wanted > self.untimed:
            rank = wanted - self.untimed
            least = None if rank > known else self._at_rank(rank, -1)
        wanted = ceil(percent / 100 * (known + self.untimed + most_late))
        return least, None if wanted > known else self._at_rank(wanted, +1)

    def _at_rank(self, rank: int, sign: int) -> float:
        """The value at a rank, less the error of a percentile or more it, but not beyond the extremes."""
        counters = self.counters.delay
        seen, index = 0, 0
        for index in sorted(counters.buckets):
            seen += counters.buckets[index]
            if seen >= rank:
                break
        low, high = bounds_of(index)
        middle = (low + high - 1) / 2
        if self.percentile_error is not OF_ENGINE:  # buckets of an engine are narrow
            middle += sign * float(self.percentile_error.of(Fraction(middle)) * Fraction(middle))
        return min(max(middle, float(counters.min_ns)), float(counters.max_ns))

    def __str__(self) -> str:
        text = f"{self.name}: {self.sent:,} sent, {self.lost:,} lost"
        for count, what in (
            (self.late, "late"),
            (self.duplicated, "duplicated"),
            (self.reordered, "reordered"),
            (self.copies, "reordered or duplicated"),
            (self.ambiguous, "alike"),
            (self.uncovered, "not stamped"),
            (self.unknown, "unknown"),
        ):
            text += f", {count:,} {what}" if count else ""
        return f"{text}, {self.delay}" if self.delay.count else text


def packets_of(
    counters: StampDirectionCounters | StampFlowCounters, percentile_error: PercentileError = OF_ENGINE
) -> StampedPackets:
    """The packets of a direction, or of a flow of it, with the error of its percentiles."""
    if isinstance(counters, StampDirectionCounters):
        return StampedPackets(counters.heading, counters, percentile_error)
    source = _end(counters.source, counters.source_port)
    name = f"{source} > {_end(counters.destination, counters.destination_port)}"
    return StampedPackets(name, counters, percentile_error)


def _end(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def remarks(counters: StampDirectionCounters) -> Iterator[str]:
    """Remarks for a reader of the figures: packets that are not in them, and why."""
    for reason, what in _UNFIT.items():
        if count := getattr(counters, reason):
            yield f"{count:,} packets {counters.heading} were not stamped: they {what}"
    if counters.unstamped:
        yield f"{counters.unstamped:,} packets {counters.heading} came from the device without a known stamp"
    if counters.behind and counters.duplicated is None:
        yield (
            f"{counters.behind:,} packets {counters.heading} came back out of order or once more, which this "
            "tester does not tell apart: as many more may be lost"
        )
    if counters.untracked and counters.flows is not None:
        yield (
            f"{counters.untracked:,} packets {counters.heading} are of flows without room; give more flows "
            f"than {counters.flows:,}"
        )
    if counters.ambiguous:
        yield f"{counters.ambiguous:,} packets {counters.heading} looked like another one that was under way"


def in_flight(counters: StampCounters, now_ns: int, timeout_ns: int) -> int:
    """Packets that may still come back in time."""
    return sum(
        max(0, direction.sent - direction.received)
        for direction in counters.directions
        if direction.sent and now_ns - direction.last_sent_ns <= timeout_ns
    )
