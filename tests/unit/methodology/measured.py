# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials with known counters."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import Evidence
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Duration

EVIDENCE = Evidence(2000, 2000, Fraction(0), 0, 0, 0, 0, 0, Fraction(0))
SECOND = Duration(10**9)


def trial(*streams: StreamCounters, **changes: Any) -> Trial:
    """One second at half of line rate, 1000 frames/s a stream."""
    results = tuple(StreamResult(f"stream{c.id}", "p1", "p2", 64, Fraction(1000), c) for c in streams)
    return Trial(Fraction(1, 2), SECOND.ns, results, EVIDENCE, **changes)


def with_late_copies(measured: Trial, late_ns: int = 10**8, every: int = 50) -> Trial:
    """A trial of one stream, of each so many-th frame of which a copy arrived so much later."""
    (only,) = measured.streams
    counted = only.counters
    copies = counted.rx_packets // every
    latency = replace(
        counted.latency,
        count=counted.rx_packets + copies,
        sum_ns=counted.latency.sum_ns + copies * late_ns,
        max_ns=late_ns,
        buckets={**counted.latency.buckets, index_of(late_ns): copies},
    )
    order = replace(counted.order, duplicated=copies)
    changed = replace(counted, rx_packets=counted.rx_packets + copies, order=order, latency=latency)
    return replace(measured, streams=(replace(only, counters=changed),))


class OneTrial:
    """A measurer that returns it, whatever is asked."""

    def __init__(self, found: Trial) -> None:
        self.found = found
        self.asked: list[tuple[Fraction, Duration]] = []

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        self.asked.append((load, duration))
        return self.found
