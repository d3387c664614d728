# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from assertionengine import AssertionOperator

from TesterLibrary.methodology.verdicts.value import judge_value
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, said, trial


def values() -> Iterator[Verdict]:
    at_most, equal = AssertionOperator["<="], AssertionOperator["=="]
    yield judge_value("3000 us", at_most, "5 ms", subject="largest burst")
    yield judge_value("5.2 ms", at_most, "5 ms", subject="largest burst")
    yield judge_value(3, equal, "4", subject="number of restarts")
    yield judge_value(None, at_most, "5 ms", subject="largest burst")
    yield judge_value("3 ms", at_most, "5 ms", subject="largest burst", trials=[trial(objections=LATE)])


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("value", said(values))
