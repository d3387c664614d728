# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts under load: which of them count as wrong."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.load.__main__ import busy
from tests.load.cases import cases, judged

PASSES, FAILS, SKIPS = ("PASS", ""), ("FAIL", "FAIL: loss"), ("SKIP", "the link of p2 was down")


@pytest.mark.parametrize(
    ("status", "message", "outcome", "meant", "word"),
    [
        ("PASS", "", "PASS", PASSES, "right"),
        ("FAIL", "FAIL: loss is 1 %", "FAIL", PASSES, "wrong"),
        ("FAIL", "999 != 1000", "ERROR", PASSES, "error"),
        ("SKIP", "INCONCLUSIVE: late", "INCONCLUSIVE", PASSES, "inconclusive"),
        ("FAIL", "FAIL: loss is 1 %", "FAIL", FAILS, "right"),
        ("PASS", "", "PASS", FAILS, "wrong"),
        ("PASS", "", "NOT JUDGED", FAILS, "wrong"),
        ("FAIL", "FAIL: delay is 1 s", "FAIL", FAILS, "wrong"),
        ("FAIL", "no such port", "ERROR", FAILS, "error"),
        ("SKIP", "INCONCLUSIVE: late", "INCONCLUSIVE", FAILS, "inconclusive"),
        ("SKIP", "INCONCLUSIVE: the link of p2 was down", "INCONCLUSIVE", SKIPS, "right"),
        ("PASS", "", "PASS", SKIPS, "wrong"),
    ],
)
def test_what_became_of_a_test(
    status: str, message: str, outcome: str, meant: tuple[str, str], word: str
) -> None:
    assert judged(SimpleNamespace(status=status, message=message), outcome, meant) == word


def test_cases_are_right_devices_and_wrong_ones() -> None:
    meant = {case.name: [status for status, _ in case.meant.values()] for case in cases()}
    assert len(meant) == len(list(cases())) > 20
    assert meant["l4_gateway"] == []
    assert meant["l4_gateway, Connections Are Held"] == ["FAIL"]
    assert sorted(set(meant["verdicts"])) == ["FAIL", "PASS", "SKIP"]


def test_loops_have_their_part_of_the_machine() -> None:
    with busy(1) as took:
        sum(range(3_000_000))
    assert took.wall > 0
    assert took.seconds > 0
    assert took.ended == 0


def test_a_loop_that_somebody_ends_is_no_load() -> None:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    before = set(children.read_text().split())  # of other tests
    with busy(1) as took:
        (loop,) = set(children.read_text().split()) - before
        os.kill(int(loop), signal.SIGTERM)
    assert took.ended == 1
