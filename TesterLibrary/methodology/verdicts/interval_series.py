# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One figure of each interval that was monitored, against what is expected of every one."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator

from ...measurement.interval import Interval
from ...model.units.units import MAX_FRAME_SIZE, MIN_FRAME_SIZE, bandwidth_text, duration_text, ratio_text
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
            text=_TEXTS.get(statistic),
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
    if statistic in _TEXTS and interval.known_lost is None:
        return None
    return getattr(interval, statistic.value)


def known(interval: Interval, statistic: IntervalStatistic, least_lost: int) -> Any:
    """A figure of an interval, or its bounds where copies or lost frames leave it open; None if absent."""
    value = getattr(interval, statistic.value)
    if statistic in _TEXTS and least_lost != interval.most_lost:
        return Between(*_bounds(interval, statistic, least_lost))
    if statistic is IntervalStatistic.DELAY and value is not None:
        error = interval.delay_bound_ns or 0
        return About(value - error, value + error, _text(interval, statistic, least_lost))
    return value


def _bounds(interval: Interval, statistic: IntervalStatistic, least_lost: int) -> tuple[Fraction, Fraction]:
    """A figure if as many frames as may be were lost, and if as few as may be; the less first."""
    most_lost = interval.most_lost
    if statistic is IntervalStatistic.LOST:
        return Fraction(least_lost), Fraction(most_lost)
    if statistic is IntervalStatistic.LOSS:
        return _part(least_lost, interval), _part(most_lost, interval)
    least, most = interval.sent - most_lost, interval.sent - least_lost
    if statistic is IntervalStatistic.RECEIVED:
        return Fraction(least), Fraction(most)
    each_second = Fraction(10**9, interval.duration_ns)
    if statistic is IntervalStatistic.RECEIVED_RATE:
        return least * each_second, most * each_second
    # Nobody knows of which size a copy or a missing frame is.
    copied, missing = max(0, interval.received - least), max(0, most - interval.received)
    octets = interval.received_bytes
    return (
        max(least * MIN_FRAME_SIZE, octets - copied * MAX_FRAME_SIZE) * 8 * each_second,
        (octets + missing * MAX_FRAME_SIZE) * 8 * each_second,
    )


def _part(lost: int, interval: Interval) -> Fraction:
    return Fraction(lost, interval.sent) if interval.sent else Fraction(0)


def _text(interval: Interval, statistic: IntervalStatistic, least_lost: int) -> str:
    value = getattr(interval, statistic.value)
    if value is None:
        return ""
    if statistic is IntervalStatistic.DELAY:
        return f"{duration_text(value)} ± {duration_text(interval.delay_bound_ns or 0)}"
    text: Callable[[Fraction], str] = _TEXTS.get(statistic, text_of)
    if statistic in _TEXTS and least_lost != interval.most_lost:
        return " to ".join(text(end) for end in _bounds(interval, statistic, least_lost))
    return text(value)


_TEXTS: dict[IntervalStatistic, Callable[[Fraction], str]] = {  # of what depends on how many frames arrived
    IntervalStatistic.RECEIVED: text_of,
    IntervalStatistic.LOST: text_of,
    IntervalStatistic.LOSS: ratio_text,
    IntervalStatistic.RECEIVED_RATE: lambda rate: f"{text_of(rate)} frames/s",
    IntervalStatistic.THROUGHPUT: bandwidth_text,
}
