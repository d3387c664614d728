# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, TesterLibraryError, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.model.units.units import Duration, Ratio
from tests.counted import order_counters

from ..methodology.measured import with_late_copies
from ..methodology.simulated import SimulatedMeasurer
from ..methodology.texts.samples import trial as sample

MEASUREMENT = LatencyMeasurement(load=Ratio.parse("50 %"), trial_duration=Duration(10**8), repetitions=1)


def asked(measurer: SimulatedMeasurer) -> float:
    """Get Latency    p50    <    1 s"""
    result = measure_latency(measurer, MEASUREMENT)
    suite: Any = SimpleNamespace(
        judged=lambda: result, conclude=lambda verdict, message: verdict.enforce(message)
    )
    return Getter(suite).latency("p50", AssertionOperator["<"], "1 s", None)


def test_a_latency_that_there_is() -> None:
    assert asked(SimulatedMeasurer()) > 0


@pytest.mark.parametrize("statistic", ["mean", "max"])
def test_old_copies_do_not_make_a_latency_too_long(statistic: str) -> None:
    """They are timed like frames; 2 % of the arrivals came 100 ms late, and all of these are copies."""
    trial = with_late_copies(SimulatedMeasurer().measure(Fraction(1, 2), Duration(10**8)))
    suite: Any = SimpleNamespace(
        judged=lambda: trial, conclude=lambda verdict, message: verdict.enforce(message)
    )
    with pytest.raises(Inconclusive, match=r"it is only known to lie between .* and "):
        Getter(suite).latency(statistic, AssertionOperator["<="], "1 ms", None)
    assert Getter(suite).latency("min", AssertionOperator["<="], "1 ms", None) == 10_000


def test_no_latency_says_what_was_wrong_with_the_trial() -> None:
    with pytest.raises(Inconclusive, match=r"^INCONCLUSIVE: latency p50: no frame of north was received"):
        asked(SimulatedMeasurer(random_loss=1.0))
    with pytest.raises(Inconclusive, match=r"a worker did not run for 50\.0 ms"):
        asked(SimulatedMeasurer(random_loss=1.0, broken_trials={1}))


def outage(trial: Trial, *given: Any) -> float | None:
    """Get Outage    <=    50 ms"""
    suite: Any = SimpleNamespace(
        judged=lambda: trial, conclude=lambda verdict, message: verdict.enforce(message)
    )
    stream, operator, expected = (*given, None, None, None)[:3]
    return Getter(suite).outage(stream, operator, expected, None)


def test_an_outage_is_asserted_like_a_time() -> None:
    gap = OutageCounters(1, 300 * 10**6, 44_000, 300 * 10**6, 10**8, 44_000)
    order = order_counters(next_sequence=148_809)
    lossy = sample(counters={"rx_packets": 148_809 - 44_000, "outages": gap, "order": order})
    assert outage(lossy) == 300 * 10**6
    assert outage(lossy, "north", "<=", "1 s") == 300 * 10**6
    with pytest.raises(VerdictFailed, match=r"^FAIL: outage is 300 ms, required <= 50 ms"):
        outage(lossy, "<=", "50 ms")
    with pytest.raises(TesterLibraryError, match="the trial has no stream 'south'; it has north"):
        outage(lossy, "south")


def test_no_outage_is_0_one_that_is_not_over_has_no_end_and_one_that_nobody_counts_is_none() -> None:
    whole = sample(counters={"order": order_counters(next_sequence=148_809)})
    assert outage(whole) == outage(whole, "<=", "7 us") == 0
    with pytest.raises(Inconclusive, match=r"outage: it is only known to lie between 0 ns and 6.72 us"):
        outage(whole, "<=", "6 us")  # frames are further apart than that
    endless = sample(counters={"rx_packets": 100_000, "order": order_counters(100_000)})
    assert outage(endless) == inf
    with pytest.raises(
        VerdictFailed, match=r"^FAIL: outage is 327.99648 ms or more, and not over, required <= 50 ms"
    ):
        outage(endless, "<=", "50 ms")
    with pytest.raises(Inconclusive, match=r"outage: it is only known to be 327.99648 ms or more"):
        outage(endless, "<=", "1 h")
    dark = sample(counters={"rx_packets": 0, "order": order_counters()})
    with pytest.raises(VerdictFailed, match=r"^FAIL: outage is not over, required <= 1 h"):
        outage(dark, "<=", "1 h")
    uncounted = sample("100 %", counts=False)
    assert outage(uncounted) is None
    with pytest.raises(Inconclusive, match=r"^INCONCLUSIVE: outage: "):
        outage(uncounted, "<=", "1 s")


def lost(*given: Any) -> int | None:
    """Get Frame Loss    ==    0"""
    suite: Any = SimpleNamespace(judged=sample, conclude=lambda verdict, message: verdict.enforce(message))
    stream, operator, expected = (*given, None, None, None)[:3]
    return Getter(suite).loss(stream, operator, expected, None)


def test_what_a_pause_may_have_cost_one_of_several_streams_is_not_judged() -> None:
    late = sample(counters={"rx_packets": 148_800, "worst_lateness_ns": 40 * 10**6})
    overloaded = replace(sample(counters={"rx_packets": 1_000}).streams[0], name="south")
    trial = replace(late, streams=(late.streams[0], overloaded))
    suite: Any = SimpleNamespace(
        judged=lambda: trial, conclude=lambda verdict, message: verdict.enforce(message)
    )
    with pytest.raises(
        Inconclusive, match=r"9 frames of north lost, and pauses of the tester of up to 40\.0 ms"
    ):
        Getter(suite).loss("north", "<=", "0", None)
    with pytest.raises(VerdictFailed, match="frame loss of south"):
        Getter(suite).loss("south", "<=", "0", None)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("=<", "0"), "'=<' is not an assertion operator (did you mean '<='"),
        (("north", "=<", "0"), "'=<' is not an assertion operator (did you mean '<='"),
        (("==",), "frame loss: no value given after the operator ==; write one, such as == 0"),
        (("<", "1 %"), "'1 %' is a part of the frames, not a number; call Get Loss Ratio"),
    ],
)
def test_a_mistake_in_an_assertion_is_named(given: tuple[str, ...], problem: str) -> None:
    with pytest.raises(TesterLibraryError, match=f"^{re.escape(problem)}"):
        lost(*given)


@pytest.mark.parametrize(
    ("late", "message"),
    [
        (3, "INCONCLUSIVE: frames reordered: 3 frames came too late to tell whether"),
        (None, "INCONCLUSIVE: frames reordered: some may have come too late to tell whether"),
        (0, "FAIL: frames reordered is 7, required == 0"),
    ],
)
def test_reordered_frames_may_be_late_copies(late: int | None, message: str) -> None:
    order = order_counters(next_sequence=148_809, late=late)
    measured = sample(counters={"rx_out_of_order": 7, "order": order})
    suite: Any = SimpleNamespace(
        judged=lambda: measured, conclude=lambda verdict, text: verdict.enforce(text)
    )
    with pytest.raises((Inconclusive, VerdictFailed), match=message):
        Getter(suite).order("reordered", AssertionOperator["=="], "0", None)
