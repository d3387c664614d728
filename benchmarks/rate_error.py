# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How exactly the average rate is the one that was asked for."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import NamedTuple

from TesterLibrary.measurement.snapshot import ClockCounters, Snapshot
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import Departures, Steady

from .harness.alternate import rate
from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark
from .harness.slope import Sample, sampled, slope, undisturbed
from .harness.wire import wire
from .senders import engine

_NULL = "vdev:net_null0"
_CABLE_KPPS = (1, 10, 100)
_SHARE_OF_CAPACITY = Fraction(8, 10)
_BURSTS = Stage(4, 6)  # peak 2.5 times the average
_ALLOWED = 1e-6
_SECONDS = 10  # for each second of Settings.seconds
_EVERY_S = 0.02
_WARM_UP_S = 0.3
_SPARE_S = 4.0  # there is room for arrivals of so much more time
_ARRIVALS = 10_000  # arrivals that are looked at
_LOOKS = 3
_SMALLEST = 1e-12  # a figure of a benchmark is above 0


class _Found(NamedTuple):
    error: float  # of the rate of departures
    allowed: float
    used: float  # part of the samples that were not disturbed
    arriving: float | None = None  # error of the rate of arrivals
    interrupted: str = ""


@benchmark(unit="x allowed", bound=below(1, "x allowed"))
def rate_error(settings: Settings) -> Outcome:
    """|slope of departures - asked| / asked, worst of 1 kpps to 80 % of the capacity, even and in bursts"""
    runs, notes = [], []
    asked = [(Fraction(kpps, 10**6), _on_cable) for kpps in _CABLE_KPPS]
    asked.append((_SHARE_OF_CAPACITY * int(_capacity(settings)) / 10**9, _on_null))
    for rate_, measured in asked:
        for stages in ((), (_BURSTS,)):
            load = load_average()
            found = measured(settings, _law(rate_, stages))
            runs.append(Run(max(_SMALLEST, found.error / found.allowed), None, load))
            notes.append(
                f"{float(rate_) * 1e6:,.0f} kpps{' in bursts' if stages else ''} {_described(found)}"
            )
    worst = max(runs, key=lambda run: run.value)
    return Outcome((worst,), note="; ".join(notes))


def _described(found: _Found) -> str:
    arriving = "" if found.arriving is None else f", arriving {found.arriving:.1e}"
    return f"{found.error:.1e}{arriving} ({found.used:.0%} of samples; {found.interrupted})"


def _law(asked: Fraction, stages: tuple[Stage, ...]) -> Departures:
    tick = asked
    for stage in stages:
        tick /= stage.ratio
    return Departures(Steady(min(tick, Fraction(1)), stages))


def _capacity(settings: Settings) -> float:
    """The least of several looks: what this machine has at all times."""
    with engine.sending(_NULL) as sent:
        return min(rate(sent, settings.seconds, warm_up=_WARM_UP_S) for _ in range(_LOOKS))


def _departure(snapshot: Snapshot) -> Sample:
    """The time of the last departure so far, by CLOCK_MONOTONIC_RAW, and the number of departures."""
    clock, stream = snapshot.clock or ClockCounters(), snapshot.streams[0]
    return clock.raw_now_ns - (clock.engine_now_ns - stream.last_tx_ns), stream.tx_packets


def _interrupted(before: Snapshot, after: Snapshot) -> str:
    first, worker, stream = before.workers[0], after.workers[0], after.streams[0]
    lost_ms = (worker.waited_ns + worker.steal_ns - first.waited_ns - first.steal_ns) / 1e6
    owed = stream.intended_packets - stream.tx_packets
    taken = worker.preemptions - first.preemptions
    return f"CPU taken {taken} times, {lost_ms:.0f} ms; {owed:,} frames behind"


def _judged(sent: list[Sample], law: Departures) -> _Found:
    """One packet of those counted is allowed, if that is more."""
    kept = undisturbed(sent)
    allowed = max(_ALLOWED, 1 / (sent[-1][1] - sent[0][1]))
    return _Found(abs(slope(kept) / float(law.rate) - 1), allowed, len(kept) / len(sent))


def _on_null(settings: Settings, law: Departures) -> _Found:
    with engine.following(_NULL, law) as target:
        time.sleep(_WARM_UP_S)
        begin = target.snapshot()
        (sent,) = sampled(lambda: (_departure(target.snapshot()),), _SECONDS * settings.seconds, _EVERY_S)
        end = target.snapshot()
    return _judged(sent, law)._replace(interrupted=_interrupted(begin, end))


def _on_cable(settings: Settings, law: Departures) -> _Found:
    """The kernel's stamps at the far end say what arrives."""
    most = int(law.rate * 10**9 * (_SECONDS * settings.seconds + _SPARE_S))
    with (
        wire() as cable,
        cable.stamped(most) as arrivals,
        engine.following(f"af_packet:{cable.interface}", law, enter=cable.enter) as target,
    ):
        time.sleep(_WARM_UP_S)
        begin = target.snapshot()
        (sent,) = sampled(lambda: (_departure(target.snapshot()),), _SECONDS * settings.seconds, _EVERY_S)
        end = target.snapshot()
        stamps = arrivals()
    every = max(1, len(stamps) // _ARRIVALS)
    received = [(stamps[number], number) for number in range(0, len(stamps), every)]
    arriving = abs(slope(undisturbed(received)) / float(law.rate) - 1)
    return _judged(sent, law)._replace(arriving=arriving, interrupted=_interrupted(begin, end))
