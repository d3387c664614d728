# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every law of departures on every target: as many frames as are due, and those that are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, sqrt
from statistics import correlation, fmean, pstdev

import pytest
from _pytest.mark.structures import ParameterSet

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.delays.histogram import bounds_of
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import (
    Departures,
    Law,
    Profile,
    Script,
    ScriptMessage,
    Steady,
    Stretch,
    even,
)
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.plan.random_law import Exponential, OnOff, Quantiles, Random, RandomTimes
from TesterLibrary.model.units.units import Duration

from .rig import PATIENCE, Rig

FIFTH = Duration(2 * 10**8)
MICROSECOND = 1000
LAWS = {
    "constant": Steady(Fraction(1, 100 * MICROSECOND)),
    "bursts": Steady(Fraction(1, 40 * MICROSECOND), (Stage(4, 6),)),
    "cascade": Steady(Fraction(1, 10 * MICROSECOND), (Stage(4, 6), Stage(5, 2), Stage(3, 1))),
    "profile": Profile((Stretch(10**7, 400), Stretch(10**6, 0), Stretch(5 * 10**6, 7))),
    "step": Profile((Stretch(5 * 10**6, 50), Stretch(4 * 10**7, 100)), repeat=False, shape="step"),
    "poisson": Random(7, Exponential(100.0 * MICROSECOND)),
    "uniform": Random(8, Quantiles((0.0, 1.0), (50_000.0, 150_000.0))),
    "cdf": Random(9, Quantiles((0.0, 0.5, 0.5, 1.0), (10_000.0, 20_000.0, 100_000.0, 400_000.0))),
    "on-off": Random(10, OnOff(Fraction(1, 20 * MICROSECOND), 10.0**6, 3.0 * 10**6)),
    "messages": Script((ScriptMessage(10**6, 5, 10**5), ScriptMessage(10**5, 3, 0))),
}
ENDING = {
    "profile": replace(LAWS["profile"], repeat=False),
    "step": LAWS["step"],
    "messages": replace(LAWS["messages"], repeat=False),
}
DRAWN = ("poisson", "uniform", "cdf")  # by a switch from quantiles, not as the seed says
ON_A_SWITCH = ("constant", "bursts", "step", *DRAWN)  # its units pass and skip, two for a pattern


def laws(given: Mapping[str, Law]) -> list[ParameterSet]:
    """Each law of departures by its name, marked where a switch refuses it."""
    whys = ("a Tofino has stages", "pass/skip units: 4 needed", "on-off", "a switch sends a step only")
    refused = pytest.mark.refused_by("tofino", match="|".join(whys))
    return [
        pytest.param(law, id=name, marks=[] if name in ON_A_SWITCH else [refused])
        for name, law in given.items()
    ]


def later(given: Mapping[str, Law]) -> list[ParameterSet]:
    """The same where a stream begins later, for which a switch counts frames with equal gaps."""
    refused = pytest.mark.refused_by("tofino", match="start_after= or a phase with random gaps")
    return [
        pytest.param(*each.values, id=each.id, marks=refused) if each.id in DRAWN else each
        for each in laws(given)
    ]


LATER = 30_000_001  # near a whole number of frames, as a switch wants it, and of bursts


def shaped(rig: Rig, law: Law, *, offset_ns: int = 0) -> Plan:
    plan = rig.plan("north")
    return replace(plan, streams=(replace(plan.streams[0], departures=Departures(law, offset_ns)),))


@pytest.mark.parametrize(
    ("law", "offset_ns"),
    [
        *(pytest.param(*each.values, 0, id=f"{each.id}-0", marks=each.marks) for each in laws(LAWS)),
        *(pytest.param(*each.values, LATER, id=f"{each.id}-later", marks=each.marks) for each in later(LAWS)),
    ],
)
def test_as_many_frames_leave_as_are_due(rig: Rig, law: Law, offset_ns: int) -> None:
    (stream,) = rig.load(shaped(rig, law, offset_ns=offset_ns)).streams
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    due = stream.frames_due(FIFTH.ns)
    if rig.is_switch and isinstance(law, Random):
        due = ceil(law.rate * FIFTH.ns)  # on average
    assert due > 40
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (due, due, due)


@pytest.mark.timed
@pytest.mark.parametrize("law", laws(LAWS))
def test_frames_leave_when_they_are_due_or_it_says_how_late(rig: Rig, law: Law) -> None:
    """The time from the first frame to the last is what the law says, but for the worst lateness."""
    (stream,) = rig.load(shaped(rig, law)).streams
    (counted,) = rig.run(["north"], packets=100).streams
    assert (counted.tx_packets, counted.intended_packets) == (100, 100)
    if rig.is_switch and isinstance(law, Random):
        pytest.skip("draws its gaps by itself: test_gaps_are_those_of_their_law")
    between = stream.departures.due(99) - stream.departures.due(0)
    assert abs(counted.last_tx_ns - counted.first_tx_ns - between) <= counted.worst_lateness_ns + 1


@pytest.mark.parametrize("law", laws(ENDING))
def test_a_law_with_an_end_ends_its_stream(rig: Rig, law: Law) -> None:
    rig.load(shaped(rig, law))
    (counted,) = rig.run(["north"]).streams
    assert (counted.tx_packets, counted.sending) == (law.total, False)


def distance(found: list[int], law: Callable[[float], float]) -> float:
    """The greatest difference of a distribution of gaps, in ns, from that of a law (Kolmogorov, Smirnov)."""
    parts = [(law(gap), number) for number, gap in enumerate(sorted(found))]
    return max(
        max(abs(part - number / len(parts)), abs(part - (number + 1) / len(parts))) for part, number in parts
    )


MEAN_NS, GAPS = 400_000.0, 1500
DISTRIBUTIONS: dict[str, tuple[RandomTimes, Callable[[float], float]]] = {
    "poisson": (Exponential(MEAN_NS), lambda gap: 1 - exp(-gap / MEAN_NS)),
    "uniform": (
        Quantiles((0.0, 1.0), (0.5 * MEAN_NS, 1.5 * MEAN_NS)),
        lambda gap: min(1.0, max(0.0, gap / MEAN_NS - 0.5)),
    ),
    "cdf": (
        Quantiles((0.0, 0.75, 0.75, 1.0), (100_000.0, 200_000.0, 800_000.0, 1_500_000.0)),
        lambda gap: (
            min(0.75, max(0.0, 0.75 * (gap - 100_000) / 100_000))
            + min(0.25, max(0.0, 0.25 * (gap - 800_000) / 700_000))
        ),
    ),
}


@pytest.mark.timed
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_gaps_are_those_of_their_law(rig: Rig, name: str) -> None:
    """At the receiver: their distribution, their mean, and that each is independent of the one before.

    Gaps may be as wrong as the tester says of itself: a machine that pauses it makes some of them so.
    """
    distribution, law = DISTRIBUTIONS[name]
    rig.load(shaped(rig, Random(3, distribution)))
    rig.target.captures.start(Capture("gaps", direction=Direction.RECEIVED))
    try:
        (counted,) = rig.run(["north"], packets=GAPS + 1).streams
        rig.target.captures.stop("gaps")
        times = [frame.time_ns for frame in frames_of(rig.target.captures.read("gaps"))]
    finally:
        rig.target.captures.forget("gaps")
    gaps, wrong = [later - time for time, later in pairwise(times)], _wrong(counted)
    assert len(gaps) == GAPS
    chance = 2 / sqrt(GAPS)  # more comes once in 1,500 times
    assert distance(gaps, law) < chance + wrong
    late = counted.worst_lateness_ns / MEAN_NS / GAPS
    assert abs(fmean(gaps) / MEAN_NS - 1) < 2 * chance * pstdev(gaps) / MEAN_NS + late
    if wrong < _FEW:
        assert abs(correlation(gaps[:-1], gaps[1:])) < 2 * chance
        others = [law for other, (_, law) in DISTRIBUTIONS.items() if other != name]
        assert all(distance(gaps, other) > chance + wrong for other in others)


_COARSE = 0.02  # of a switch: a loop's round is a 64th of a gap, on average
_FEW = 0.05  # gaps
_NEAR_NS = 20_000


def _wrong(counted: StreamCounters) -> float:
    """The part of all gaps that are more than 20 us wrong, as the tester says, or by the rounds of a loop."""
    if counted.departures is None:
        return _COARSE
    right = sum(
        times for index, times in counted.departures.buckets.items() if bounds_of(index)[1] <= _NEAR_NS
    )
    return 1 - right / GAPS


@pytest.mark.refused_by("tofino", match="2 different frames that are not evenly spaced")
def test_messages_choose_their_frames(rig: Rig) -> None:
    plan = rig.plan("north")
    (stream,) = plan.streams
    (longer,) = rig.plan("north", frame_size=512).streams
    law = Script((ScriptMessage(1000, 3, 1000, 1), ScriptMessage(1000, 1, 0, 0)), repeat=False)
    both = replace(stream, frames=(stream.frame, longer.frame), departures=Departures(law))
    rig.load(replace(plan, streams=(both,)))
    (counted,) = rig.run(["north"]).streams
    assert (counted.tx_packets, counted.tx_bytes, counted.rx_bytes) == (4, 1600, 1600)


@pytest.mark.refused_by("tofino", match="a Tofino has stages")
def test_another_law_holds_from_now_on(rig: Rig) -> None:
    """Counters go on; the new law begins with its first frame, and the old one is due until then."""
    gap_ns = 10**6
    plan = shaped(rig, even(Fraction(1, gap_ns)).law)
    stream = replace(plan.streams[0], payload_offset=0)  # else the engine wants the frames to stay
    rig.load(replace(plan, streams=(stream,)))
    rig.target.start(["north"])
    rig.pass_time(0.1)
    (before,) = rig.target.snapshot(["north"]).streams
    ten = Script((ScriptMessage(1000, 10, 1000),), repeat=False)
    rig.target.update("north", replace(stream, departures=Departures(ten)))
    changed = rig.target.snapshot(["north"])
    rig.target.wait(["north"], timeout=PATIENCE)
    (after,) = rig.settled(["north"]).streams
    assert before.tx_packets > 0
    job = changed.job("north")
    assert job
    most = (changed.taken_at_ns - job.started_at_ns) // gap_ns + 2  # the engine changes 0.5 ms later
    assert before.tx_packets <= after.tx_packets - 10 <= most
    assert after.tx_packets == after.rx_packets == after.intended_packets


@pytest.mark.parametrize(
    "law",
    [
        Steady(Fraction(0)),
        Steady(Fraction(11, 10)),
        Script((ScriptMessage(0, 1, 0),)),
        Script((ScriptMessage(1, 1, 0, frame=1),)),
        Profile((Stretch(10, 0),)),
        Profile((Stretch(10, 11),)),
        Random(1, Exponential(0.5)),
        Random(1, Quantiles((0.0, 0.9), (5.0, 6.0))),
        Random(1, Quantiles((0.0, 1.0), (6.0, 5.0))),
        Random(1, Quantiles((0.0, 1.0), (0.0, 1.0))),
        Random(1, OnOff(Fraction(1, 10), 0.5, 10.0)),
    ],
    ids=str,
)
def test_a_law_that_cannot_be_is_refused(rig: Rig, law: Law) -> None:
    with pytest.raises(PlanError, match="north"):
        rig.load(shaped(rig, law))
    assert not rig.target.snapshot().streams
