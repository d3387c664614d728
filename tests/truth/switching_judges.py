# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 2889: forwarding rates, head-of-line blocking, address tables and their rates of learning."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.congestion import CongestionTest, measure_congestion
from TesterLibrary.methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingSweep,
    find_forwarding_rate,
)
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer
from tests.unit.methodology.switching import CongestedSwitch, LearningSwitch

from .case import Case

_SECOND = Duration(10**9)
_HIGHEST = 512  # addresses of a search


def forwarding_rate(draw: random.Random) -> Case:
    """The truth is what the device forwards of the loads that are offered."""
    capacity, collapse = Fraction(draw.randint(1, 120), 100), Fraction(draw.randint(1, 100), 100)
    limit = draw.choice([Fraction(1), Fraction(1), Fraction(draw.randint(1, 100), 100)])
    device = SimulatedMeasurer(capacity, collapse=collapse, tester_limit=limit)
    sweep = ForwardingSweep(
        Ratio(Fraction(draw.randint(1, 100), 100)), step=Ratio.parse("10 %"), duration=_SECOND
    )
    figure = draw.choice([*ForwardingFigure])
    loads = sweep.loads[:1] if figure is ForwardingFigure.AT_MAXIMUM_LOAD else sweep.loads
    carried = floor(capacity * LINE) + 1
    offered = [ceil(load * LINE) for load in loads]
    truth = max(sent if sent <= carried else floor(carried * collapse) for sent in offered)
    bound = Rate(Fraction(max(1, truth + draw.choice([-1000, -1, 0, 1, 1000]))), RateUnit.PPS)
    verdict = find_forwarding_rate(device, sweep).verdict_above(figure, bound)
    excuse = "the tester's limit" if limit < 1 else ""
    if bound.value > max(loads) * LINE:
        excuse = "more than was offered"
    return Case(figure.value, truth >= bound.value, verdict, excuse, f"{device} {sweep} {bound}")


def blocking(draw: random.Random) -> Case:
    """The truth is whether congestion costs a frame of another stream."""
    switch = CongestedSwitch(
        blocked=draw.choice([Fraction(0), Fraction(draw.randint(1, 1000), 1000), Fraction(1, 100_000)]),
        lost_alone=draw.choice([0, 0, 0, 1, 100]),
        line=draw.choice([Fraction(1), Fraction(1), Fraction(draw.randint(50, 200), 100)]),
        busy=draw.random() < 0.1,
    )
    load = Ratio(draw.choice([Fraction(1), Fraction(draw.randint(1, 100), 100)]))
    test = CongestionTest("uncongested", ("half congested", "congested"), load, _SECOND)
    result = measure_congestion(replace(switch, both=False), switch, test)
    half = round(10_000 * load.value)
    congested = switch.is_congested(load.value, _SECOND)
    lost = int(half * switch.blocked)
    excuse = "it was busy" if switch.busy else "" if congested else "no congestion"
    excuse = excuse or ("loss without congestion" if switch.lost_alone else "")
    truth = None if not congested or switch.lost_alone else lost == 0
    return Case("head-of-line blocking", truth, result.verdict_no_blocking(), excuse, f"{switch} {test}")


def address_capacity(draw: random.Random) -> Case:
    """The truth is the number of entries of the table."""
    switch = _switch(draw, draw.randint(3, 600))
    disturbed = _disturb(draw, switch)
    resolution = Ratio(draw.choice([Fraction(0), Fraction(0), Fraction(1, 10)]))
    result = find_address_capacity(
        switch,
        "p1",
        lowest=draw.choice([1, 16]),
        highest=_HIGHEST,
        rate=Frequency(Fraction(1000)),
        resolution=resolution,
    )
    bound = max(1, switch.entries + draw.choice([-50, -1, 0, 1, 2, 50]))
    excuse = "the tester was disturbed" if disturbed else ""
    if bound > result.capacity and result.failed is None:
        excuse = "more than were tried"
    elif result.capacity < bound < (result.failed or 0) + result.own:
        excuse = "between the bounds of the search"
    truth = switch.entries >= bound
    return Case("address capacity", truth, result.verdict_above(bound), excuse, f"{switch} {bound}")


def address_learning_rate(draw: random.Random) -> Case:
    """The truth is the rate of the table; a rate a hair above it is missed by no address of so few."""
    rate, addresses = draw.randint(1000, 80_000), draw.choice([50, 200, 500])
    switch = _switch(draw, draw.choice([1000, 1000, 1000, 600]))
    switch.rate, switch.forgets = rate, draw.random() < 0.8
    disturbed = _disturb(draw, switch)
    result = find_address_learning_rate(switch, "p1", addresses=addresses, lowest=1000, highest=64_000)
    factor = Fraction(draw.choice([50, 90, 98, 110, 150]), 100)
    bound = Frequency(rate * factor)
    excuse = "the tester was disturbed" if disturbed else ""
    if result.failed is None:
        excuse = "no higher rate was tried"
    elif result.passed < bound.per_second < result.failed:
        excuse = "between the bounds of the search"
    if not switch.forgets:
        excuse = excuse or "a table that forgets nothing is full"
    truth = factor <= 1
    return Case("address learning rate", truth, result.verdict_above(bound), excuse, f"{switch} {bound}")


def _switch(draw: random.Random, entries: int) -> LearningSwitch:
    return LearningSwitch(entries, sees_flooding=draw.random() < 0.95)


def _disturb(draw: random.Random, switch: LearningSwitch) -> bool:
    """Disturbs the tester in some checks, or in all; says whether it may matter."""
    checks = draw.choice([frozenset[int](), frozenset({draw.randint(1, 9)}), frozenset(range(1, 99))])
    if draw.random() < 0.5:
        switch.busy = checks
    else:
        switch.deaf = checks
    return len(checks) > 1 or not switch.sees_flooding
