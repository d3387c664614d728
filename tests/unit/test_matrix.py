# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/matrix.md has each test of each shipped suite on each target, and is made of what was run."""

from __future__ import annotations

import pytest

from tests.matrix import outcome, page
from tests.matrix.one_size import is_of
from tests.matrix.outcome import Kind, Outcome
from tests.matrix.target import MODEL, TARGETS, Target

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
