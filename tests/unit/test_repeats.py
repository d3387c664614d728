# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance tests are repeated for faults of their tester, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.repeats import ATTEMPTS, MOST, own_faults

pytest_plugins = ["pytester"]

CONFTEST = """
from pathlib import Path
from tests.acceptance.repeats import Repeats

def pytest_configure(config):
    config.pluginmanager.register(Repeats(Path(__file__).parent), "repeats")
"""
SUITE = """
import pytest
from pathlib import Path

RUNS = Path("runs.txt")

@pytest.mark.parametrize("number", range({count}))
def test_it(number, tmp_path):
    records = tmp_path / "evidence" / "trials.jsonl"
    records.parent.mkdir()
    records.write_text({record!r})
    with RUNS.open("a") as file:
        file.write("x")
    assert len(RUNS.read_text()) > {failures}
"""
FAULT = '{"objections": [], "streams": [{"order_objections": ["a worker did not run for 60.0 ms"]}]}\n'

# A suite of Robot of two tests, of which one is wrong; `at` is where the tester has found fault with itself.
ROBOT = """
import json
from pathlib import Path
from tests.acceptance import robots

RUNS = Path("runs.txt")
TIMES = 'start="2026-01-01T00:00:00" elapsed="1"'
END = f'<test id="t{{{{0}}}}" name="{{{{0}}}}"><status status="{{{{1}}}}" {{TIMES}}>no</status></test>'

def test_it(tmp_path):
    def again():
        with RUNS.open("a") as file:
            file.write("x")
        right = len(RUNS.read_text()) > 1
        tests = END.format("One", "PASS" if right else "FAIL") + END.format("Other", "PASS")
        (tmp_path / "output.xml").write_text(
            '<robot generator="Robot 7.0 (Python 3.10 on linux)" schemaversion="5"><suite id="s1" name="S">'
            f'{{tests}}<status status="PASS"/></suite></robot>'
        )
        evidence = tmp_path / "evidence" / "trials.jsonl"
        evidence.parent.mkdir()
        evidence.write_text(json.dumps({{"test": "{at}", "objections": ["a worker did not run"]}}))

    tests = robots.SuiteTests(tmp_path, again)
    {check}
"""
CHECKS = (
    "robots.check_passed(tests)",
    'assert tests["One"].passed',
    "assert all(t.passed for t in tests.values())",
)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(("at", "repeats"), [("One", 1), ("", 1), ("Other", 0)])
def test_faults_of_another_test_of_the_suite_repeat_nothing(
    pytester: pytest.Pytester, at: str, repeats: int, check: str
) -> None:
    result = ran(pytester, ROBOT.format(at=at, check=check))
    assert result.parseoutcomes() == ({"rerun": 1, "passed": 1} if repeats else {"failed": 1})


def test_records_of_an_attempt_before_repeat_nothing(pytester: pytest.Pytester) -> None:
    """The second attempt fails in a fixture, whose tester has said nothing."""
    fixture = "@pytest.fixture\ndef broken():\n    assert not RUNS.exists()\n\n"
    suite = SUITE.replace("@pytest.mark", fixture + "@pytest.mark").replace(
        "number, tmp", "number, broken, tmp"
    )
    result = ran(pytester, suite.format(count=1, record=FAULT, failures=1))
    assert result.parseoutcomes() == {"rerun": 1, "errors": 1}


def ran(pytester: pytest.Pytester, suite: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(suite)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider")


def test_a_fault_of_the_tester_repeats_a_test_and_is_printed(pytester: pytest.Pytester) -> None:
    result = ran(pytester, SUITE.format(count=1, record=FAULT, failures=1))
    result.assert_outcomes(passed=1)
    assert result.parseoutcomes()["rerun"] == 1
    result.stdout.fnmatch_lines(["*assert 1 > 1*"])


def test_without_a_fault_of_the_tester_nothing_is_repeated(pytester: pytest.Pytester) -> None:
    fit = FAULT.replace('"a worker did not run for 60.0 ms"', "")
    result = ran(pytester, SUITE.format(count=1, record=fit, failures=1))
    result.assert_outcomes(failed=1)


def test_a_test_that_fails_each_time_fails(pytester: pytest.Pytester) -> None:
    result = ran(pytester, SUITE.format(count=1, record=FAULT, failures=ATTEMPTS))
    result.assert_outcomes(failed=1)
    assert result.parseoutcomes()["rerun"] == ATTEMPTS - 1


def test_so_many_tests_of_a_run_are_repeated_and_no_more(pytester: pytest.Pytester) -> None:
    result = ran(pytester, SUITE.format(count=MOST + 1, record=FAULT, failures=10**6))
    result.assert_outcomes(failed=MOST + 1)
    assert result.parseoutcomes()["rerun"] == MOST * (ATTEMPTS - 1)


def test_what_the_hypervisor_took_is_no_such_test(pytester: pytest.Pytester) -> None:
    stolen = FAULT.replace("a worker did not run for 60.0 ms", "the hypervisor took 9.7 % of the time")
    result = ran(pytester, SUITE.format(count=MOST + 1, record=stolen, failures=10**6))
    assert result.parseoutcomes()["rerun"] == (MOST + 1) * (ATTEMPTS - 1)


def test_faults_are_read_from_all_records(tmp_path: Path) -> None:
    assert own_faults(tmp_path, None) == []
    (tmp_path / "events.jsonl").write_text('{"event": "path_stopped", "objections": ["late"]}\n' * 2 + FAULT)
    assert own_faults(tmp_path, None) == ["late", "a worker did not run for 60.0 ms"]
