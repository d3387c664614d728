# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table, word for word."""

from __future__ import annotations

from benchmarks.harness.outcome import Bound, Outcome, Run, at_least, below
from benchmarks.harness.registry import Benchmark, Settings
from benchmarks.harness.table import render


def unused(_: Settings) -> Outcome:
    raise NotImplementedError


def a_benchmark(bound: Bound, unit: str = "Mpps") -> Benchmark:
    return Benchmark("some_name", unit, bound, "what it is", unused)


def test_a_pair():
    outcome = Outcome((Run(3, 2, 0), Run(1, 4, 0), Run(2, 2, 0)), "a peer", "A note.")
    assert render([a_benchmark(at_least(1.0))], {"some_name": outcome}).splitlines() == [
        "some_name: what it is",
        "                                                       min    median       max",
        "    ours [Mpps]                                          1         2         3",
        "    a peer [Mpps]                                        2         2         4",
        "    ratio                                             0.25         1       1.5  bound >= 1 x: met",
        "    A note.",
    ]


def test_a_missed_bound_is_not_to_be_overlooked():
    text = render([a_benchmark(below(50, "ms"), "ms")], {"some_name": Outcome((Run(50, None, 0),))})
    assert text.splitlines()[-1].endswith("bound < 50 ms: MISSED")


def test_what_was_not_measured_says_why():
    text = render([a_benchmark(at_least(1.0))], {"some_name": "Impossible: no testpmd"})
    assert text.splitlines() == ["some_name: what it is", "    NOT MEASURED: Impossible: no testpmd"]


def test_what_did_not_run_is_not_shown():
    assert render([a_benchmark(at_least(1.0))], {}) == ""
