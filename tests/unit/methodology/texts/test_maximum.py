# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, SECOND, connections, said


def maxima() -> Iterator[Verdict]:
    def found(quantity: Quantity, maximum: int, failed: int | None, limit: Limit) -> MaximumResult:
        search = MaximumSearch(quantity, 1_000, 2_000_000, SECOND)
        levels = (maximum, *([failed] if failed else []))
        tried = (connections(), *([connections(objections=LATE)] if failed else []))
        return MaximumResult("users", (), search, maximum, failed, limit, levels, tried)

    for quantity in Quantity:
        yield found(quantity, 1_234_567, None, Limit.SEARCH).verdict_above(1_000, "1,000")
        yield found(quantity, 1_234_567, None, Limit.SEARCH).verdict_above(3_000_000, "3,000,000")
        yield found(quantity, 1_000, 1_250, Limit.DEVICE).verdict_above(2_000, "2,000")
        yield found(quantity, 1_000, 1_250, Limit.DEVICE).verdict_above(1_100, "1,100")
        yield found(quantity, 1_000, 1_250, Limit.TESTER).verdict_above(2_000, "2,000")


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("maximum", said(maxima))
