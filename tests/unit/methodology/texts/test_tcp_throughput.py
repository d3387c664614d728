# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.path_mtu import PathMtuResult, PathMtuSearch
from TesterLibrary.methodology.tcp_throughput import (
    TcpThroughputResult,
    TransferPlan,
    measure_tcp_throughput,
)
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..transfers import SimulatedLine
from .samples import LATE, said, trial

LINE = Bandwidth(20_000_000)
HALF = Ratio(Fraction(1, 2))


def measured(**given: object) -> TcpThroughputResult:
    line = SimulatedLine(LINE.bps, 20_000, **given)  # type: ignore[arg-type]
    plan = TransferPlan(LINE, (Fraction(2),), connections=2, duration=Duration(10**9))
    return measure_tcp_throughput(line, plan)


def unanswered() -> TcpThroughputResult:
    found = measured()
    (transfer,) = found.measured
    missing = replace(transfer, handshakes=replace(transfer.handshakes, unanswered=3))
    return replace(found, measured=(missing,))


def uncounted() -> TcpThroughputResult:
    found = measured()
    (transfer,) = found.measured
    data = replace(transfer.data, statistics=replace(transfer.data.statistics, tx_bytes=None))
    return replace(found, measured=(replace(transfer, data=data),))


def mtu(found: int, failed: int | None, **given: object) -> PathMtuResult:
    return PathMtuResult("north", (trial(**given),), PathMtuSearch(576, 1500), found, failed)  # type: ignore[arg-type]


def verdicts() -> Iterator[Verdict]:
    for result in (measured(), measured(objections=LATE), measured(broken=1), measured(lose_every=4)):
        yield result.throughput_above(Bandwidth(18_000_000))
        yield result.throughput_above(LINE)
        yield result.time_ratio_below(Fraction(11, 10))
        yield result.time_ratio_below(Fraction(1))
        yield result.efficiency_above(Ratio(Fraction(1)))
        yield result.buffer_delay_below(Fraction(2))
        yield result.buffer_delay_below(Fraction(1, 2))
    yield unanswered().buffer_delay_below(Fraction(2))
    yield unanswered().buffer_delay_below(Fraction(1, 2))
    yield uncounted().efficiency_above(HALF)
    yield mtu(1500, None).verdict_above(1500)
    yield mtu(1500, None).verdict_above(9000)
    yield mtu(1400, 1401).verdict_above(1500)
    yield mtu(0, 576).verdict_above(1500)
    yield mtu(0, 576).verdict_above(100)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("tcp_throughput", said(verdicts))
