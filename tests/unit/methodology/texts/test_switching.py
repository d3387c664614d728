# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.congestion import CongestionTest, measure_congestion
from TesterLibrary.methodology.errored_frames import ErroredTest, measure_errored_frames
from TesterLibrary.methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingSweep,
    find_forwarding_rate,
)
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import stream_counters

from ..measured import trial as trial_of
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


def errored_frames() -> Iterator[Verdict]:
    test = ErroredTest(Ratio.parse("10 %"), SECOND)
    alive, dead = SimulatedMeasurer(), SimulatedMeasurer(random_loss=1.0)
    for legal, oversize in ((alive, dead), (alive, alive), (dead, dead)):
        yield measure_errored_frames(legal, oversize, test).verdict_filtered()
    brought_down = measure_errored_frames(alive, dead, test)
    legal_trial, oversize_trial, _ = brought_down.trials
    yield replace(brought_down, trials=(legal_trial, oversize_trial, oversize_trial)).verdict_filtered()


def broadcasts() -> Iterator[Verdict]:
    for received, misrouted, ports, counts, behind in (
        (100, 200, ("p3", "p4"), (100, 100), (0, 0)),
        (100, 199, ("p3", "p4"), (99, 100), (0, 0)),
        (100, 100, ("p3",), (100,), (0,)),
        (100, 200, ("p3",), (200,), (100,)),
        (90, 200, ("p3", "p4"), (100, 100), (0, 0)),
        (100, 210, ("p3", "p4"), (110, 100), (10, 0)),
        (100, 200, ("p3", "p4"), (100, 100), (50, 0)),
        (100, 200, ("p3", "p4"), None, None),
        (100, None, (), None, None),
    ):
        counted = stream_counters(
            id=1,
            tx_packets=100,
            rx_packets=received,
            rx_misrouted=misrouted,
            rx_misrouted_ports=ports,
            rx_misrouted_by_port=counts,
            rx_misrouted_behind=behind,
        )
        stream = StreamResult("all", "p1", "p2", 64, Fraction(100), counted, copies=("p3", "p4"))
        for bound in ("0 %", "60 %"):
            yield loss_below([replace(trial_of(counted), streams=(stream,))], Ratio.parse(bound))


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved(
        "switching", said(forwarding_rates, congestion, addresses, learning_rates, errored_frames, broadcasts)
    )
