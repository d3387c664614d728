# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurer of services over a policer whose buckets are known; no packets, no time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.services.service_colours import Offered
from TesterLibrary.model.units.units import Duration, Rate
from tests.counted import stream_counters

from .measured import EVIDENCE

SIZE = 512
BUSY = ("the tester was busy",)


@dataclass
class PolicedServices:
    """Each stream has a bucket of its own, which is full when a trial begins; or shares that of another."""

    rates: Mapping[str, int]  # bits/s that pass; a stream without one is not limited
    bucket: int = 4 * SIZE  # bytes
    lost_every: int = 0  # of so many frames one is lost besides; 0: none
    delay_ns: int = 100_000
    slow_ns: int = 0  # that every hundredth frame takes besides
    busy: bool = False  # the tester
    pause_ns: int = 0  # of the tester, by which frames left late
    severe: Collection[int] = ()  # intervals, from 0, in which three of four frames are lost
    asked: list[Mapping[str, Rate]] = field(default_factory=list)

    def passed(self, name: str, rate: Rate, duration: Duration) -> tuple[int, int]:
        """The frames of a stream that are sent in a trial, and those that pass, worked out one by one."""
        sent = ceil(duration.ns * rate.value / (8 * SIZE * 10**9))
        if name not in self.rates:
            passed = sent
        else:  # in whole numbers: all are multiplied by the rate at which frames come
            full, frame = self.bucket * rate.value.numerator, SIZE * rate.value.numerator
            credit, filled, passed = full, SIZE * self.rates[name] * rate.value.denominator, 0
            for number in range(sent):
                credit = min(full, credit + filled) if number else full
                if credit >= frame:
                    credit, passed = credit - frame, passed + 1
        return sent, passed - (passed // self.lost_every if self.lost_every else 0)

    def offer(self, rates: Mapping[str, Rate], duration: Duration) -> Offered:
        return Offered(self._trial(rates, duration))

    def _trial(self, rates: Mapping[str, Rate], duration: Duration) -> Trial:
        self.asked.append(rates)
        streams = []
        for number, (name, rate) in enumerate(rates.items(), start=1):
            sent, passed = self.passed(name, rate, duration)
            streams.append(self._stream(number, name, rate, sent, passed))
        return Trial(Fraction(1, 2), duration.ns, tuple(streams), EVIDENCE, BUSY if self.busy else ())

    def watch(
        self, rates: Mapping[str, Rate], duration: Duration, interval: Duration
    ) -> tuple[Trial, tuple[Interval, ...], str]:
        trial = self._trial(rates, duration)
        intervals = tuple(
            Interval(
                number + 1,
                number * interval.ns,
                (number + 1) * interval.ns,
                0,
                tuple(self._interval(name, severe=number in self.severe) for name in rates),
                (),
            )
            for number in range(duration.ns // interval.ns)
        )
        return trial, intervals, ""

    def _interval(self, name: str, *, severe: bool) -> StreamInterval:
        arrived = 25 if severe else 100
        delay = BlindDelay(Passages(100), Passages(arrived), 10**9)
        return StreamInterval(name, 100, arrived, arrived * SIZE, delay)

    def _stream(self, number: int, name: str, rate: Rate, sent: int, passed: int) -> StreamResult:
        slow = passed // 100 if self.slow_ns else 0
        late = self.delay_ns + self.slow_ns
        buckets = {index_of(self.delay_ns): passed - slow}
        if slow:
            buckets[index_of(late)] = slow
        latency = LatencyCounters(
            count=passed,
            sum_ns=passed * self.delay_ns + slow * self.slow_ns,
            min_ns=self.delay_ns,
            max_ns=late if slow else self.delay_ns,
            buckets=buckets,
        )
        counted = stream_counters(
            id=number,
            intended_packets=sent,
            tx_packets=sent,
            tx_bytes=sent * SIZE,
            rx_packets=passed,
            rx_bytes=passed * SIZE,
            worst_lateness_ns=self.pause_ns,
            latency=latency if passed else LatencyCounters(),
        )
        return StreamResult(name, "p1", "p2", SIZE, rate.value / (8 * SIZE), counted)
