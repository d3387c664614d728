# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios, percentiles and bounds, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks.harness.outcome import Outcome, Run, above, at_least, at_most, below, best, percentile


def pairs(*values: tuple[float, float]) -> Outcome:
    return Outcome(tuple(Run(ours, theirs, 0.0) for ours, theirs in values), peer="peer")


def test_medians_of_an_odd_number_of_runs():
    outcome = pairs((3, 1), (1, 2), (2, 3))
    assert (outcome.value, outcome.peer_value) == (2, 2)


def test_medians_of_an_even_number_of_runs():
    assert pairs((1, 10), (2, 20), (4, 30), (8, 40)).value == 3


def test_the_ratio_is_the_median_of_the_ratios_not_the_ratio_of_the_medians():
    outcome = pairs((1, 1), (4, 8), (6, 2))  # ratios 1, 0.5, 3; medians 4 and 2
    assert outcome.ratios == [1, 0.5, 3]
    assert outcome.ratio == 1


def test_what_slows_down_both_sides_of_a_pair_does_not_show():
    assert pairs((20, 10), (2, 1), (0.2, 0.1)).ratio == pytest.approx(2)


def test_without_a_peer_there_is_no_ratio():
    outcome = Outcome((Run(5, None, 0.0),))
    assert (outcome.value, outcome.peer_value, outcome.ratio, outcome.ratios) == (5, None, None, [])


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_a_value_that_cannot_have_been_measured_is_refused(value):
    with pytest.raises(ValueError, match="finite and above 0"):
        Run(value, None, 0.0)
    with pytest.raises(ValueError, match="finite and above 0"):
        Run(1, value, 0.0)


def test_no_runs_are_no_outcome():
    with pytest.raises(ValueError, match="at least one run"):
        Outcome(())


@pytest.mark.parametrize(("peer", "peer_value"), [("peer", None), (None, 1.0)])
def test_a_peer_and_its_values_go_together(peer, peer_value):
    with pytest.raises(ValueError, match="either every run"):
        Outcome((Run(1, peer_value, 0.0),), peer)


@pytest.mark.parametrize(
    ("percent", "expected"), [(1, 1), (10, 1), (50, 5), (90, 9), (90.1, 10), (99, 10), (100, 10)]
)
def test_percentile_is_the_nearest_rank(percent, expected):
    assert percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], percent) == expected


@pytest.mark.parametrize(("values", "percent"), [([], 50), ([1], 0), ([1], 101)])
def test_there_is_no_such_percentile(values, percent):
    with pytest.raises(ValueError, match="no percentile"):
        percentile(values, percent)


def test_the_best_is_that_of_the_highest_median():
    assert best({"steady": [5, 5, 5], "lucky once": [1, 100, 1]}) == "steady"


@pytest.mark.parametrize(("ours", "met"), [(0.99, False), (1.0, True), (1.01, True)])
def test_a_bound_on_the_ratio(ours, met):
    assert at_least(1.0).is_met(pairs((ours, 1.0))) is met


@pytest.mark.parametrize(("ours", "met"), [(0.49, True), (0.5, True), (0.51, False)])
def test_a_bound_on_what_had_better_be_little(ours, met):
    assert at_most(0.5).is_met(pairs((ours, 1.0))) is met


@pytest.mark.parametrize("bound", [at_least(1.0), at_most(9.0)])
def test_a_bound_on_the_ratio_is_not_met_without_a_peer(bound):
    assert not bound.is_met(Outcome((Run(5, None, 0.0),)))


@pytest.mark.parametrize(("value", "met"), [(49.9, True), (50, False), (50.1, False)])
def test_a_bound_on_the_value(value, met):
    assert below(50, "ms").is_met(Outcome((Run(value, None, 0.0),))) is met


@pytest.mark.parametrize(("value", "met"), [(29.9, False), (30, True), (30.1, True)])
def test_a_bound_from_below(value, met):
    assert above(30, "%").is_met(Outcome((Run(value, None, 0.0),))) is met
