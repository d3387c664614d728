# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How exactly the average rate is the one that was asked for."""

from __future__ import annotations

import time
from fractions import Fraction

from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.law import Departures, Steady
from TesterLibrary.model.pattern import Stage

from .harness.alternate import rate
from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark
from .harness.slope import Sample, sampled, slope
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
_SMALLEST = 1e-12  # a figure of a benchmark is above 0


@benchmark(unit="x allowed", bound=below(1, "x allowed"))
def rate_error(settings: Settings) -> Outcome:
    """|slope of departures - asked| / asked, worst of 1 kpps to 80 % of the capacity, even and in bursts"""
    runs, notes = [], []
    for kpps in _CABLE_KPPS:
        for stages in ((), (_BURSTS,)):
            load = load_average()
            error, allowed, arrivals = _on_cable(settings, Fraction(kpps, 10**6), stages)
            runs.append(Run(max(_SMALLEST, error / allowed), None, load))
            notes.append(f"{_name(kpps, stages)} {error:.1e} (arriving {arrivals:.1e})")
    capacity = _capacity(settings)
    for stages in ((), (_BURSTS,)):
        load = load_average()
        asked = Fraction(int(capacity * _SHARE_OF_CAPACITY), 10**9)
        error, allowed = _on_null(settings, asked, stages)
        runs.append(Run(max(_SMALLEST, error / allowed), None, load))
        notes.append(f"{_name(float(asked) * 1e6, stages)} {error:.1e}")
    worst = max(runs, key=lambda run: run.value)
    return Outcome((worst,), note="; ".join(notes))


def _name(kpps: float, stages: tuple[Stage, ...]) -> str:
    return f"{kpps:,.0f} kpps{' in bursts' if stages else ''}"


def _law(asked: Fraction, stages: tuple[Stage, ...]) -> Departures:
    tick = asked
    for stage in stages:
        tick /= stage.ratio
    return Departures(Steady(min(tick, Fraction(1)), stages))


def _capacity(settings: Settings) -> float:
    with engine.sending(_NULL) as sent:
        return rate(sent, settings.seconds, warm_up=_WARM_UP_S)


def _departures(snapshot: Snapshot) -> Sample:
    return snapshot.clock.raw_now_ns, snapshot.streams[0].tx_packets


def _error(samples: list[Sample], asked: Fraction) -> float:
    return abs(slope(samples) / float(asked) - 1)


def _allowed(samples: list[Sample]) -> float:
    """One packet of those counted, if that is more."""
    return max(_ALLOWED, 1 / (samples[-1][1] - samples[0][1]))


def _on_null(settings: Settings, asked: Fraction, stages: tuple[Stage, ...]) -> tuple[float, float]:
    """The error by the engine's counter, and what is allowed."""
    law = _law(asked, stages)
    with engine.following(_NULL, law) as target:
        time.sleep(_WARM_UP_S)
        (sent,) = sampled(lambda: (_departures(target.snapshot()),), _SECONDS * settings.seconds, _EVERY_S)
    return _error(sent, law.rate), _allowed(sent)


def _on_cable(settings: Settings, asked: Fraction, stages: tuple[Stage, ...]) -> tuple[float, float, float]:
    """The error of departures, what is allowed, and the error by the kernel's counter at the far end."""
    law = _law(asked, stages)
    with wire() as cable, engine.following(f"af_packet:{cable.interface}", law, enter=cable.enter) as target:

        def both() -> tuple[Sample, ...]:
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            arrived = cable.arrived()
            after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            return _departures(target.snapshot()), ((before + after) // 2, arrived)

        time.sleep(_WARM_UP_S)
        sent, received = sampled(both, _SECONDS * settings.seconds, _EVERY_S)
    return _error(sent, law.rate), _allowed(sent), _error(received, law.rate)
