# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches on devices that remember: they lose frames after each pause, or change between two trials."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge, near

_ALWAYS = 10**6  # trials
_SECOND = Duration(10**9)


@dataclass
class ChangingMeasurer(SimulatedMeasurer):
    """Its device has another capacity from a trial on."""

    changes_at: int = 1  # the number of the first trial that meets the new capacity
    later: Fraction = Fraction(1)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        if len(self.asked) + 1 == self.changes_at:
            self.capacity = self.later
        return super().measure(load, duration)


def _search(draw: random.Random) -> ThroughputSearch:
    return ThroughputSearch(
        resolution=Ratio(Fraction(1, draw.choice([20, 100]))),
        trial_duration=_SECOND,
        scout_duration=Duration(draw.choice([10**8, 10**9])),
    )


@judge
def changed(draw: random.Random) -> Case:
    """The capacity changes during the search: what is above both is never reached, what is below both is."""
    earlier, later = (Fraction(draw.randint(50, 1100), 1000) for _ in range(2))
    device = ChangingMeasurer(earlier, changes_at=draw.randint(1, 15), later=later)
    search = _search(draw)
    result = find_throughput(device, search)
    step = search.resolution.value
    bound = draw.choice([max(earlier, later) + 2 * step, min(earlier, later) - step])
    bound = min(Fraction(1), max(Fraction(1, 100), bound))
    highest, lowest = (chosen(min(Fraction(1), earlier), min(Fraction(1), later)) for chosen in (max, min))
    reached = bound <= lowest
    if lowest < bound <= highest:
        bound, reached = lowest, True
    excuse = "the device changed" if 1 < device.changes_at <= len(device.asked) else ""
    if abs(bound - lowest) <= step or abs(bound - highest) <= step:
        excuse = excuse or "between two loads of the search"
    about = (
        f"bound {bound}; {earlier=} {later=} from trial {device.changes_at} of {len(device.asked)}; {search}"
    )
    verdict = result.verdict_above(Rate(bound, RateUnit.LINE))
    return Case("throughput of a device that changes", reached, verdict, excuse, about)


@judge
def after_pauses(draw: random.Random) -> Case:
    """After each pause it loses its first frames, at every load: it has no throughput without loss."""
    lost = draw.choice([0, 1, 3, 50])
    device = SimulatedMeasurer(Fraction(draw.randint(200, 1100), 1000), cold_trials=_ALWAYS, cold_frames=lost)
    search = _search(draw)
    result = find_throughput(device, search)
    step = search.resolution.value
    capacity = min(Fraction(1), device.capacity)
    bound = max(Fraction(1, 100), draw.choice([capacity - 2 * step, capacity / 2, step]))
    reached = not lost and bound <= capacity
    excuse = "the lowest load of the search" if bound <= search.lowest.value else ""
    about = f"bound {bound}; capacity {device.capacity}, {lost} frames after each pause; {search}; {result}"
    return Case(
        "throughput of a device after pauses",
        reached,
        result.verdict_above(Rate(bound, RateUnit.LINE)),
        excuse,
        about,
    )


@judge
def loss_after_pauses(draw: random.Random) -> Case:
    """The same as a loss, which a few frames of many are."""
    lost, load = draw.choice([0, 1, 3, 50]), Fraction(draw.randint(1, 100), 1000)
    device = SimulatedMeasurer(cold_trials=draw.choice([0, 1, _ALWAYS]), cold_frames=lost)
    trials = [device.measure(load, Duration(10**8)) for _ in range(draw.randint(1, 3))]
    sent = trials[0].sent
    worst = Fraction(min(lost, sent) if device.cold_trials else 0, sent)
    bound = min(Fraction(1), near(draw, worst, Fraction(1, sent)))
    about = (
        f"bound {bound}; {lost} of {sent} frames after a pause; {device.cold_trials} cold trials; line {LINE}"
    )
    return Case("loss after pauses", worst <= bound, loss_below(trials, Ratio(bound)), "", about)
