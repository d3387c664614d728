# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.errors import Inconclusive, PlanError, TargetError, TesterLibraryError, VerdictFailed
from TesterLibrary.verdict import Outcome, Verdict, judge


def verdict(*, holds: bool, doubt: str = "") -> Verdict:
    return judge(holds=holds, subject="throughput of north", measured="94 %", bound=">= 95 %", doubt=doubt)


@pytest.mark.parametrize(
    ("holds", "doubt", "outcome"),
    [
        (True, "", Outcome.PASS),
        (False, "", Outcome.FAIL),
        (True, "the engine died", Outcome.INCONCLUSIVE),
        (False, "the engine died", Outcome.INCONCLUSIVE),
    ],
)
def test_doubt_outranks_the_value(holds: bool, doubt: str, outcome: Outcome) -> None:
    assert verdict(holds=holds, doubt=doubt).outcome is outcome


def test_texts() -> None:
    assert str(verdict(holds=False)) == "FAIL: throughput of north is 94 %, required >= 95 %"
    assert str(verdict(holds=True, doubt="it died")) == (
        "INCONCLUSIVE: throughput of north is 94 %, required >= 95 % (it died)"
    )


def test_only_a_fail_fails_a_test() -> None:
    passed = verdict(holds=True)
    assert passed.enforce() is passed
    with pytest.raises(VerdictFailed, match=r"^FAIL: throughput of north is 94 %"):
        verdict(holds=False).enforce()
    with pytest.raises(Inconclusive, match=r"^INCONCLUSIVE: throughput of north: it died$"):
        verdict(holds=True, doubt="it died").enforce()


def test_robot_skips_what_is_inconclusive_and_nothing_else() -> None:
    """`ROBOT_SKIP_EXECUTION` is how Robot Framework knows an exception that skips a test."""
    assert Inconclusive("x").ROBOT_SKIP_EXECUTION
    assert TargetError("x").ROBOT_SKIP_EXECUTION
    for kind in (PlanError, VerdictFailed, TesterLibraryError):
        assert not getattr(kind("x"), "ROBOT_SKIP_EXECUTION", False)
    assert isinstance(VerdictFailed("x"), AssertionError)
    assert not isinstance(TargetError("x"), AssertionError)
