# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import (
    DelayDistribution,
    Distribution,
    GilbertElliott,
    Impairment,
    PathDelay,
    Shaping,
)
from TesterLibrary.model.inline import Path
from TesterLibrary.model.units.units import Duration, Rate, Ratio

MS = Duration(10**6)
NOTHING, PART, ALL = (Ratio.parse(text) for text in ("0", "1 %", "100 %"))

CDF = DelayDistribution(((MS, Fraction(0)), (Duration(3 * 10**6), Fraction(1))))


@pytest.mark.parametrize(
    ("points", "refusal"),
    [
        ([(1, 1)], "a CDF of 1 points: there are 2 to 65,536"),
        ([(2, 0), (1, 1)], "point 2 of the CDF: the time 1 ns is below 2 ns before it"),
        ([(1, 0), (2, Fraction(1, 2))], "the CDF ends at 0.5; its last point has to have the probability 1"),
        ([(-1, 0), (2, 1)], "point 1 of the CDF: delay=-1 ns is no delay"),
        ([(1, 0), (61 * 10**9, 1)], "point 2 of the CDF: delay=61 s is no delay"),
        ([(5, 0), (5, 1)], "all delays of the CDF are 5 ns; give delay in place of it"),
    ],
)
def test_a_cdf_that_cannot_be_is_refused(points: list[tuple[int, Fraction]], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        DelayDistribution(tuple((Duration(ns), Fraction(part)) for ns, part in points))


def bursts(**changes: Ratio) -> GilbertElliott:
    given = {"to_bad": PART, "to_good": PART, "loss_in_bad": ALL, "loss_in_good": NOTHING} | changes
    return GilbertElliott(**given)


@pytest.mark.parametrize(
    ("impairment", "text"),
    [
        (Impairment(delay=PathDelay(mean=MS)), "delay 1 ms"),
        (
            Impairment(delay=PathDelay(mean=MS, jitter=Duration(500_000), distribution=Distribution.NORMAL)),
            "delay 1 ms ± 500 us (normal)",
        ),
        (Impairment(delay=PathDelay(cdf=CDF)), "delay 1 ms to 3 ms by a CDF of 2 points"),
        (
            Impairment(delay=PathDelay(mean=MS, jitter=MS, correlation=PART)),
            "delay 1 ms ± 1 ms (uniform), correlation 1 %",
        ),
        (Impairment(loss=PART, heading=Heading.FORWARD), "loss 1 %, forward"),
        (Impairment(loss=bursts()), "loss in bursts (to bad 1 %, to good 1 %)"),
        (
            Impairment(shaping=Shaping(rate=Rate.parse("10 Mbps"), queue_frames=50)),
            "rate 10 Mbps, queue of 50 frames",
        ),
        (
            Impairment(shaping=Shaping(rate=Rate.parse("10 Mbps L1"), queue_bytes=64_000)),
            "rate 10 Mbps L1, queue of 64,000 bytes",
        ),
    ],
)
def test_an_impairment_describes_itself(impairment: Impairment, text: str) -> None:
    assert str(impairment) == text


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"mean": Duration(0)}, "delay=0 and no jitter delay nothing"),
        ({"mean": Duration(61 * 10**9)}, "delay=61 s is no delay; give 0 ns to 60 s"),
        ({"mean": MS, "jitter": Duration(2 * 10**6)}, "jitter=2 ms is more than delay=1 ms"),
        ({"mean": MS, "correlation": PART}, "correlation=1 % of a constant delay; give a jitter"),
        (
            {"mean": MS, "jitter": MS, "correlation": ALL},
            "correlation=100 %; give 0 % or more",
        ),
        ({"mean": MS, "cdf": CDF}, "a CDF has its own mean; leave delay and jitter out"),
        (
            {"mean": MS, "jitter": Duration(20 * 10**9), "distribution": Distribution.NORMAL},
            "delay=1 ms and jitter=20 s exceed 60 s",
        ),
    ],
)
def test_a_delay_that_cannot_be_is_refused(given: dict[str, Any], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        PathDelay(**given)


@pytest.mark.parametrize(
    ("rate", "given", "refusal"),
    [
        ("10 Mbps", {}, "rate=10 Mbps needs one of queue_frames and queue_bytes; neither is given"),
        ("10 Mbps", {"queue_frames": 1, "queue_bytes": 64}, "both are given"),
        ("10 kpps", {"queue_frames": 1}, "rate=10 kpps: a link carries bits"),
        ("50 %", {"queue_frames": 1}, "rate=50 %: a link carries bits"),
        ("10 bps", {"queue_frames": 1}, "rate=10 bps is not within 1 kbps and 1 Tbps"),
        ("10 Mbps", {"queue_frames": 0}, "queue_frames=0; give 1 to 65,536"),
        ("10 Mbps", {"queue_bytes": 63}, "queue_bytes=63; give 64 to 1,073,741,824"),
    ],
)
def test_a_rate_that_cannot_be_is_refused(rate: str, given: dict[str, int], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        Shaping(rate=Rate.parse(rate), **given)


def test_preamble_and_gap_count_where_they_are_asked_for() -> None:
    assert Shaping(rate=Rate.parse("10 Mbps"), queue_frames=1).overhead_bytes == 0
    assert Shaping(rate=Rate.parse("10 Mbps L1"), queue_frames=1).overhead_bytes == 20


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"to_bad": NOTHING}, "to_bad=0: the bad state is never reached"),
        ({"to_good": NOTHING}, "to_good=0: the bad state is never left"),
        ({"loss_in_bad": NOTHING}, "loss_in_bad=0 and loss_in_good=0: nothing is lost"),
    ],
)
def test_bursts_that_cannot_be_are_refused(changes: dict[str, Ratio], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        bursts(**changes)


def test_an_impairment_does_something() -> None:
    with pytest.raises(PlanError, match="nothing happens; give a delay, a loss or a rate"):
        Impairment()
    with pytest.raises(PlanError, match="loss=100 % loses nothing, or all"):
        Impairment(loss=ALL)


def test_a_direction_has_one_impairment() -> None:
    path = Path("wan", ("p1", "p2")).with_impairment(Impairment(loss=PART, heading=Heading.FORWARD))
    both = path.with_impairment(Impairment(loss=PART, heading=Heading.BACKWARD))
    assert len(both.impairments) == 2
    for heading in (Heading.FORWARD, Heading.BOTH):
        with pytest.raises(PlanError, match="path 'wan': its packets are impaired already in that direction"):
            path.with_impairment(Impairment(loss=PART, heading=heading))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to_bad": PART}, "to_bad and to_good belong together"),
        ({"loss": PART, "loss_in_bad": PART}, "loss_in_bad and loss_in_good are of states"),
        ({"loss": PART, "to_bad": PART, "to_good": PART}, "loss and to_bad are two models of loss"),
        ({"queue_frames": 5}, "a queue needs a rate"),
        ({"jitter": Duration(5)}, "jitter=5 ns needs a delay"),
        ({"correlation": PART}, "needs delays; give delay and jitter, or a CDF"),
        ({}, "nothing happens"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Impairment.of(**arguments)


def test_an_impairment_is_described_by_its_arguments() -> None:
    described = Impairment.of(delay=Duration(10**7), to_bad=PART, to_good=PART, heading=Heading.FORWARD)
    assert str(described) == "loss in bursts (to bad 1 %, to good 1 %), delay 10 ms, forward"
    assert described.delay is not None
    assert described.shaping is None
