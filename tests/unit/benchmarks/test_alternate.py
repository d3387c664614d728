# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of measurements, and what becomes of counts. Time is that of the test."""

from __future__ import annotations

import pytest

from benchmarks.harness import alternate as module
from benchmarks.harness.alternate import Round, alternate, paired, rate


class Clock:
    """Time that passes only in sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(module.time, "sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


def test_sides_take_turns_and_who_is_first_changes():
    order: list[str] = []
    values = iter(range(1, 100))

    def side(name: str):
        def measure() -> float:
            order.append(name)
            return next(values)

        return measure

    rounds = alternate({"a": side("a"), "b": side("b"), "c": side("c")}, 3)
    assert "".join(order) == "abccbaabc"
    assert [list(each.values.items()) for each in rounds] == [
        [("a", 1), ("b", 2), ("c", 3)],
        [("a", 6), ("b", 5), ("c", 4)],
        [("a", 7), ("b", 8), ("c", 9)],
    ]


def test_pairs_keep_what_was_measured_together():
    rounds = [Round({"x": 2, "y": 9, "p": 1}, 0.5), Round({"x": 8, "y": 9, "p": 2}, 0.7)]
    outcome = paired(rounds, "p", ours="x", note="of x and y")
    assert (outcome.ratios, outcome.peer, outcome.note) == ([2, 4], "p", "of x and y")
    assert [run.load_average for run in outcome.runs] == [0.5, 0.7]


def test_a_rate_leaves_the_warm_up_out(monkeypatch):
    clock = Clock(monkeypatch)
    assert rate(lambda: int((clock.now - 100) * 1000), 4.0, warm_up=1.0) == pytest.approx(1000)


def test_a_rate_is_over_the_time_that_passed_not_over_the_time_asked_for(monkeypatch):
    clock = Clock(monkeypatch)

    def slow_count() -> int:
        clock.now += 1.0
        counted = int((clock.now - 100) * 1000)
        clock.now += 1.0
        return counted

    assert rate(slow_count, 4.0, warm_up=0.0) == pytest.approx(1000)


@pytest.mark.parametrize("after", [7, 6])
def test_nothing_counted_is_no_rate(monkeypatch, after):
    Clock(monkeypatch)
    counts = iter([7, after])
    with pytest.raises(RuntimeError, match="nothing was counted"):
        rate(lambda: next(counts), 1.0, warm_up=0.0)
