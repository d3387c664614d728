# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials without packets: a device of known capacity, and a tester that does its part up to a rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.snapshot import DepartureCounters, LatencyCounters, StreamCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Bandwidth, Duration
from tests.counted import stream_counters

GIGABIT = Bandwidth(10**9)


@dataclass
class SimulatedBench:
    """Forwards up to `capacity` frames/s; the tester reaches `tester_limit` frames/s."""

    frame_size: int = 64
    capacity: int = 300_000
    tester_limit: int = 10**9
    counts: bool = True  # False: a tester that has none of the counters that some testers lack
    trials: list[Trial] = field(default_factory=list)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        rate = load * GIGABIT.frames_per_second(self.frame_size)
        due = int(rate * duration.ns / 10**9)
        sent = min(due, self.tester_limit * duration.ns // 10**9)
        received = min(sent, self.capacity * duration.ns // 10**9)
        evidence = Evidence(
            intended_packets=due,
            offered_packets=sent,
            rate_error=Fraction(sent - due, due),
            tx_refused=0 if self.counts else None,
            rx_missed=0 if self.counts else None,
            kernel_dropped=0 if self.counts else None,
            worst_worker_gap_ns=120_000 if self.counts else None,
            worst_lateness_ns=4_000,
            clock_drift=Fraction(1, 10**7) if self.counts else None,
        )
        counters = (stream_counters if self.counts else StreamCounters)(
            id=1,
            intended_packets=due,
            tx_packets=sent,
            tx_bytes=sent * self.frame_size,
            first_tx_ns=1_000,
            last_tx_ns=1_000 + duration.ns,
            worst_lateness_ns=4_000,
            rx_packets=received,
            rx_bytes=received * self.frame_size,
            first_rx_ns=21_000,
            last_rx_ns=21_000 + duration.ns,
            latency=_latency(received),
            departures=_gap_errors(sent) if self.counts else None,
        )
        stream = StreamResult("north", "p1", "p2", self.frame_size, rate, counters)
        trial = Trial(
            load=load,
            duration_ns=duration.ns,
            streams=(stream,),
            evidence=evidence,
            objections=tuple(evidence.objections(EvidenceLimits())),
            started_at="2026-01-02T03:04:05.678+00:00",
            number=len(self.trials) + 1,
        )
        self.trials.append(trial)
        return trial


def _latency(count: int) -> LatencyCounters:
    """20 µs for nine frames of ten, 80 µs for the tenth."""
    if not count:
        return LatencyCounters()
    slow = count // 10
    buckets = {index_of(20_000): count - slow, **({index_of(80_000): slow} if slow else {})}
    total = 20_000 * (count - slow) + 80_000 * slow
    return LatencyCounters(count, total, 20_000, 80_000 if slow else 20_000, buckets)


def _gap_errors(count: int) -> DepartureCounters:
    """100 ns for nine gaps of ten, 600 ns for the tenth."""
    far = count // 10
    buckets = {100: count - far, 600: far}
    total = 100 * (count - far) + 600 * far
    return DepartureCounters(count, total, 600, {index: gaps for index, gaps in buckets.items() if gaps})
