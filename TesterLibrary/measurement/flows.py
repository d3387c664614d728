# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The flows of a stream, each counted by itself: the worst of a million are found without keeping them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from heapq import nlargest
from itertools import count, repeat

from ..errors import PlanError
from .snapshot import FlowCounters


@dataclass(frozen=True)
class FlowResult:
    """One flow: frame k of a stream belongs to flow k modulo the number of its flows."""

    index: int  # from 0
    sent: int
    received: int
    received_bytes: int
    latency_sum_ns: int | None = None  # None: the tester counts latency by stream only
    latency_min_ns: int | None = None
    latency_max_ns: int | None = None

    @property
    def lost(self) -> int:
        """Frames sent and not received."""
        return max(0, self.sent - self.received)

    @property
    def loss(self) -> Fraction:
        """Frame loss rate, exact; 0 if nothing was sent."""
        return Fraction(self.lost, self.sent) if self.sent else Fraction(0)

    @property
    def latency_mean_ns(self) -> float | None:
        """Exact mean; None where nothing was received, or no latency is counted."""
        if self.latency_sum_ns is None or not self.received:
            return None
        return self.latency_sum_ns / self.received

    def __str__(self) -> str:
        text = f"flow {self.index}: lost {self.lost:,} of {self.sent:,}"
        if self.latency_mean_ns is not None:
            text += f", latency mean {self.latency_mean_ns:,.0f} ns max {self.latency_max_ns:,} ns"
        return text


def flows_of(chunks: Iterable[FlowCounters]) -> Iterator[FlowResult]:
    """Flows one by one, from the chunks in which a tester gives them."""
    for chunk in chunks:
        values = (chunk.tx_packets, chunk.rx_packets, chunk.rx_bytes)
        latency = (chunk.latency_sum_ns, chunk.latency_min_ns, chunk.latency_max_ns)
        counted = (repeat(None) if times is None else times for times in latency)
        yield from map(FlowResult, count(chunk.first), *values, *counted)


class FlowMeasure(Enum):
    """The quantity by which flows are compared; the worst flow has the most."""

    LOSS = "loss"
    MEAN_LATENCY = "mean latency"
    MAX_LATENCY = "max latency"


_MEASURES: dict[FlowMeasure, Callable[[FlowResult], Fraction | float]] = {
    FlowMeasure.LOSS: lambda flow: flow.loss,
    FlowMeasure.MEAN_LATENCY: lambda flow: flow.latency_mean_ns or 0,
    FlowMeasure.MAX_LATENCY: lambda flow: flow.latency_max_ns or 0,
}


def worst_flows(
    flows: Iterable[FlowResult], most: int, by: FlowMeasure = FlowMeasure.LOSS
) -> tuple[FlowResult, ...]:
    """The worst ones, the very worst first; of equal ones that with the lower index. Exact.

    Looks at each flow once and keeps `most` of them.

    Raises:
        PlanError: by latency, where the tester does not count that of flows.
    """
    measure = _MEASURES[by]
    worst = tuple(nlargest(most, flows, key=lambda flow: (measure(flow), -flow.index)))
    if by is not FlowMeasure.LOSS and any(flow.latency_sum_ns is None for flow in worst):
        raise PlanError(
            f"flows by {by.value}: this tester counts latency by stream, not by flow; take by=loss, or use "
            "a testerd"
        )
    return worst


@dataclass(frozen=True)
class FlowStatistics:
    """All flows of a stream at a glance."""

    flows: int = 0
    silent: int = 0  # flows that were sent and of which nothing arrived
    lossy: int = 0  # flows that lost a frame
    sent: int = 0
    received: int = 0
    least_received: int = 0  # frames received of the flow with the fewest
    most_received: int = 0

    @classmethod
    def of(cls, flows: Sequence[FlowResult]) -> FlowStatistics:
        """Statistics over these flows."""
        received = [flow.received for flow in flows] or [0]
        return cls(
            flows=len(flows),
            silent=sum(flow.sent > 0 and not flow.received for flow in flows),
            lossy=sum(flow.lost > 0 for flow in flows),
            sent=sum(flow.sent for flow in flows),
            received=sum(received),
            least_received=min(received),
            most_received=max(received),
        )

    def __add__(self, other: FlowStatistics) -> FlowStatistics:
        if not (self.flows and other.flows):
            return self if self.flows else other
        return FlowStatistics(
            flows=self.flows + other.flows,
            silent=self.silent + other.silent,
            lossy=self.lossy + other.lossy,
            sent=self.sent + other.sent,
            received=self.received + other.received,
            least_received=min(self.least_received, other.least_received),
            most_received=max(self.most_received, other.most_received),
        )

    def __str__(self) -> str:
        return (
            f"{self.flows:,} flows: {self.lossy:,} lost frames, of {self.silent:,} nothing arrived; "
            f"{self.least_received:,} to {self.most_received:,} frames received a flow"
        )


@dataclass(frozen=True)
class FlowSummary:
    """Statistics of the flows of a stream, and its worst flows."""

    statistics: FlowStatistics = FlowStatistics()
    worst: tuple[FlowResult, ...] = ()  # the very worst first

    @classmethod
    def of(
        cls, chunks: Iterable[FlowCounters], most: int = 10, by: FlowMeasure = FlowMeasure.LOSS
    ) -> FlowSummary:
        """The summary of all flows from a tester; each is looked at once, and only one chunk is kept."""
        statistics = FlowStatistics()
        worst: tuple[FlowResult, ...] = ()
        for chunk in chunks:
            flows = list(flows_of([chunk]))
            statistics += FlowStatistics.of(flows)
            worst = worst_flows([*worst, *flows], most, by)
        return cls(statistics, worst)
