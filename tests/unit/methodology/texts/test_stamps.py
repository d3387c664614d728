# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from TesterLibrary.errors import Inconclusive, PlanError, UnitError
from TesterLibrary.methodology.stamps import StampResult
from TesterLibrary.model.stamps import StampMode
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.targets.tofino.entries.latency import PERCENTILE_ERROR
from TesterLibrary.verdict import Outcome, Verdict
from tests.approval import Approved
from tests.unit.measurement.test_stamps import forward

from .samples import said

DELAYS = [10_000] * 90 + [50_000] * 10


def result(*directions: Any, **changes: Any) -> StampResult:
    return StampResult(
        "load (north to south, stamp)", (), "load", StampMode.STAMP, 10**9, directions, **changes
    )


GOOD = result(forward(DELAYS))
SWITCH = result(forward(DELAYS), percentile_error=PERCENTILE_ERROR)


def loss() -> Iterator[Verdict]:
    bound = Ratio.parse("1 %")
    yield GOOD.loss_below(Ratio.parse("0"))
    yield result(forward(DELAYS, sent=102, late=1)).loss_below(bound)
    yield result(forward(DELAYS), forward(DELAYS, heading="backward", sent=200)).loss_below(bound)
    yield result(forward(DELAYS, too_long=5, unstamped=5)).loss_below(bound)
    yield result(forward(DELAYS, too_long=5, unstamped=5)).loss_below(Ratio.parse("10 %"))
    yield result(forward(sent=30, unstamped=40)).loss_below(bound)
    yield result(forward(DELAYS, sent=120), under_way=20).loss_below(bound)
    yield result(forward()).loss_below(bound)
    yield result(forward(DELAYS, sent=103, overflowed=1)).loss_below(Ratio.parse("2 %"))
    yield result(forward(DELAYS, behind=3)).loss_below(bound)
    yield result(forward(DELAYS, behind=3)).loss_below(Ratio.parse("5 %"))
    yield result(forward(DELAYS, sent=102, behind=3)).loss_below(bound)


def delay() -> Iterator[Verdict]:
    yield GOOD.latency_below(Duration.parse("20 us"), 50)
    yield GOOD.latency_below(Duration.parse("20 us"), 99)
    yield GOOD.delay_below(Duration.parse("20 us"))
    yield GOOD.delay_below(Duration.parse("1 us"))
    yield result(forward(DELAYS, sent=103, received=102)).latency_below(Duration.parse("20 us"), 50)
    yield result(forward(DELAYS, sent=103, received=102)).latency_below(Duration.parse("20 us"), 89)
    yield result(forward(DELAYS, sent=103, received=103)).latency_below(Duration.parse("60 us"), 99)
    yield result(forward(DELAYS, sent=103, received=103)).delay_below(Duration.parse("60 us"))
    yield result(forward(sent=5)).latency_below(Duration.parse("20 us"), 50)
    yield result(forward()).latency_below(Duration.parse("20 us"), 50)
    yield result(forward(DELAYS, behind=5)).latency_below(Duration.parse("20 us"), 90)
    yield result(forward(DELAYS, behind=5)).delay_below(Duration.parse("14 us"))
    yield result(forward(DELAYS, behind=5)).delay_below(Duration.parse("20 us"))
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).latency_below(Duration.parse("60 us"), 50)
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).latency_below(Duration.parse("60 us"), 99)
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).latency_below(Duration.parse("2 s"), 99)
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).delay_below(Duration.parse("90 ms"))
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).delay_below(Duration.parse("91 ms"))
    yield result(forward(DELAYS, sent=110, late=10, duplicated=0)).delay_below(Duration.parse("2 s"))
    yield result(forward(DELAYS, sent=110, late=10, duplicated=None)).latency_below(
        Duration.parse("60 us"), 99
    )
    yield result(forward(DELAYS, sent=110, late=10, duplicated=None)).delay_below(Duration.parse("60 us"))
    yield SWITCH.latency_below(Duration.parse("10.2 us"), 50)
    yield SWITCH.latency_below(Duration.parse("11 us"), 50)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("stamps", said(loss, delay))


def test_a_device_that_makes_its_own_packets_does_not_fail() -> None:
    verdict = result(forward(sent=30, unstamped=40)).loss_below(Ratio.parse("0"))
    assert verdict.outcome is Outcome.INCONCLUSIVE


def test_counts_and_times_are_read_by_name() -> None:
    both = result(forward(DELAYS, flows=2), forward(DELAYS, heading="backward", sent=101, flows=1))
    assert [both.count(what, None) for what in ("sent", "lost", "flows")] == [201, 1, 3]
    assert both.count("lost", "backward") == 1
    assert both.time("max", "forward") == 50_000
    assert GOOD.time("std", None) == pytest.approx(12_000)
    assert GOOD.time("ipdv_mean", None) is None
    for wrong in (
        lambda: both.time("p50", None),
        lambda: GOOD.packets("backward"),
        lambda: GOOD.time("p0", None),
    ):
        with pytest.raises(UnitError):
            wrong()


def test_what_a_tester_does_not_count_is_not_known() -> None:
    switch = result(forward(DELAYS, delay_squares=None, duplicated=0, reordered=0, behind=0))
    assert [switch.count(what, None) for what in ("lost", "reordered", "duplicated", "behind")] == [0] * 4
    assert [switch.count(what, "forward") for what in ("flows", "untracked")] == [None, None]
    assert (switch.time("std", None), switch.time("mean", None)) == (None, 14_000)
    overtaken = result(forward(DELAYS, behind=2))
    counts = ("received", "lost", "reordered", "duplicated", "sent", "behind")
    assert [overtaken.count(what, None) for what in counts] == [None, None, None, None, 100, 2]


def test_a_result_is_one_line() -> None:
    assert str(GOOD).startswith(
        "load (north to south, stamp): forward: 100 sent, 0 lost, min 10 us mean 14 us p99 "
    )


@pytest.mark.parametrize(
    ("name", "value", "is_time"),
    [
        ("lost", 2, False),
        ("late", 1, False),
        ("mean", 14_000.0, True),
        ("p50", None, True),
        ("std", None, True),
    ],
)
def test_a_statistic_is_a_count_or_a_time_by_its_name(name: str, value: float | None, is_time: bool) -> None:
    figure = result(forward(DELAYS, sent=102, late=1)).value(name, None)
    assert figure.is_time is is_time
    assert figure.value == value or value is None


def test_other_names_and_what_was_not_measured_are_refused() -> None:
    with pytest.raises(PlanError, match=r"'mx' is no statistic of stamps \(did you mean 'max'\?\)"):
        GOOD.value("mx", None)
    with pytest.raises(Inconclusive, match="mean of load: no packet came back that is known again"):
        result(forward(sent=5)).value("mean", None)
    with pytest.raises(PlanError, match="timeout=1 ns applies to trials, not to stamps 'load'"):
        GOOD.loss_below(Ratio.parse("0"), timeout=Duration(1))
