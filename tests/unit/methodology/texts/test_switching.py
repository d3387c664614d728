# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.congestion import CongestionTest, measure_congestion
from TesterLibrary.methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingSweep,
    find_forwarding_rate,
)
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.units import Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..simulated import SimulatedMeasurer
from ..switching import CongestedSwitch, LearningSwitch
from .samples import SECOND, said

FRMOL, MFR = ForwardingFigure.AT_MAXIMUM_LOAD, ForwardingFigure.MAXIMUM


def forwarding_rates() -> Iterator[Verdict]:
    sweep = ForwardingSweep(Ratio.parse("50 %"), step=Ratio.parse("25 %"), duration=SECOND)
    collapsing = find_forwarding_rate(
        SimulatedMeasurer(Fraction(3, 4), collapse=Fraction(1, 2), bucket=1), sweep
    )
    for figure, bound in (
        (FRMOL, "37 %"),
        (FRMOL, "40 %"),
        (MFR, "75 %"),
        (MFR, "1.2 Mpps"),
        (MFR, "2 Mpps"),
    ):
        yield collapsing.verdict_above(figure, Rate.parse(bound))
    limited = find_forwarding_rate(SimulatedMeasurer(tester_limit=Fraction(6, 10)), sweep)
    for figure, bound in ((FRMOL, "10 %"), (MFR, "50 %"), (MFR, "90 %")):
        yield limited.verdict_above(figure, Rate.parse(bound))
    silent = find_forwarding_rate(SimulatedMeasurer(random_loss=1.0), sweep)
    yield silent.verdict_above(MFR, Rate.parse("1 %"))


def congestion() -> Iterator[Verdict]:
    test = CongestionTest("uncongested", ("half congested", "congested"), duration=SECOND)
    for switch in (
        CongestedSwitch(),
        CongestedSwitch(Fraction(1, 4)),
        CongestedSwitch(lost_alone=3),
        CongestedSwitch(line=Fraction(2)),
        CongestedSwitch(busy=True),
    ):
        yield measure_congestion(replace(switch, both=False), switch, test).verdict_no_blocking()


def addresses() -> Iterator[Verdict]:
    rate = Frequency(Fraction(1000))
    always = frozenset(range(1, 99))
    for switch in (
        LearningSwitch(100),
        LearningSwitch(5000),
        LearningSwitch(100, busy=always),
        LearningSwitch(100, deaf=always),
        LearningSwitch(100, sees_flooding=False),
        LearningSwitch(1),
    ):
        result = find_address_capacity(
            switch, "port p1", lowest=16, highest=1024, rate=rate, resolution=Ratio.parse("10 %")
        )
        for bound in (90, 101, 2000):
            yield result.verdict_above(bound)


def learning_rates() -> Iterator[Verdict]:
    always = frozenset(range(1, 99))
    for switch in (
        LearningSwitch(1000, 20_000),
        LearningSwitch(1000),
        LearningSwitch(150, forgets=False),
        LearningSwitch(1000, 20_000, busy=always),
        LearningSwitch(1000, sees_flooding=False),
    ):
        result = find_address_learning_rate(
            switch, "port p1", addresses=100, lowest=1000, highest=64_000, resolution=Ratio.parse("10 %")
        )
        for bound in ("1 k/s", "20500/s", "100 k/s"):
            yield result.verdict_above(Frequency.parse(bound))


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("switching", said(forwarding_rates, congestion, addresses, learning_rates))
