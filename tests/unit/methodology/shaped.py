# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurer of services over a shaper with a queue, frame by frame; no packets, no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.delays.sustained import DelayReading, growth
from TesterLibrary.measurement.delays.undelayed_frames import ArrivalReading, InTime
from TesterLibrary.measurement.interval import Interval
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.services.service_colours import Offered
from TesterLibrary.model.units.units import Duration, Rate
from tests.counted import stream_counters

from .measured import EVIDENCE
from .policed_services import SIZE

_BEGIN_NS = 10**9
_POLL_NS = 20_000_000


@dataclass
class ShapedService:
    """All streams share nothing: each has such a shaper of its own."""

    bps: int  # at which frames leave it
    bucket: int = 0  # bytes that leave it at once
    room: int = 10**6  # frames that it holds; more are dropped
    delay_ns: int = 100_000
    straggler_ns: int = 0  # by which the last frame comes later

    def arrivals(self, rate: Rate, duration: Duration) -> tuple[list[int], list[tuple[int, int]]]:
        """When frames leave the tester, and when those that pass the shaper left it and arrive."""
        sent = ceil(duration.ns * rate.value / (8 * SIZE * 10**9))
        service = Fraction(8 * SIZE * 10**9, self.bps)
        credit_ns = Fraction(8 * self.bucket * 10**9, self.bps)
        left = [_BEGIN_NS + number * duration.ns // sent for number in range(sent)]
        due, came = Fraction(0), []
        for now in left:
            due = max(due, now - credit_ns)
            if due - now <= self.room * service:
                due += service
                came.append((now, int(max(due, now)) + self.delay_ns))
        came[-1] = (came[-1][0], came[-1][1] + self.straggler_ns)
        return left, came

    def emitted(self, rate: Rate, duration: Duration) -> int:
        """Frames that leave the shaper while frames are sent: the truth."""
        end_ns = _BEGIN_NS + duration.ns + self.delay_ns
        return sum(came < end_ns for _, came in self.arrivals(rate, duration)[1])

    def offer(self, rates: Mapping[str, Rate], duration: Duration) -> Offered:
        streams = [
            self._stream(number, name, rate, duration) for number, (name, rate) in enumerate(rates.items(), 1)
        ]
        return Offered(Trial(Fraction(1, 2), duration.ns, tuple(streams), EVIDENCE))

    def watch(
        self, rates: Mapping[str, Rate], duration: Duration, interval: Duration
    ) -> tuple[Trial, tuple[Interval, ...], str]:
        raise NotImplementedError

    def _stream(self, number: int, name: str, rate: Rate, duration: Duration) -> StreamResult:
        left, came = self.arrivals(rate, duration)
        delays = [arrived - sent for sent, arrived in came]
        buckets: dict[int, int] = {}
        for delay in delays:
            buckets[index_of(delay)] = buckets.get(index_of(delay), 0) + 1
        counted = stream_counters(
            id=number,
            intended_packets=len(left),
            tx_packets=len(left),
            tx_bytes=len(left) * SIZE,
            first_tx_ns=left[0],
            last_tx_ns=left[-1],
            rx_packets=len(came),
            rx_bytes=len(came) * SIZE,
            first_rx_ns=came[0][1],
            last_rx_ns=came[-1][1],
            latency=LatencyCounters(len(came), sum(delays), min(delays), max(delays), buckets),
        )
        arrivals, waits, passed, total = [], [], 0, 0
        for at in range(_BEGIN_NS, came[-1][1] + _POLL_NS, _POLL_NS):
            while passed < len(came) and came[passed][1] <= at:
                total += delays[passed]
                passed += 1
            if passed:
                arrivals.append(ArrivalReading(came[passed - 1][1], passed))
            if at <= left[-1]:
                waits.append(DelayReading(at, passed, total))
        grown = growth(waits, left[0], left[-1])
        in_time = InTime.of(counted, arrivals, grown)
        per_second = rate.value / (8 * SIZE)
        return StreamResult(name, "p1", "p2", SIZE, per_second, counted, growth=grown, in_time=in_time)
