# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One stream through a simulated device, frame by frame. It leaves the tester as one of the fake does."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil

from ...measurement.capture import CapturedFrame
from ...measurement.snapshot import (
    DepartureCounters,
    LatencyCounters,
    StreamCounters,
    VersionCounters,
)
from ...model.plan.law import Law, Steady
from ...model.plan.plan import PlannedStream
from ..fake.stream import FakeStream
from .arrivals import Arrivals
from .drops import StreamDrops
from .path import SimulatedPath

_Departure = tuple[int, int, int, bool]  # time, number from 0, bytes with FCS, whether the links are up


class SimulatedStream(FakeStream):
    """A stream since its last start, and its frames that are on their way."""

    def __init__(self, planned: PlannedStream, path: SimulatedPath, *, overtaking: bool) -> None:
        super().__init__(planned, delay_ns=0, phase=Fraction(0))
        self._path = path
        self._drops = StreamDrops(planned, path.drops) if path.drops else None
        self._overtaking = overtaking
        self._begin()

    def start(self, now_ns: int, *, duration_ns: int | None, packets: int | None) -> None:
        """See FakeStream."""
        super().start(now_ns, duration_ns=duration_ns, packets=packets)
        self._begin()

    def _begin(self) -> None:
        self._departures_left: Iterator[_Departure] | None = None
        self._next: _Departure | None = None
        self._left = 0  # frames that have left
        self._on_way: list[tuple[int, int, int, int, int]] = []  # (arrival, number, left, size, version)
        self._seen = Arrivals(overtaking=self._overtaking)
        self._by_version = [[0, 0, 0], [0, 0, 0]]

    def next_departure(self, now_ns: int) -> int | None:
        """When the next frame leaves; None if that is not before this instant."""
        if self._next is None:
            if self._departures_left is None:
                self._departures_left = self._departures_until(now_ns)
            self._next = next(self._departures_left, None)
            if self._next is None:
                self._departures_left = None
                return None
        return self._next[0]

    def depart(self) -> None:
        """The next frame leaves and enters the device."""
        assert self._next is not None
        (left_ns, number, size, linked), self._next = self._next, None
        self._left = number + 1
        version = bisect_right(self._flips, left_ns) % 2 if self._flips else 0
        counted = self._by_version[version]
        counted[0] += 1
        counted[1] += size
        counted[2] += left_ns
        dropped = self._drops and self._drops.take(left_ns, self._path.line_ns(size), number, size)
        if linked and not dropped:
            for out_ns in self._path.forward(left_ns, size):
                heappush(self._on_way, (out_ns, number, left_ns, size, version))

    def arrive(self, now_ns: int) -> None:
        """Counts the frames that have arrived up to an instant."""
        while self._on_way and self._on_way[0][0] <= now_ns:
            came_ns, number, left_ns, size, version = heappop(self._on_way)
            self._seen.add(number, left_ns, came_ns, size, version)

    def everything(self) -> StreamCounters:
        """See FakeStream."""
        seen = deepcopy(self._seen) if self._on_way else self._seen
        for came_ns, number, left_ns, size, version in sorted(self._on_way):
            seen.add(number, left_ns, came_ns, size, version)
        return self._counters(seen, self.ends_ns or 0)

    def received(self, now_ns: int) -> int:  # noqa: ARG002 - the stream is always asked for now
        """See FakeStream."""
        return self._seen.order.next_sequence or 0

    def arrived(self, now_ns: int) -> StreamCounters:
        """See FakeStream. The frames of the instant have been simulated before."""
        return self._counters(self._seen, now_ns)

    def _counters(self, seen: Arrivals, now_ns: int) -> StreamCounters:
        intended = self._counts(now_ns)[0]
        sent, signed = self._left, self.planned.signature
        versions = tuple(
            VersionCounters(*left, *came)
            for left, came in zip(self._by_version, seen.by_version, strict=True)
        )
        return StreamCounters(
            id=self.planned.id,
            intended_packets=intended,
            tx_packets=sent,
            tx_bytes=self._bytes(sent),
            first_tx_ns=self._left_at(1) if sent else 0,
            last_tx_ns=self._left_at(sent) if sent else 0,
            worst_lateness_ns=max(0, int((intended - sent) / self.planned.rate)),
            rx_packets=seen.frames,
            rx_bytes=seen.octets,
            first_rx_ns=seen.first_ns,
            last_rx_ns=seen.last_ns,
            latency=seen.latency if signed else LatencyCounters(),
            sending=self.sending,
            departures=DepartureCounters(sent - 1, buckets={0: sent - 1})
            if sent > 1
            else DepartureCounters(),
            rx_misrouted=0,
            rx_misrouted_by_port=(),
            rx_misrouted_behind=(),
            rx_out_of_order=seen.reordered,
            rx_version_rewritten=0,
            rx_corrupted=0,
            rx_wrong_length=0,
            rx_wrong_headers=0,
            rx_fragments=0,
            order=seen.order if signed else Arrivals(overtaking=False).order,
            outages=seen.outages,
            versions=versions if self.planned.version else (),
            open_version=self.version if self.planned.version else 0,
        )

    def sightings(self, since_ns: int, until_ns: int) -> Iterator[CapturedFrame]:  # noqa: ARG002
        """Nothing captures here: the tester refuses it."""
        return iter(())

    def _departures_until(self, now_ns: int) -> Iterator[_Departure]:
        """The frames that leave from now on and before an instant."""
        sent, number = self._counts(now_ns)[1], self._left
        while number < sent:
            leg = self._leg_of(number + 1)
            ends = min((each.sent for each in self._legs if each.sent > number), default=sent)
            planned, linked = leg.law.planned, leg.pace.forwarded > 0
            size = planned.octets(1) if len(planned.sizes) == 1 else 0
            begins_ns = leg.law.began_ns + planned.departures.offset_ns
            tick = _tick(planned.departures.law) if leg.pace.reached == 1 else None
            before = ceil(leg.offered) - leg.intended + leg.law.intended
            for each in range(number, min(sent, ends)):
                if tick:  # the same as below in whole numbers, which takes a tenth of the time
                    left_ns = begins_ns - -(each - before) * tick.denominator // tick.numerator
                else:
                    left_ns = self._left_at(each + 1)
                place = each - leg.law.sent
                yield left_ns, each, size or planned.octets(place + 1) - planned.octets(place), linked
            number = min(sent, ends)


def _tick(law: Law) -> Fraction | None:
    """The frames each nanosecond of a law that has one constant rate."""
    return law.tick if isinstance(law, Steady) and not law.stages else None
