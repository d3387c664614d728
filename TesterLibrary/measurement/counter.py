# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters that one kind of tester has and another lacks.

A target names those that it has in `Capabilities.counts`. Those that it lacks are None in every record, "not
measured" in every report, and make each judge that needs them INCONCLUSIVE.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum


class Counter(Enum):
    """A counter that not every tester has. The value is its name in reports and errors."""

    LATENCY = "latency"
    PERCENTILES = "percentiles of latency"
    DUPLICATED = "duplicated frames"
    REORDERED = "reordered frames"
    EXTENT = "extent of reordering"
    LATE = "late frames"
    CORRUPTED = "corrupted frames"
    WRONG_LENGTH = "frames with another length"
    FRAGMENTS = "frames in pieces"
    WRONG_HEADERS = "frames with wrong headers"
    FOREIGN_KINDS = "kinds of foreign frames"
    MISROUTED = "misrouted frames"
    OUTAGES = "outages"
    ARRIVAL_TIMES = "exact times of arrivals"
    VARIATION = "variation of delay"
    GAP_ERRORS = "errors of gaps"
    VERSIONS = "frames by version"
    REWRITTEN = "frames whose version was rewritten"
    FLOWS = "flows"
    TESTER_DROPS = "frames that the tester itself lost"
    REFUSED = "frames that a port did not take"
    WORKERS = "pauses of the tester's workers"
    CLOCK = "drift of the tester's clock"
    LINKS = "losses of a link"
    CAPTURES = "captures"
    END_PACKETS = "frames of responders and clients"
    END_FLOWS = "flows of responders and clients"


# The targets in software have all counters.
EVERY_COUNTER = frozenset(Counter)


def not_counted(missing: Collection[Counter]) -> str:
    """Why something cannot be said: the tester lacks these counters. Empty if it lacks none."""
    names = " and ".join(sorted(counter.value for counter in missing))
    return f"this tester does not count {names}" if names else ""


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of counts; None when one of them is."""
    each = list(counts)
    known = [count for count in each if count is not None]
    return sum(known) if len(known) == len(each) else None


def increase(before: int | None, after: int | None) -> int | None:
    """The growth of a count between two readings; None where it is not counted."""
    return None if before is None or after is None else after - before
