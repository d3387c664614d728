# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials with a step of the load, and with known losses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.measurer import Step, Stepped
from TesterLibrary.model.units.units import Duration
from tests.counted import order_counters, stream_counters

from .measured import trial

RATE = 1000  # frames/s at line rate


@dataclass
class Steps:
    """Loses the frames of these numbers; `recovery_ns`, if given, all until so long after the step."""

    lost: frozenset[int] = frozenset()
    recovery_ns: int | None = None
    late_ns: int = 0
    objections: tuple[str, ...] = ()
    overtaken: frozenset[int] = frozenset()  # of these numbers, which arrive later than they should
    reordered: int | None = 0
    behind: int = 0  # frames that came again, or that nobody knows to have been overtaken
    counts: bool = True
    always: int = 0  # frames that it loses at the lower load without an overload
    unfit: tuple[str, ...] = ()  # objections to the trial at the lower load
    asked: list[Step] = field(default_factory=list)
    alone: list[tuple[Fraction, Duration]] = field(default_factory=list)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """The trial at the lower load."""
        self.alone.append((load, duration))
        sent = ceil(load * RATE * duration.ns / 10**9)
        counters = stream_counters(
            id=1,
            intended_packets=sent,
            tx_packets=sent,
            rx_packets=sent - self.always,
            order=order_counters(sent),
        )
        return replace(trial(counters), duration_ns=duration.ns, load=load, objections=self.unfit)

    def step(self, step: Step) -> tuple[Trial, tuple[Stepped, ...]]:
        self.asked.append(step)
        before = ceil(step.load * RATE * step.duration.ns / 10**9)
        after = ceil(step.after * RATE * step.after_duration.ns / 10**9)
        gap_ns = Fraction(step.after_duration.ns, after)
        lost = set(self.lost)
        if self.recovery_ns is not None:
            lost |= set(range(before // 2, before))
            lost |= {before + k for k in range(after) if k * gap_ns <= self.recovery_ns}
        sent = before + after
        arrived = [number for number in range(sent) if number not in lost]
        above = [number for number in arrived if number not in self.overtaken]  # all before
        skipped = set(range(above[0], above[-1])) - set(above) if above else set()
        counters = stream_counters(
            id=1,
            intended_packets=sent,
            tx_packets=sent,
            rx_packets=len(arrived),
            rx_out_of_order=self.reordered,
            worst_lateness_ns=self.late_ns,
            order=order_counters(above[-1] + 1 if above else 0, behind=(self.reordered or 0) + self.behind),
            outages=OutageCounters(last_sequence=max(skipped) + 1 if skipped else 0) if self.counts else None,
        )
        whole = Duration(step.duration.ns + step.after_duration.ns)
        found = replace(trial(counters), duration_ns=whole.ns, load=step.load, objections=self.objections)
        return found, (Stepped("stream1", before, gap_ns),)
