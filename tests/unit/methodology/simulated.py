# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurer over a device and a tester whose truth is known; no packets, no time."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Bandwidth, Duration
from tests.counted import stream_counters

FRAME_SIZE = 64
LINE = Bandwidth(10**9).frames_per_second(FRAME_SIZE)


@dataclass
class SimulatedMeasurer:
    """A token bucket behind a tester. Loads and limits are parts of line rate."""

    capacity: Fraction = Fraction(1)
    bucket: int = 0  # frames that the device buffers: short bursts above capacity pass
    collapse: Fraction = Fraction(1)  # of its capacity, that an overloaded device still forwards
    random_loss: float = 0.0  # of each frame, for itself, at any load
    tester_limit: Fraction = Fraction(1)
    late: bool = False  # beyond its limit the tester sends every frame, but too slowly
    thrashing: Fraction = Fraction(1)  # of its limit, that a late tester still sends beyond it
    broken_trials: Collection[int] = ()  # by number, from 1: a worker stands still
    cold_trials: int = 0  # so many trials from the first on lose their first frames, as after a pause
    cold_frames: int = 3  # frames that each of them loses
    latency_ns: int = 10_000
    seed: int = 1
    asked: list[tuple[Fraction, Duration]] = field(default_factory=list)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        self.asked.append((load, duration))
        intended = ceil(load * LINE * duration.ns / 10**9)
        sent = intended if self.late else ceil(min(load, self.tester_limit) * LINE * duration.ns / 10**9)
        carried = floor(self.capacity * LINE * duration.ns / 10**9) + self.bucket + 1
        forwarded = sent if sent <= carried else floor(carried * self.collapse)
        received = forwarded - self._lost(forwarded)
        limits = EvidenceLimits()
        stalled = len(self.asked) in self.broken_trials
        evidence = Evidence(
            intended_packets=intended,
            offered_packets=sent,
            rate_error=self._rate_error(load) if self.late else Fraction(0),
            tx_refused=0,
            rx_missed=0,
            kernel_dropped=0,
            worst_worker_gap_ns=limits.max_worker_gap_ns + 1 if stalled else 0,
            worst_lateness_ns=0,
            clock_drift=Fraction(0),
        )
        return Trial(
            load=load,
            duration_ns=duration.ns,
            streams=(self._stream(load, intended, sent, received),),
            evidence=evidence,
            objections=tuple(evidence.objections(limits)),
            number=len(self.asked),
        )

    def _rate_error(self, load: Fraction) -> Fraction:
        return self.thrashing * self.tester_limit / load - 1 if load > self.tester_limit else Fraction(0)

    def _lost(self, frames: int) -> int:
        """How many of so many frames are lost at random: exact for few, normally distributed for many."""
        if len(self.asked) <= self.cold_trials:
            return min(frames, self.cold_frames)
        if not self.random_loss:
            return 0
        draw = random.Random(f"{self.seed} {len(self.asked)}")
        if frames < 1000:
            return sum(draw.random() < self.random_loss for _ in range(frames))
        mean = frames * self.random_loss
        return min(frames, max(0, round(draw.gauss(mean, (mean * (1 - self.random_loss)) ** 0.5))))

    def _stream(self, load: Fraction, intended: int, sent: int, received: int) -> StreamResult:
        latency = LatencyCounters(
            count=received,
            sum_ns=received * self.latency_ns,
            min_ns=self.latency_ns,
            max_ns=self.latency_ns,
            buckets={index_of(self.latency_ns): received},
        )
        return StreamResult(
            name="north",
            tx_port="p1",
            rx_port="p2",
            frame_size=FRAME_SIZE,
            intended_rate=load * LINE,
            rate_error=self._rate_error(load) if self.late else Fraction(0),
            counters=stream_counters(
                id=1,
                intended_packets=intended,
                tx_packets=sent,
                tx_bytes=sent * FRAME_SIZE,
                rx_packets=received,
                rx_bytes=received * FRAME_SIZE,
                latency=latency if received else LatencyCounters(),
            ),
        )
