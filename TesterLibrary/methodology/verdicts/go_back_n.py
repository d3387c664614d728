# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what RoCEv2 sent again: whether both ends went back N as they have to, and how quickly."""

from __future__ import annotations

from collections.abc import Mapping

from ...measurement.sessions import SessionStatistics
from ...measurement.traces.go_back_n_counts import GoBackN
from ...model.units.units import Duration
from ...verdict import AT_MOST, EQUAL, Verdict, assess

_SHOWN = 3  # violations in a verdict; the log has all of them


def goes_back_n(found: GoBackN) -> Verdict:
    """Whether no packet was sent that go-back-N does not have. INCONCLUSIVE where nothing went back."""
    count = len(found.violations)
    shown = "; ".join(map(str, found.violations[:_SHOWN]))
    more = f" and {count - _SHOWN:,} more" if count > _SHOWN else ""
    nothing = "" if found.goings or count else "nothing was sent again, so nobody had to go back"
    return assess(
        count,
        EQUAL,
        0,
        subject=f"number of violations of go-back-N on path {found.path}",
        measured=f"{count:,} ({shown}{more})" if count else "0",
        doubt=found.doubt or nothing,
    )


def nak_latency_below(found: GoBackN, bound: Duration) -> Verdict:
    """Whether each NAK came within a time of the packet that told its sender that one is missing."""
    return _time(found, found.longest_generation_ns, bound, "NAK generation latency")


def reaction_latency_below(found: GoBackN, bound: Duration) -> Verdict:
    """Whether each packet that a NAK asked for was sent again within a time."""
    return _time(found, found.longest_reaction_ns, bound, "NAK reaction latency")


def requester_counted_alike(found: GoBackN, name: str, statistics: SessionStatistics) -> Verdict:
    """Judges whether a requester has counted what the trace has."""
    counters = {
        "retransmitted": (statistics.count("retransmitted"), found.requests_again),
        "naks": (statistics.count("naks"), found.naks_arrived),
    }
    return end_counted_alike(found, name, counters)


def responder_counted_alike(found: GoBackN, name: str, statistics: SessionStatistics) -> Verdict:
    """Judges whether a responder has counted what the trace has."""
    counters = {
        "naks": (statistics.count("naks"), found.naks),
        "malformed": (statistics.malformed, found.damaged_requests),
    }
    return end_counted_alike(found, name, counters)


def end_counted_alike(found: GoBackN, end: str, counted: Mapping[str, tuple[int | None, int]]) -> Verdict:
    """Whether an end has counted what the trace has.

    Args:
        found: The trace's analysis.
        end: The name of the end.
        counted: By the name of a counter, its value and what the trace has.
    """
    wrong = {name: pair for name, pair in counted.items() if pair[0] != pair[1]}
    unknown = [name for name, (value, _) in counted.items() if value is None]
    shown = ", ".join(
        f"{name} {value:,} (the trace has {traced:,})"
        for name, (value, traced) in wrong.items()
        if value is not None
    )
    missing = f"{end} does not count {', '.join(unknown)}" if unknown else ""
    return assess(
        len(wrong),
        EQUAL,
        0,
        subject=f"number of counters of {end} that differ from the trace of path {found.path}",
        measured=f"{len(wrong)} ({shown})" if shown else str(len(wrong)),
        doubt=found.doubt or missing,
    )


def _time(found: GoBackN, longest_ns: int | None, bound: Duration, what: str) -> Verdict:
    return assess(
        longest_ns,
        AT_MOST,
        bound.ns,
        subject=f"longest {what} on path {found.path}",
        measured="not measured" if longest_ns is None else str(Duration(longest_ns)),
        bound=f"<= {bound}",
        doubt=found.doubt or ("" if longest_ns is not None else "no NAK had a packet sent again"),
    )
