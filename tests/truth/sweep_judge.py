# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frame loss at a load, by a sweep that may have tried only lower and higher ones."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.methodology.frame_loss import FrameLossSweep, sweep_frame_loss
from TesterLibrary.model.units.units import Duration, Ratio
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge


@judge
def sweep(draw: random.Random) -> Case:
    capacity = Fraction(draw.randint(10, 1100), 1000)
    bucket = draw.choice([0, 0, draw.randint(1, 100_000)])
    step = Fraction(draw.choice([2, 5, 10]), 100)
    close = draw.choice([capacity, Fraction(draw.randint(1, 1000), 1000), step * draw.randint(1, 10)])
    load = min(Fraction(1), max(Fraction(1, 1000), close + Fraction(draw.randint(-3, 3), 1000)))
    tried = draw.random() < 0.3
    bound = draw.choice([Fraction(0), Fraction(0), Fraction(draw.randint(1, 300), 1000)])
    plan = FrameLossSweep(Ratio(step), trial_duration=Duration(10**9), at=Ratio(load) if tried else None)
    result = sweep_frame_loss(SimulatedMeasurer(capacity, bucket), plan)
    sent = ceil(load * LINE)
    lost = max(0, sent - floor(capacity * LINE) - bucket - 1)
    excuse = "" if any(trial.load == load for trial in result.trials) else "not tried"
    return Case(
        "sweep",
        Fraction(lost, sent) <= bound,
        result.verdict_below(Ratio(bound), at=Ratio(load)),
        excuse,
        f"{capacity=} {bucket=} {load=} {bound=}; {plan}; {result}",
    )
