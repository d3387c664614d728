# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One figure of each interval that was monitored, against what is expected of every one."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator

from ...measurement.interval import Interval, bounds_text
from ...model.units.units import bandwidth_text, duration_text, ratio_text
from ...verdict import About, Between, Outcome, Verdict, assess, text_of
from ..monitoring import MonitoringResult


class IntervalStatistic(Enum):
    """A figure of an interval; the value is the name of its attribute."""

    SENT = "sent"
    RECEIVED = "received"
    LOST = "lost"
    LOSS = "loss"
    RECEIVED_RATE = "received_rate"
    THROUGHPUT = "throughput_bps"
    DELAY = "delay_ns"


def each_as_expected(
    result: MonitoringResult,
    statistic: IntervalStatistic,
    operator: AssertionOperator,
    expected: Any,
    bound: str,
) -> Verdict:
    """Whether a figure is as expected in every interval that has ended: the verdict on the worst one.

    FAIL outweighs INCONCLUSIVE. An interval in which the figure was not measured is INCONCLUSIVE.
    """
    name = f"{statistic.name.lower().replace('_', ' ')} of {result.title}"
    bound = f"{bound} in each of {len(result.intervals)} intervals"
    doubt = "; ".join(result.objections)
    verdicts = [
        assess(
            known(interval, statistic, result.least_lost_in(interval)),
            operator,
            expected,
            subject=f"{name} in interval {interval.number}",
            measured=_text(interval, statistic, result.least_lost_in(interval)),
            bound=bound,
            doubt=doubt,
            text=ratio_text if statistic is IntervalStatistic.LOSS else None,
        )
        for interval in result.intervals
    ]
    for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS):
        for verdict in verdicts:
            if verdict.outcome is outcome:
                return verdict
    return assess(None, operator, expected, subject=name, bound=bound, doubt=doubt or "no interval has ended")


def exactly(interval: Interval, statistic: IntervalStatistic) -> Any:
    """A figure of an interval; None where it is absent, or only its bounds are known."""
    names = {IntervalStatistic.LOST: "known_lost", IntervalStatistic.LOSS: "known_loss"}
    return getattr(interval, names.get(statistic, statistic.value))


def known(interval: Interval, statistic: IntervalStatistic, least_lost: int) -> Any:
    """A figure of an interval, or its bounds where copies or lost frames leave it open; None if absent."""
    value = getattr(interval, statistic.value)
    if statistic is IntervalStatistic.LOST:
        return Between(least_lost, interval.most_lost)
    if statistic is IntervalStatistic.LOSS:
        return Between(_part(least_lost, interval), interval.most_loss)
    if statistic is IntervalStatistic.DELAY and value is not None:
        error = interval.delay_bound_ns or 0
        return About(value - error, value + error, _text(interval, statistic, least_lost))
    return value


def _part(lost: int, interval: Interval) -> Fraction:
    return Fraction(lost, interval.sent) if interval.sent else Fraction(0)


def _text(interval: Interval, statistic: IntervalStatistic, least_lost: int) -> str:
    value = getattr(interval, statistic.value)
    if statistic is IntervalStatistic.LOST and least_lost < interval.lost:
        return bounds_text(least_lost, interval.most_lost)
    if statistic is IntervalStatistic.LOSS and least_lost < interval.lost:
        return f"{ratio_text(_part(least_lost, interval))} to {ratio_text(interval.most_loss)}"
    if statistic is IntervalStatistic.DELAY and value is not None:
        return f"{duration_text(value)} ± {duration_text(interval.delay_bound_ns or 0)}"
    if value is None:
        return ""
    if statistic is IntervalStatistic.THROUGHPUT:
        return bandwidth_text(value)
    return f"{text_of(value)} frames/s" if statistic is IntervalStatistic.RECEIVED_RATE else text_of(value)
