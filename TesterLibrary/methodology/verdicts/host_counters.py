# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the counters of hosts: whether they say what was on the wire."""

from __future__ import annotations

from collections.abc import Callable

from ...measurement.inline import PathStatistics
from ...measurement.traces.trace import PathTrace
from ...measurement.traces.traced_count import REACHES_THE_HOST, Traced, TracedCount, count
from ...model.heading import Heading
from ...verdict import EQUAL, Verdict, assess


def judge_of_counter(
    counter: str, host: str, trace: PathTrace, statistics: PathStatistics, what: Traced, direction: Heading
) -> Callable[[int | str, str], Verdict]:
    """A function that judges the value of a counter, with a doubt, against the trace of a path.

    Packets that events have sent to the host are in no trace: they leave a counter of arrivals open.
    """
    more = statistics.duplicated + statistics.injected if what in REACHES_THE_HOST else 0
    made = f"{more:,} packets that events made have left as well" if more else ""
    traced = count(trace, what, direction)

    def judge(value: int | str, doubt: str) -> Verdict:
        doubts = "; ".join(filter(None, (made, doubt)))
        return counter_is_true(counter, host, value, traced, what=what, path=trace.path, doubt=doubts)

    return judge


def counter_is_true(
    counter: str,
    host: str,
    value: int | str,
    traced: TracedCount,
    *,
    what: Traced,
    path: str,
    doubt: str = "",
) -> Verdict:
    """Whether a host has counted what a trace has: FAIL is a counter that lies.

    Args:
        counter: Its name.
        host: Whose it is.
        value: What it says, or why nobody knows that.
        traced: The count in the trace.
        what: What both count.
        path: The path that was traced.
        doubt: Why more or less than what is in the trace may have reached the host.
    """
    unread = value if isinstance(value, str) else ""
    return assess(
        None if isinstance(value, str) else value,
        EQUAL,
        traced.value,
        subject=f"{counter} of {host}",
        bound=f"== {traced.value:,} {what.value.replace('_', ' ')} in the trace of path {path}",
        doubt="; ".join(filter(None, (unread, traced.doubt, doubt))),
    )
