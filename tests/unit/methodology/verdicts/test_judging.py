# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import latency_below, loss_below, throughput_above
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome

from ..measured import with_late_copies
from ..simulated import SimulatedMeasurer


def trial(load: str = "50 %", **truth: object) -> Trial:
    measurer = SimulatedMeasurer(**truth)  # type: ignore[arg-type]
    return measurer.measure(Ratio.parse(load).value, Duration(10**9))


def test_one_frame_has_no_throughput() -> None:
    verdict = throughput_above(damaged(tx_packets=1, rx_packets=1), Rate.parse("1 pps"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no stream has sent two frames, and fewer have no rate; send more"


@pytest.mark.parametrize(
    ("truth", "bound", "outcome"),
    [
        ({}, "50 %", Outcome.PASS),
        ({}, "744 kpps", Outcome.PASS),
        ({}, "380 Mbps", Outcome.PASS),
        ({}, "60 %", Outcome.INCONCLUSIVE),  # it was not offered more
        ({"capacity": Fraction(4, 10)}, "40 %", Outcome.INCONCLUSIVE),  # with loss: its forwarding rate
        ({"capacity": Fraction(4, 10)}, "50 %", Outcome.FAIL),  # with loss at the bound
        ({"capacity": Fraction(4, 10)}, "45 %", Outcome.FAIL),
        ({"tester_limit": Fraction(4, 10)}, "45 %", Outcome.INCONCLUSIVE),
        ({"broken_trials": {1}}, "10 %", Outcome.INCONCLUSIVE),
    ],
)
def test_throughput_of_one_trial(truth: dict[str, object], bound: str, outcome: Outcome) -> None:
    assert throughput_above(trial(**truth), Rate.parse(bound)).outcome is outcome


def test_loss_of_trials() -> None:
    good, bad, broken = trial(), trial(capacity=Fraction(4, 10)), trial(broken_trials={1})
    bound = Ratio.parse("1 %")
    assert loss_below([good], bound).outcome is Outcome.PASS
    assert loss_below([good, bad], bound).outcome is Outcome.FAIL
    assert loss_below([broken, bad], bound).outcome is Outcome.FAIL
    assert loss_below([good, broken], bound).outcome is Outcome.INCONCLUSIVE
    assert loss_below([], bound).outcome is Outcome.INCONCLUSIVE


def test_a_lossy_trial_of_a_broken_tester_fails_nobody() -> None:
    verdict = loss_below([trial(capacity=Fraction(1, 10), broken_trials={1})], Ratio.parse(0))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "a worker did not run" in verdict.reason


@pytest.mark.parametrize(
    ("bound_us", "percentile", "outcome"),
    [
        (20_000, 100, Outcome.INCONCLUSIVE),  # a copy may be what came after 100 ms
        (100_000, 100, Outcome.PASS),  # whatever they are
        (20_000, 99, Outcome.INCONCLUSIVE),
        (20, 95, Outcome.PASS),
        (9, 100, Outcome.FAIL),  # no frame came sooner, whatever the copies are
        (9, 50, Outcome.FAIL),
    ],
)
def test_copies_are_no_latency_of_frames(bound_us: int, percentile: float, outcome: Outcome) -> None:
    verdict = latency_below([with_late_copies(trial())], Duration(bound_us * 1000), percentile)
    assert verdict.outcome is outcome
    told = "14,880 of 758,928 arrivals may be copies, so it lies between 10 us and 100"
    assert (told in verdict.reason) is (outcome is Outcome.INCONCLUSIVE)


def test_latency_without_trials_is_unknown() -> None:
    assert latency_below([], Duration(1), 99).outcome is Outcome.INCONCLUSIVE


def damaged(**counts: int) -> Trial:
    """A thousand frames of which the counts tell what became of them."""
    measured = trial()
    (only,) = measured.streams
    order = replace(only.counters.order, duplicated=counts.get("duplicated", 0))
    given = {name: count for name, count in counts.items() if name != "duplicated"}
    counted = replace(only.counters, order=order, **{"tx_packets": 1000, **given})  # type: ignore[arg-type]
    return replace(measured, streams=(replace(only, counters=counted),))


def test_duplicates_are_no_throughput() -> None:
    """500 of 1000 frames are lost, the others come twice: half of the load arrives."""
    verdict = throughput_above(damaged(rx_packets=1000, duplicated=500), Rate.parse("1 kpps"))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured.startswith("500 pps; 500 duplicates arrived")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"rx_packets": 0, "rx_fragments": 1000}, "1,000 arrived in pieces (IP fragments)"),
        (
            {"rx_packets": 0, "rx_wrong_headers": 1000, "rx_wrong_header_parts": ("UDP checksum",)},
            "1,000 arrived with headers that are not those that were sent (UDP checksum)",
        ),
        ({"rx_packets": 2, "rx_wrong_length": 998}, "998 arrived with another length"),
        ({"rx_packets": 999, "rx_corrupted": 1}, "1 arrived with another content"),
        ({"rx_packets": 1500, "duplicated": 500}, "500 duplicates arrived"),
    ],
)
def test_a_verdict_on_loss_says_what_arrived_besides(counts: dict[str, int], words: str) -> None:
    verdict = loss_below([damaged(**counts)], Ratio.parse("0"))
    assert words in verdict.measured
    lost = counts["rx_packets"] - counts.get("duplicated", 0) < 1000
    assert verdict.outcome is (Outcome.FAIL if lost else Outcome.PASS)


def test_what_a_trial_with_loss_forwards_is_no_throughput() -> None:
    verdict = throughput_above(damaged(rx_packets=800), Rate.parse("100 pps"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "this is the forwarding rate" in verdict.reason
