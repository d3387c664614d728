# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""NDR and PDR by MLRsearch: devices with a capacity, and devices whose loss rises with the load."""

from __future__ import annotations

import random
from fractions import Fraction
from math import floor

from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.mlrsearch.laws import LossLaw, Repeated, rising
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge

_SECOND = 10**9


@judge
def mlrsearch(draw: random.Random) -> Case:
    """The truth is the most that the device delivers at a load that meets the goal."""
    losses = {"NDR": Fraction(0), "PDR": Fraction(draw.choice([1, 5, 50]), 1000)}
    goals = tuple(_goal(draw, name, loss) for name, loss in losses.items())
    name = draw.choice(["NDR", "PDR"])
    limit = draw.choice([Fraction(2), Fraction(2), Fraction(2), Fraction(draw.randint(1, 1000), 1000)])
    broken = draw.choice([(), (), (), (draw.randint(1, 20),)])
    if draw.random() < 0.6:
        capacity = Fraction(draw.randint(1, 1200), 1000)
        bucket = draw.choice([0, 0, 0, draw.randint(1, 100_000)])
        device = SimulatedMeasurer(
            capacity, bucket, draw.choice([Fraction(1), Fraction(1, 2)]), late=draw.random() < 0.5
        )
        most = Fraction(floor(capacity * LINE) + bucket + 1) / LINE
        about = f"{capacity=} {bucket=} {device.collapse=} {device.late=}"
    else:
        start, slope = Fraction(draw.randint(300, 1200), 1000), Fraction(draw.choice([1, 3, 20]))
        device = LossLaw(law=rising(start, slope))
        most = _most_delivered(start, slope, losses[name])
        about = f"{start=} {slope=}"
    device.tester_limit, device.broken_trials = limit, broken
    stability = Ratio(Fraction(draw.choice([0, 5, 5, 20]), 100))
    # In a few an attempt at each trial without loss lost frames while the tester paused. Nobody can tell
    # whose loss that was; a device that always loses has no NDR.
    (goal,) = (goal for goal in goals if goal.name == name)
    # In a few the first trials lose frames, as after a pause: the goal fails, and no load is the cause.
    cold = type(device) is SimulatedMeasurer and stability.value and limit > 1 and not broken
    device.cold_trials = draw.choice([0, 0, 1, 2]) if cold else 0
    measured_again, by_device = draw.random() < 0.1, draw.random() < 0.5
    measurer = Repeated(device) if measured_again else device
    if measured_again and by_device and name == "NDR":
        most = Fraction(0)
    result = find_goals(measurer, MultipleLossRatioSearch(goals, stability=stability))
    found = result.goal(name)
    bound = min(most, Fraction(1)) + draw.choice([-20, -5, -1, 0, 1, 5, 20]) * Fraction(1, 1000)
    bound = min(Fraction(1), max(Fraction(1, 1000), draw.choice([bound, bound, most, Fraction(1, 100)])))
    excuse = ""
    if (found.conditional_throughput or 0) < bound < (found.upper or 0):
        excuse = "between the bounds of the goal"
    if not found.regular:
        excuse = "an irregular result"
    if measured_again and name == "NDR":
        excuse = "loss that was measured again"
    reached: bool | None = bound <= most
    if device.cold_trials:
        excuse = excuse or "the first trials lost frames"
        if name == "NDR" and goal.exceed.value == 0 and stability.value <= most and reached:
            reached = None
    unit = draw.choice([RateUnit.LINE, RateUnit.PPS])
    asked = Rate(bound if unit is RateUnit.LINE else bound * LINE, unit)
    about = f"bound {bound} as {asked}; {about} {limit=} {broken=} {stability=} {device.cold_trials=}"
    about += f"; {result.search}"
    return Case(f"mlrsearch, {name}", reached, result.verdict_above(name, asked), excuse, about)


def _goal(draw: random.Random, name: str, loss: Fraction) -> SearchGoal:
    """Goals whose final trials last a second."""
    return SearchGoal(
        name,
        Ratio(loss),
        exceed=Ratio(Fraction(draw.choice([0, 20, 50]), 100)),
        initial_duration=Duration(draw.choice([_SECOND // 10, _SECOND])),
        final_duration=Duration(_SECOND),
        duration_sum=Duration(draw.choice([1, 2, 5]) * _SECOND),
        width=Ratio(Fraction(draw.choice([5, 10, 50]), 1000)),
    )


def _most_delivered(start: Fraction, slope: Fraction, allowed: Fraction) -> Fraction:
    """The maximum of load times (1 - loss) up to the highest load that loses no more than is allowed."""
    highest = min(Fraction(1), start + allowed / slope)
    load = min(highest, max(start, (1 / slope + start) / 2))  # beyond, it delivers less and less
    return load * (1 - max(Fraction(0), load - start) * slope)
