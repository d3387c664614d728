# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The throughput that a device sustains: one with a long queue loses nothing and only gets slower."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from TesterLibrary.measurement.delays.sustained import DelayReading, Growth, growth
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge

_READINGS = 50
_ENDLESS = 10**9  # frames of queue


@dataclass
class _Queued(SimulatedMeasurer):
    """Serves `served` of line rate, and keeps all else until later."""

    served: Fraction = Fraction(1)
    noise_ns: int = 0

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = super().measure(load, duration)
        (stream,) = trial.streams
        return replace(trial, streams=(replace(stream, growth=self._growth(load, duration)),))

    def _growth(self, load: Fraction, duration: Duration) -> Growth | None:
        draw = random.Random(f"{self.seed} {load} {len(self.asked)}")
        # The device forwards as many frames during the trial as it can serve; the others wait.
        through = min(load, self.served)
        each = int(through * LINE * duration.ns / 10**9) // _READINGS
        readings = [DelayReading(0, 0, 0)]
        for number in range(1, _READINGS + 1):
            middle_ns = Fraction(duration.ns * (2 * number - 1), 2 * _READINGS)
            waited_ns = middle_ns * (1 - through / load)
            delay_ns = self.latency_ns + waited_ns + draw.randint(0, self.noise_ns)
            before, at_ns = readings[-1], duration.ns * number // _READINGS
            readings.append(DelayReading(at_ns, before.count + each, before.sum_ns + round(delay_ns * each)))
        return growth(readings, 0, duration.ns)


@judge
def sustained(draw: random.Random) -> Case:
    served = Fraction(draw.randint(50, 1200), 1000)
    asked = draw.random() < 0.8
    device = _Queued(
        bucket=_ENDLESS, served=served, noise_ns=draw.choice([0, 1000, 20_000]), seed=draw.getrandbits(30)
    )
    search = ThroughputSearch(
        resolution=Ratio(Fraction(1, draw.choice([20, 100]))),
        trial_duration=Duration(draw.choice([2, 10]) * 10**9),
        scout_duration=Duration(10**9),
        sustained=asked,
    )
    result = find_throughput(device, search)
    most = min(served, Fraction(1)) if asked else Fraction(1)
    step = search.resolution.value
    bound = max(Fraction(1, 1000), most + draw.choice([-5, -2, -1, 0, 2, 5]) * step)
    bound = min(Fraction(1), bound)
    reached = bound <= most
    between = (result.load or 0) < bound < (result.failed_load or 0)
    excuse = "between two loads of the search" if between else ""
    about = f"bound {bound}; {served=} {asked=} {device.noise_ns=}; {search}"
    verdict = result.verdict_above(Rate(bound, RateUnit.LINE))
    return Case("find_throughput, sustained", reached, verdict, excuse, about)
