# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests may be skipped for certain faults of their machine; seen in runs of pytest beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance import robots
from tests.acceptance.machine import explanation
from tests.excuses import MOST, Excused, claimed

pytest_plugins = ["pytester"]

CONFTEST = """
from tests.excuses import install

def pytest_configure(config):
    install(config)
"""
SUITE = """
import pytest
from tests.excuses import Excused

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    raise Excused("INCONCLUSIVE: a worker did not run", {numbers!r})
"""
SECOND = 10**9
EVIDENCE: Mapping[str, Any] = {
    "intended_packets": 1000,
    "offered_packets": 1000,
    "rate_error": "0",
    "rx_missed": 0,
    "kernel_dropped": 0,
    "worst_worker_gap_ns": 1000,
    "worst_lateness_ns": 0,
    "backlog_dropped": 0,
    "waited_ns": 0,
    "steal": "0",
}
GAP = "a worker did not run for 60.0 ms (limit 50.0 ms)"
RATE = "the tester sent 900 of 1000 frames with a rate error of -10.000 % (limit 1.000 %)"
STEAL = "the hypervisor took 6.0 % of the time from this machine (limit 5.0 %)"
OWN = "3 frames were lost in the tester's own rings and interfaces (limit 0)"
BACKLOG = "3 frames were lost, and this machine's kernel dropped 3 in its input queue"
PAUSE = "3 frames were lost, and pauses of the tester of up to 4.0 ms put up to 4 back to back"
LINK = "the link of p2 was down"


def ran(pytester: pytest.Pytester, suite: str, *options: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(suite)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)


def test_a_skip_with_a_number_is_printed_at_the_end(pytester: pytest.Pytester) -> None:
    result = ran(pytester, SUITE.format(count=1, numbers="40.0 ms waited"))
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*for what the machine did: 1 of at most 5*", "*test_it*40.0 ms waited*"])


def test_a_skip_without_a_number_fails(pytester: pytest.Pytester) -> None:
    result = ran(pytester, SUITE.format(count=1, numbers="it was busy"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the machine is blamed without a number*"])


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_the_sixth_fails(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    result = ran(pytester, SUITE.format(count=MOST + 1, numbers="40.0 ms waited"), *options)
    result.assert_outcomes(skipped=MOST, failed=1)
    result.stdout.fnmatch_lines(["*5 tests of this run were excused*", "*the machine did: 5 of at most 5*"])


def test_a_plain_skip_of_something_inconclusive_fails(pytester: pytest.Pytester) -> None:
    suite = "import pytest\ndef test_it():\n    pytest.skip('INCONCLUSIVE: 40.0 ms')\n"
    ran(pytester, suite).assert_outcomes(failed=1)


def test_other_skips_stay(pytester: pytest.Pytester) -> None:
    result = ran(pytester, "import pytest\ndef test_it():\n    pytest.skip('tshark is not installed')\n")
    result.assert_outcomes(skipped=1)
    result.stdout.no_fnmatch_line("*for what the machine did*")


def test_an_excuse_is_one_line(tmp_path: Path) -> None:
    assert claimed(tmp_path / "excuses", "one\nand the same", most=1)
    assert not claimed(tmp_path / "excuses", "another", most=1)
    assert (tmp_path / "excuses").read_text() == "one and the same\n"


def said(objection: str, **evidence: Any) -> str:
    trial = {"objections": [objection], "duration_ns": SECOND, "evidence": {**EVIDENCE, **evidence}}
    return explanation(f"INCONCLUSIVE: frame loss: {objection}", [trial])


@pytest.mark.parametrize(
    ("objection", "missing"),
    [
        (GAP, {"worst_worker_gap_ns": 60_000_000}),
        (RATE, {"offered_packets": 940}),
        (RATE, {"rate_error": "-6/100"}),
        (OWN, {"rx_missed": 20, "kernel_dropped": 40}),
        (BACKLOG, {"backlog_dropped": 60}),
        (PAUSE, {"worst_lateness_ns": 60_000_000}),
    ],
)
def test_at_least_half_of_what_was_missing_has_to_be_the_machines(
    objection: str, missing: Mapping[str, Any]
) -> None:
    waited = "30.0 ms waited for a CPU, steal 0.0 %: 30.0 ms taken, of 60.0 ms missing"
    assert said(objection, **missing, waited_ns=30_000_000) == waited
    stolen = "0.0 ms waited for a CPU, steal 3.0 %: 30.0 ms taken, of 60.0 ms missing"
    assert said(objection, **missing, steal="3/100") == stolen
    assert said(objection, **missing, waited_ns=29_000_000) == ""
    assert said(objection, **missing) == ""


def test_theft_explains_itself() -> None:
    assert said(STEAL, steal="6/100") == "steal 6.0 %"


def test_what_the_machine_cannot_have_done_is_not_explained() -> None:
    assert said(LINK, waited_ns=SECOND, steal="1") == ""
    both = {"objections": [GAP, LINK], "duration_ns": SECOND, "evidence": {**EVIDENCE, "waited_ns": SECOND}}
    assert explanation(f"INCONCLUSIVE: {LINK}; {GAP}", [both]) == ""


def test_another_trials_objection_explains_nothing() -> None:
    other = {"objections": [LINK], "duration_ns": SECOND, "evidence": {**EVIDENCE, "waited_ns": SECOND}}
    assert explanation(f"INCONCLUSIVE: {GAP}", [other]) == ""


def test_sessions_have_their_numbers_in_the_text() -> None:
    session = f"INCONCLUSIVE: connection rate: {GAP}; in all, the kernel had its CPU do something else for "
    assert (
        explanation(f"{session}45.0 ms", []) == "45.0 ms waited for a CPU: 45.0 ms taken, of 60.0 ms missing"
    )
    assert explanation(f"{session}5.0 ms", []) == ""


class Robot:
    """Runs of a suite of one test, which ends each time as it is told."""

    def __init__(self, folder: Path, *ends: tuple[str, str]) -> None:
        self.folder, self.ends = folder, list(ends)

    def tests(self) -> robots.SuiteTests:
        return robots.SuiteTests(self.folder, self._run)

    def _run(self) -> None:
        status, message = self.ends.pop(0)
        (self.folder / "output.xml").write_text(
            '<robot generator="Robot 7.0 (Python 3.10 on linux)" schemaversion="5"><suite id="s1" name="S">'
            f'<test id="s1-t1" name="T"><status status="{status}" start="2026-01-01T00:00:00" elapsed="1">'
            f'{message}</status></test><status status="{status}"/></suite></robot>'
        )


WAITS = f"INCONCLUSIVE: loss: {GAP}; in all, the kernel had its CPU do something else for 45.0 ms"
LAZY = f"INCONCLUSIVE: loss: {GAP}; in all, the kernel had its CPU do something else for 0.0 ms"


def test_a_test_that_passes_when_it_is_repeated_has_passed(tmp_path: Path) -> None:
    robots.check_passed(Robot(tmp_path, ("SKIP", LAZY), ("SKIP", LAZY), ("PASS", "")).tests())
    assert (tmp_path / "attempt-1" / "output.xml").exists()


def test_it_is_skipped_after_three_attempts_if_the_machine_explains_them(tmp_path: Path) -> None:
    robot = Robot(tmp_path, *[("SKIP", WAITS)] * robots.ATTEMPTS)
    with pytest.raises(Excused, match=r"45\.0 ms taken, of 60\.0 ms missing; 3 attempts"):
        robots.check_passed(robot.tests())
    assert robot.ends == []


def test_it_fails_after_three_attempts_if_nothing_explains_them(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="a worker did not run"):
        robots.check_passed(Robot(tmp_path, *[("SKIP", LAZY)] * robots.ATTEMPTS).tests())


def test_a_test_that_fails_is_not_repeated(tmp_path: Path) -> None:
    robot = Robot(tmp_path, ("FAIL", "FAIL: frame loss"), ("PASS", ""))
    with pytest.raises(AssertionError, match="frame loss"):
        robots.check_passed(robot.tests())
    assert len(robot.ends) == 1


def test_a_test_that_fails_when_it_is_repeated_has_failed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="frame loss"):
        robots.check_passed(Robot(tmp_path, ("SKIP", WAITS), ("FAIL", "FAIL: frame loss")).tests())


def test_a_defect_that_passes_when_it_is_repeated_is_a_wrong_verdict(tmp_path: Path) -> None:
    tests = Robot(tmp_path, ("SKIP", WAITS), ("PASS", "")).tests()
    with pytest.raises(AssertionError):
        robots.check_failed(tests, "T", "FAIL: frame loss")


def test_a_defect_that_is_found_when_it_is_repeated_is_found(tmp_path: Path) -> None:
    tests = Robot(tmp_path, ("SKIP", WAITS), ("FAIL", "FAIL: frame loss is 1")).tests()
    robots.check_failed(tests, "T", "FAIL: frame loss")
