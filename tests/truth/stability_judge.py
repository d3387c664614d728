# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Throughput of devices of which some lose frames at any load, searched with a look at a low load first."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge


@judge
def stability(draw: random.Random) -> Case:
    """A device with loss at any load has no throughput: PASS and FAIL are both false."""
    capacity = Fraction(draw.randint(1, 1200), 1000)
    bucket = draw.choice([0, 0, draw.randint(1, 100_000)])
    chance = draw.choice([0.0, draw.uniform(0.005, 0.5)])
    collapse = draw.choice([Fraction(1), Fraction(1, 2)])
    device = SimulatedMeasurer(capacity, bucket, collapse, chance, seed=draw.randrange(1000))
    device.cold_trials = draw.choice([0, 0, 1, 2])
    search = ThroughputSearch(
        resolution=Ratio(Fraction(1, draw.choice([20, 200]))),
        trial_duration=Duration(10**9),
        scout_duration=Duration(draw.choice([10**8, 10**9])),
        stability=Ratio(Fraction(draw.choice([1, 5, 20]), 100)),
    )
    repeat = draw.choice([1, 1, 2, 3])
    result = find_throughput(device, search, repeat=repeat)
    most = Fraction(floor(capacity * LINE) + bucket + 1) / LINE
    bound = max(
        Fraction(1, 1000),
        min(
            Fraction(1),
            draw.choice([most + search.resolution.value, most - search.resolution.value, Fraction(1, 2)]),
        ),
    )
    given = f"{capacity=} {bucket=} {chance=} {collapse=} {device.seed=} {device.cold_trials=} {repeat=}"
    about = f"bound {bound}; {given}; {search}; {result}"
    verdict = result.verdict_above(Rate(bound, RateUnit.LINE))
    if chance:
        # A bound above its capacity it does not reach, whatever it loses besides. It loses at the lowest
        # load, too. If it has no capacity for twice that, it forwards more at no load, which alone would show
        # that this loss does not come from the load: FAIL is right then, as of any device that loses frames.
        tells = most >= bound and most >= 2 * search.lowest.value
        truth = None if tells else False
        return Case("stability", truth, verdict, "unstable", about)
    reached = ceil(bound * LINE) <= most * LINE
    if device.cold_trials and search.low_load <= most:
        # What the check lost has another cause than the load, if a higher one passes.
        return Case("stability", None if reached else False, verdict, "unstable", about)
    between = (result.load or 0) < bound < (result.failed_load or Fraction(0))
    lowest = bound < search.lowest.value and not reached
    return Case("stability", reached, verdict, "between two loads" if between or lowest else "", about)
