# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assertionengine import AssertionOperator

from TesterLibrary.methodology.verdicts.interval_series import IntervalStatistic, each_as_expected
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, MILLISECOND, NONE, TENTH, monitored, said


def intervals() -> Iterator[Verdict]:
    yield monitored(0, 0).verdict_below(NONE)
    yield monitored(0, 7).verdict_below(NONE)
    yield monitored(0, objections=LATE).verdict_below(NONE)
    yield monitored().verdict_below(NONE)
    each: dict[IntervalStatistic, tuple[str, Any, str]] = {
        IntervalStatistic.LOST: ("<=", 0, "<= 0"),
        IntervalStatistic.LOSS: ("<=", TENTH.value, "<= 10 %"),
        IntervalStatistic.RECEIVED_RATE: (">=", 995, ">= 995"),
        IntervalStatistic.THROUGHPUT: (">=", 512_000, ">= 512 kbps"),
        IntervalStatistic.DELAY: ("<=", 2 * MILLISECOND, "<= 2 ms"),
    }
    for statistic, (operator, expected, bound) in each.items():
        for result in (monitored(0, 0), monitored(0, 7), monitored(0, objections=LATE), monitored()):
            yield each_as_expected(result, statistic, AssertionOperator[operator], expected, bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("intervals", said(intervals))
