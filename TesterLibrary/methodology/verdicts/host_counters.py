# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the counters of hosts: whether they say what was on the wire."""

from __future__ import annotations

from ...measurement.traces.traced_count import Traced, TracedCount
from ...verdict import EQUAL, Verdict, assess


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
