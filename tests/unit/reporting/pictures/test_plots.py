# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots are texts that can be compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

from TesterLibrary.measurement.delays.sustained import Growth
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pictures import plots

from ..simulated import SimulatedBench

SECOND = Duration(10**9)


def test_the_same_trials_give_the_same_text() -> None:
    trials = [SimulatedBench().measure(Fraction(n, 10), SECOND) for n in range(1, 11)]
    assert plots.of_trials(trials) == plots.of_trials(trials)


def test_several_loads_are_plotted_as_loss_over_load() -> None:
    trials = [SimulatedBench().measure(Fraction(n, 10), SECOND) for n in (1, 2, 3)]
    svg, text = plots.of_trials(trials)
    assert "Offered load" in svg
    assert text == "Frame loss over offered load: up to 20 % of line rate without loss"
    ElementTree.fromstring(svg)


def test_one_load_is_plotted_as_percentiles_of_latency() -> None:
    svg, text = plots.of_trials([SimulatedBench().measure(Fraction(1, 10), SECOND)])
    assert "Percentile" in svg
    assert "p99 80 us" in text


def filling(trial: Trial) -> Trial:
    """The same, but its delay grew all along."""
    growth = Growth(2_000_000, 812_000_000, noise_ns=1000, steady=True)
    return replace(trial, streams=tuple(replace(s, growth=growth) for s in trial.streams))


def test_loads_that_only_filled_a_queue_are_named_beside_a_plot_of_loss() -> None:
    one, two, three = (SimulatedBench().measure(Fraction(n, 10), SECOND) for n in (1, 2, 3))
    _, text = plots.of_trials([one, filling(two), three])
    best = "Frame loss over offered load: up to 20 % of line rate without loss"
    assert text == f"{best}; not sustained at 20 %"
    _, text = plots.of_trials([one, filling(two), filling(three)])
    assert text == f"{best}; not sustained at 20 %"  # what was lost of the third says it already


def test_a_delay_that_grew_is_said_beside_its_percentiles() -> None:
    _, text = plots.of_trials([filling(SimulatedBench().measure(Fraction(1, 10), SECOND))])
    assert text.endswith("; not sustained: the delay grew from 2 ms to 812 ms")


def test_nothing_received_is_plotted_as_nothing() -> None:
    assert plots.of_trials([SimulatedBench(capacity=0).measure(Fraction(1), SECOND)]) == ("", "")


def test_loads_whose_loss_nobody_knows_are_not_called_lossless() -> None:
    trials = [SimulatedBench(counts=False).measure(Fraction(n, 10), SECOND) for n in (1, 2)]
    assert plots.of_trials(trials)[1] == "Frame loss over offered load: not measured in 2 trials"


def test_invalid_trials_are_not_plotted() -> None:
    assert plots.of_trials([SimulatedBench(tester_limit=0).measure(Fraction(1), SECOND)]) == ("", "")


def test_a_device_that_passes_nothing_has_no_line_in_the_throughput_plot_but_a_plot() -> None:
    svg = plots.throughput_vs_size({"measured": []}, [(64, 1_488_095.0), (1518, 81_274.0)])
    assert "line rate" in svg
