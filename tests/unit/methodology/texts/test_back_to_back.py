# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from TesterLibrary.methodology.back_to_back import BurstSearch, find_maximum_burst
from TesterLibrary.methodology.throughput import LimitedBy
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..bursts import Bursts, throughput
from .samples import said


def bursts() -> Iterator[Verdict]:
    search = BurstSearch(2, Duration(0), longest=Duration(10**9))
    found = find_maximum_burst(Bursts(longest=400), throughput(), search)
    for bound in (400, 402, 404):
        yield found.verdict_above(bound)
    varying = find_maximum_burst(Bursts(longest=400, noise=30), throughput(), search)
    yield varying.verdict_above(300)
    yield find_maximum_burst(Bursts(longest=0), throughput(), search).verdict_above(1)
    limited = Bursts(longest=400, tester_longest=200)
    yield find_maximum_burst(limited, throughput(), search).verdict_above(300)
    late = find_maximum_burst(Bursts(longest=400, late_ns=20_000), throughput(), search)
    for bound in (400, 410, 500):
        yield late.verdict_above(bound)
    unknown = find_maximum_burst(Bursts(late_ns=20_000), throughput(limit=LimitedBy.TESTER), search)
    yield unknown.verdict_above(1)
    endless = find_maximum_burst(Bursts(longest=10**9), throughput(), search)
    yield endless.verdict_above(10**7)
    at_line = find_maximum_burst(Bursts(), throughput(Fraction(1), LimitedBy.LINE), search)
    for bound in (1_000_000, 2_000_000):
        yield at_line.verdict_above(bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("back_to_back", said(bursts))
