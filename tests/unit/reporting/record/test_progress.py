# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress that a waiting person sees, on a terminal and in a log."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Agenda, Item
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder

from ..simulated import SimulatedBench

SECOND = Duration(10**9)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        """Lines that stay on the screen: a carriage return and an erased line take back what stood there."""
        return [line.rpartition("\r\x1b[K")[2] for line in self.getvalue().split("\n")]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_log_has_a_line_for_each_trial_and_one_for_the_result() -> None:
    log, clock, tester = io.StringIO(), Clock(), SimulatedBench()
    progress = Console(stream=log, clock=clock)
    progress.begin("throughput of north", trials=4, duration=Duration(8 * 10**9))
    progress.trial(tester.measure(Fraction(1), SECOND))
    clock.now += 6
    progress.estimate(trials_left=1, duration_left=Duration(2 * 10**9))
    progress.trial(tester.measure(Fraction(1, 10), SECOND))
    progress.end("throughput 10 %")

    assert log.getvalue().splitlines() == [
        "      trial 1 of at most 4, 1 s at 100 %: lost 1,188,095 of 1,488,095; 8 s left",
        "      trial 2 of at most 2, 1 s at 10 %: none of 148,809 lost; 2 s left",
        "      throughput 10 %",
    ]


def test_a_terminal_keeps_one_line_that_changes() -> None:
    screen, clock, tester = Terminal(), Clock(), SimulatedBench()
    progress = Console(stream=screen, clock=clock)
    progress.begin("throughput of north", trials=4)
    clock.now += 1
    progress.sending(0.5)
    assert screen.lines[-1] == "      throughput of north, trial 1 of at most 4, sending 50 %"
    progress.trial(tester.measure(Fraction(1, 10), SECOND))
    assert screen.lines[-1].endswith("trial 1 of at most 4, 10 %: none of 148,809 lost")
    progress.end("throughput 10 %")
    assert screen.lines == ["      throughput 10 %", ""]


def test_a_loss_that_nobody_knows_is_not_none() -> None:
    log = io.StringIO()
    progress = Console(stream=log, clock=Clock())
    progress.trial(SimulatedBench(counts=False).measure(Fraction(1, 10), SECOND))
    why = "this tester does not count duplicates, and copies may stand for lost frames"
    assert f"loss is not known: {why} (148,809 sent)" in log.getvalue()
    assert "none of" not in log.getvalue()


def test_an_invalid_trial_and_its_repetition_say_so() -> None:
    log, tester = io.StringIO(), SimulatedBench(tester_limit=0)
    progress = Console(stream=log, clock=Clock())
    progress.trial(tester.measure(Fraction(1), SECOND))
    assert "invalid, the tester sent 0 of" in log.getvalue()


def test_a_terminal_is_not_written_to_more_often_than_it_can_be_read() -> None:
    screen, clock = Terminal(), Clock()
    progress = Console(stream=screen, clock=clock)
    progress.begin("loss")
    written = len(screen.getvalue())
    for done in range(100):
        progress.sending(done / 100)
    assert len(screen.getvalue()) == written


def test_with_an_agenda_each_test_has_a_head_and_an_end(tmp_path: Path) -> None:
    log, clock = io.StringIO(), Clock()
    items = [Item("bed", "bed.Throughput", f"{size} Bytes", 60) for size in (64, 128)]
    agenda.write(tmp_path, "Certification", items)
    progress = Console(tmp_path, stream=log, clock=clock)
    progress.begin_test("bed.Throughput", "64 Bytes")
    clock.now += 30
    recorder = Recorder(tmp_path)
    recorder.begin_test("bed.Throughput", "64 Bytes")
    recorder.end_test(status="PASS", outcome="PASS", elapsed_s=30)
    progress.end_test("PASS", "PASS: throughput is 100 %")
    progress.begin_test("bed.Throughput", "128 Bytes")
    progress.end_test("ERROR", "")

    assert log.getvalue().splitlines() == [
        "[1/2] bed.Throughput · 64 Bytes (2 min 00 s left of the run)",
        "      PASS: throughput is 100 % [30 s]",
        "[2/2] bed.Throughput · 128 Bytes (40 s left of the run)",
        "      ERROR [0 s]",
    ]


def test_a_run_is_not_over_before_its_procedure(tmp_path: Path) -> None:
    log, clock = io.StringIO(), Clock()
    agenda.write(tmp_path, "Certification", [Item("bed", "bed.Throughput", "64 Bytes", 10)])
    progress = Console(tmp_path, stream=log, clock=clock)
    progress.begin_test("bed.Throughput", "64 Bytes")
    clock.now += 9
    progress.begin("throughput of north", trials=4, duration=Duration(30 * 10**9))
    progress.trial(SimulatedBench().measure(Fraction(1), SECOND))
    assert log.getvalue().endswith("; 30 s left, 30 s left of the run\n")


def test_without_an_agenda_robot_heads_the_tests(tmp_path: Path) -> None:
    log = io.StringIO()
    progress = Console(tmp_path, stream=log, clock=Clock())
    progress.begin_test("Suite", "Test")
    progress.end_test("PASS", "fine")
    assert log.getvalue() == ""

    progress.begin_test("Suite", "Test")
    progress.end("throughput 10 %")
    progress.end("throughput 20 %")
    assert (
        log.getvalue() == "\n      throughput 10 %\n      throughput 20 %\n"
    )  # Robot's line is not ended yet


@pytest.mark.parametrize(
    ("took", "current", "elapsed", "left"),
    [
        ({}, 0, 10.0, 150.0),  # nothing is known yet: as the profile says
        ({0: 25.0}, 1, 0.0, 65.0),  # of 100 s that weigh, 60 s took 25 s
        ({0: 110.0}, 1, 0.0, 150.0),
        ({0: 60.0}, 1, 300.0, 20.0),  # the current one is overdue
        ({0: 60.0, 1: 170.0}, 2, 0.0, 30.0),
    ],
)
def test_the_time_left_follows_the_pace_so_far(
    took: dict[int, float], current: int, elapsed: float, left: float
) -> None:
    plan = Agenda("", tuple(Item("", "", str(n), seconds) for n, seconds in enumerate((60.0, 80.0, 20.0))))
    assert plan.time_left(took, current=current, current_elapsed=elapsed) == pytest.approx(left)


def test_suites_that_are_still_to_begin_open_the_tester_each() -> None:
    items = tuple(Item("bed", suite, str(n), 10) for suite in ("first", "second", "third") for n in range(2))
    plan = Agenda("", items, suite_s=9)
    assert plan.time_left({}, current=0, current_elapsed=0) == pytest.approx(6 * 10 + 2 * 9)
    assert plan.time_left({}, current=1, current_elapsed=0) == pytest.approx(5 * 10 + 2 * 9)
    assert plan.time_left({}, current=4, current_elapsed=0) == pytest.approx(2 * 10)


def test_without_an_expectation_the_finished_tests_are_the_measure() -> None:
    plan = Agenda("", tuple(Item("", "", str(n)) for n in range(4)))
    assert plan.time_left({}, current=0, current_elapsed=0) is None
    assert plan.time_left({0: 10.0, 1: 20.0}, current=2, current_elapsed=5) == pytest.approx(25)


def test_a_console_that_is_gone_stops_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str, /) -> int:  # noqa: ARG002
            raise BrokenPipeError

    progress = Console(stream=Gone(), clock=Clock())
    progress.end("throughput 10 %")
    progress.end("throughput 20 %")
