# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The listener that ends a run in time, within Robot and with a clock that tests set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from robot import result, running

from TesterLibrary.campaign.time_budget import TimeBudget, TimeLimit, latest_end, spent
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Agenda, Item
from TesterLibrary.reporting.record.recorder import RUN_VARIABLE, start_run
from TesterLibrary.reporting.record.records import read

SUITE = """
*** Settings ***
Suite Setup    Log    ready
*** Test Cases ***
One
    No Operation
Two
    No Operation
"""


@pytest.fixture
def suite(tmp_path: Path) -> running.TestSuite:
    (tmp_path / "all").mkdir()
    for name in ("first", "second", "third"):
        (tmp_path / "all" / f"{name}.robot").write_text(SUITE)
    return running.TestSuite.from_file_system(str(tmp_path / "all"))


@pytest.mark.parametrize(
    ("checks", "begun"),
    [
        (0, []),  # before the outermost suite
        (1, []),  # before the first suite in it
        (2, ["All.First.One"]),  # after its first test
        (3, ["All.First.One", "All.First.Two"]),
        (4, ["All.First.One", "All.First.Two"]),  # before the second suite
        (6, ["All.First.One", "All.First.Two", "All.Second.One", "All.Second.Two"]),
    ],
)
def test_the_run_ends_after_the_test_in_which_the_time_is_over(
    tmp_path: Path, suite: running.TestSuite, monkeypatch: pytest.MonkeyPatch, checks: int, begun: list[str]
) -> None:
    evidence = tmp_path / "evidence"
    monkeypatch.setenv(RUN_VARIABLE, "one")
    start_run(evidence, "one")
    everything = [test.full_name for test in suite.all_tests]
    items = [Item("bed", test.parent.full_name, test.name) for test in suite.all_tests]
    agenda.write(evidence, "Night", items)
    ticks = iter([0.0] * checks + [100.0] * 10)
    set_up: list[str] = []

    class SetUp:
        """Sees which suites are set up."""

        ROBOT_LISTENER_API_VERSION = 3

        def start_keyword(self, data: Any, result: Any) -> None:
            if result.type == "SETUP":
                set_up.append(data.parent.name)

    listener = TimeBudget("50", str(evidence), lambda: next(ticks))
    result = suite.run(listener=[listener, SetUp()], output=None, console="none")

    assert [test.full_name for test in result.suite.all_tests] == begun
    left_out = [f"{event.place.suite}.{event.place.test}" for event in read(evidence).left_out]
    assert left_out == everything[len(begun) :]
    assert len(set_up) == len({name.rpartition(".")[0] for name in begun})


def test_reasons_are_numbers() -> None:
    assert spent(10, 9.4) == spent(10) == ""
    assert spent(0, 1) == spent(-1) == "the time budget is spent"
    assert spent(8.2, 9.4) == "it takes about 9 s, and 8 s of the time budget are left"


def test_a_repetition_takes_as_long_as_the_one_before() -> None:
    items = tuple(Item("bed", f"{label}.Loss", test, 5) for label in ("a", "a (2)") for test in ("x", "y"))
    known = Agenda("Night", items)
    assert known.expected(items[2], {0: 70.0}) == 70
    assert known.expected(items[3], {0: 70.0}) == 5
    assert known.expected(Item("other", "a.Loss", "x", 5), {0: 70.0}) == 5


def test_a_test_that_runs_when_the_time_is_spent_has_a_quarter_of_it_more() -> None:
    assert latest_end(7200, 7200) == 9000
    assert latest_end(10, 10) == 70


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (99.0, "Execution terminated by signal"),
        (
            100.0,
            "the time budget was spent, and the test went on for long after it, so the run has ended it\n\n"
            "Execution terminated by signal",
        ),
    ],
)
def test_a_test_that_was_ended_says_why(now: float, message: str) -> None:
    ended = result.TestCase("Hangs", status="FAIL", message="Execution terminated by signal")
    TimeLimit("100", lambda: now).end_test(None, ended)
    assert ended.message == message
