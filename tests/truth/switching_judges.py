# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 2889: forwarding rates, head-of-line blocking, address tables and their rates of learning."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.congestion import CongestionTest, measure_congestion
from TesterLibrary.methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingSweep,
    find_forwarding_rate,
)
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.counted import stream_counters
from tests.unit.methodology.measured import EVIDENCE
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer
from tests.unit.methodology.switching import CongestedSwitch, LearningSwitch

from .case import Case, judge

_SECOND = Duration(10**9)
_HIGHEST = 512  # addresses of a search
_RECEIVERS = ("p2", "p3", "p4")


@judge
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


@judge
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


@judge
def address_capacity(draw: random.Random) -> Case:
    """The truth is the number of entries of the table."""
    switch = _switch(draw, draw.randint(3, 600))
    switch.ageing_ns = draw.choice([None, None, draw.randint(500, 1500) * 10**6])
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
    elif result.capacity < bound < (result.failed or 0) + result.port_addresses:
        excuse = "between the bounds of the search"
    if switch.ageing_ns is not None:
        excuse = excuse or "it forgets before the time that was given"
    truth = None if _contradicts(switch) and result.passed else switch.entries >= bound
    excuse = excuse or "the first checks failed" * bool(switch.cold)
    return Case("address capacity", truth, result.verdict_above(bound), excuse, f"{switch} {bound}")


@judge
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
    truth = None if _contradicts(switch) and result.passed else factor <= 1
    excuse = excuse or "the first checks failed" * bool(switch.cold)
    return Case("address learning rate", truth, result.verdict_above(bound), excuse, f"{switch} {bound}")


@judge
def broadcast(draw: random.Random) -> Case:
    """The truth is the part of the frames that missed one of three ports."""
    chance = draw.choice([0.0, 0.0, 0.001, 0.1, 1.0])
    frames = [tuple(draw.random() >= chance for _ in _RECEIVERS) for _ in range(draw.choice([10, 200]))]
    if draw.random() < 0.2:  # one port gets nothing
        frames = [(second, third, False) for second, third, _ in frames]
    arrived = [sum(frame[place] for frame in frames) for place in range(3)]
    again = sum(frame[1] and draw.random() < 0.5 for frame in frames) if draw.random() < 0.2 else 0
    arrived[1] += again  # copies at the second port, which may be as many as it misses
    seen = tuple(port for port, count in zip(_RECEIVERS, arrived, strict=True) if count)
    misrouted = arrived[1] + arrived[2]
    counts = draw.random() < 0.9
    counted = stream_counters(
        id=1,
        tx_packets=len(frames),
        rx_packets=arrived[0],
        rx_misrouted=misrouted if counts else None,
        rx_misrouted_ports=tuple(port for port in seen if port != "p2"),
        rx_misrouted_by_port=tuple(count for count in arrived[1:] if count) if counts else None,
        rx_misrouted_behind=((again, 0) if arrived[1] else (0,)) if counts else None,
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1000), counted, copies=_RECEIVERS[1:])
    found = Trial(Fraction(1, 2), _SECOND.ns, (stream,), EVIDENCE)
    truth = Fraction(sum(not all(frame) for frame in frames), len(frames))
    bound = Ratio(draw.choice([Fraction(0), truth, Fraction(1, 100), Fraction(1, 2)]))
    excuse = "" if counts else "other ports are not counted"
    if not any(arrived):
        excuse = excuse or "nothing arrived"
    least, most = stream.order.loss_bounds or (0, 0)
    if least != most and least <= bound.value * len(frames) < most:
        excuse = excuse or "several copies may be of one frame"
    about = f"{arrived} of {len(frames)} {counts=} {bound}"
    return Case("broadcast loss", truth <= bound.value, loss_below([found], bound), excuse, about)


def _switch(draw: random.Random, entries: int) -> LearningSwitch:
    return LearningSwitch(entries, sees_flooding=draw.random() < 0.95, cold=draw.choice([0, 0, 0, 0, 1, 2]))


def _contradicts(switch: LearningSwitch) -> bool:
    """Whether the first check failed by nothing that the tester did, and a later one of as many passed."""
    return bool(switch.cold) and switch.sees_flooding and not switch.busy | switch.deaf


def _disturb(draw: random.Random, switch: LearningSwitch) -> bool:
    """Disturbs the tester in some checks, or in all; says whether it may matter."""
    checks = draw.choice([frozenset[int](), frozenset({draw.randint(1, 9)}), frozenset(range(1, 99))])
    if draw.random() < 0.5:
        switch.busy = checks
    else:
        switch.deaf = checks
    return len(checks) > 1 or not switch.sees_flooding
