# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/matrix.md has each test of each shipped suite on each target, and is made of what was run."""

from __future__ import annotations

import pytest

from tests.matrix import outcome, page
from tests.matrix.one_size import is_of
from tests.matrix.outcome import Kind, Outcome
from tests.matrix.target import HERE, MODEL, TARGETS, Target

OUTCOMES = outcome.load()
KNOWN = [target.name for target in TARGETS if target.name in OUTCOMES]


def test_the_page_is_that_of_the_outcomes() -> None:
    assert page.FILE.read_text(encoding="utf-8") == page.text(OUTCOMES), "run: make matrix"


@pytest.mark.parametrize("target", KNOWN)
def test_no_test_was_left_out(target: str) -> None:
    """A test that was added, renamed or taken out since the matrix was made is named here.

    The model takes minutes for a suite, so the page says of some only that it is needed for them.
    """
    tried = {suite: set(tests) for suite, tests in OUTCOMES[target].items()}
    there = {outcome.name_of(suite): set(outcome.tests_of(suite)) for suite in outcome.shipped()}
    if target == MODEL.name:
        there = {
            suite: {test for test in tests if is_of(test, MODEL.size)}
            for suite, tests in there.items()
            if suite in tried
        }
    assert tried == there


@pytest.mark.parametrize("target", [t for t in TARGETS if t.name in OUTCOMES], ids=lambda t: t.name)
def test_no_verdict_failed_and_each_refusal_says_why(target: Target) -> None:
    for suite, tests in OUTCOMES[target.name].items():
        for test, one in tests.items():
            expected = f"{suite} {test}" in target.fails
            assert (one.kind is Kind.FAIL) is expected, f"{suite} {test}: {one.reason}"
            assert bool(one.reason) is (one.kind is not Kind.PASS), f"{suite} {test}"
            assert "ariable '$" not in one.reason, f"{suite} {test}: no refusal: {one.reason}"


def test_numbers_that_were_measured_make_no_difference() -> None:
    first, second = (
        Outcome(Kind.UNKNOWN, f"no more than {rate} Mbps was offered") for rate in ("6.5", "1,000")
    )
    assert first.alike == second.alike
    assert first.alike != Outcome(Kind.REFUSED, first.reason).alike


def test_the_page_sums_up_suites_and_tests() -> None:
    passed, refused, unknown = (Outcome(kind, "why") for kind in (Kind.PASS, Kind.REFUSED, Kind.UNKNOWN))
    suites = {
        "whole": {"a": passed, "b": passed},
        "in part": {"a": passed, "b": unknown},
        "refused": {"a": refused, "b": refused},
        "neither": {"a": refused, "b": unknown},
    }
    text = page.text({MODEL.name: suites})
    for row in (
        "| each test passes | 0 | 0 | 1 |",
        "| some tests pass | 0 | 0 | 1 |",
        "| no test passes: all are refused | 0 | 0 | 1 |",
        "| no test passes: not measured, FAIL or refused | 0 | 0 | 1 |",
        "| tests of all of them | – | – | 3 pass, 3 refused, 2 not measured |",
    ):
        assert row in text.splitlines()


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_the_page_has_the_variables_of_each_target(target: Target) -> None:
    section = page.text(OUTCOMES).partition("## Variables")[2].partition(f"### {target.name}\n")[2]
    given = [*target.variables, *(word for words in target.special.values() for word in words)]
    assert bool(section) is bool(given)
    assert all(f"`{word.replace(f'{HERE}/', '')}`" in section for word in given)
