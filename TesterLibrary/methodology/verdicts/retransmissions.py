# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what TCP sent again: how long losses were missing, and whether a host has counted the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

from ...measurement.traces.missing_bytes import Recovery
from ...measurement.traces.retransmissions import Retransmissions
from ...measurement.traces.traced_count import Traced, TracedCount
from ...model.units.units import Duration, duration_text
from ...verdict import AT_MOST, Between, Outcome, Verdict, assess
from .host_counters import counter_is_true

RETRANSMITTED = "TcpRetransSegs"  # of a host's kernel


class Recovered(Protocol):
    """The losses on a path, and how long they were missing."""

    @property
    def path(self) -> str:
        """The name of the path."""

    @property
    def doubt(self) -> str:
        """Why the trace says nothing; empty if it does."""

    @property
    def recoveries(self) -> tuple[Recovery, ...]:
        """The packets that did not leave, and how long each was missing."""


def recovery_below(found: Recovered, bound: Duration) -> Verdict:
    """Whether everything that a path has dropped had left it by a later transmission within a time.

    INCONCLUSIVE where nothing was lost, where the trace is not complete, and where it ended too early.
    """
    lost = found.recoveries
    doubt = found.doubt or ("" if lost else "nothing was lost, so there was nothing to recover from")
    longest_ns = max((each.missing_ns for each in lost), default=0)
    if not lost:
        value, measured = None, "not measured"
    elif all(each.recovered for each in lost):
        value, measured = Between(longest_ns, longest_ns), str(Duration(longest_ns))
    else:
        # One is still missing, and may be for longer than any other.
        value, measured = Between(longest_ns, inf), f"more than {Duration(longest_ns)}"
    return assess(
        value,
        AT_MOST,
        bound.ns,
        subject=f"recovery time of path {found.path}, {len(lost):,} lost",
        measured=measured,
        bound=f"<= {bound}",
        doubt=doubt,
        text=duration_text,
    )


def any_recovery_below(found: Sequence[Recovered], bound: Duration) -> Verdict:
    """The worst verdict of those that have lost something, or that of the first one."""
    verdicts = [recovery_below(each, bound) for each in found if each.recoveries]
    worst = Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS
    return min(
        verdicts or [recovery_below(found[0], bound)], key=lambda verdict: worst.index(verdict.outcome)
    )


def counted_alike(found: Retransmissions, host: str, counted: int | str, doubt: str = "") -> Verdict:
    """Whether a host has counted as many retransmissions as the trace has of its direction."""
    traced = TracedCount(len(found.found), found.doubt)
    return counter_is_true(
        RETRANSMITTED,
        host,
        counted,
        traced,
        what=Traced.RETRANSMISSIONS,
        path=found.path,
        doubt="; ".join(filter(None, (doubt, found.shared))),
    )
