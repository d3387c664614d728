# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what TCP sent again: how long losses were missing, and whether a host has counted the same."""

from __future__ import annotations

from math import inf
from typing import Protocol

from ..measurement.missing_bytes import Recovery
from ..measurement.retransmissions import Retransmissions
from ..measurement.traced_count import Traced, TracedCount
from ..model.units import Duration
from ..verdict import AT_MOST, Between, Verdict, assess
from .host_counters import counter_is_true


class Recovered(Protocol):
    """The losses on a path, and how long they were missing."""

    @property
    def path(self) -> str:
        """The name of the path."""

    @property
    def doubt(self) -> str:
        """Why the trace says nothing; empty if it does."""

    @property
    def lost(self) -> int:
        """Packets that did not leave."""

    @property
    def longest(self) -> Recovery | None:
        """The loss that was missing for the longest time."""


def recovery_below(found: Recovered, bound: Duration) -> Verdict:
    """Whether everything that a path has dropped had left it by a later transmission within a time.

    INCONCLUSIVE where nothing was lost, where the trace is not complete, and where it ended too early.
    """
    longest = found.longest
    doubt = found.doubt or ("" if longest else "nothing was lost, so there was nothing to recover from")
    if longest is None:
        value, measured = None, "not measured"
    elif longest.recovered:
        value, measured = Between(longest.missing_ns, longest.missing_ns), str(Duration(longest.missing_ns))
    else:
        # It is still missing.
        value, measured = Between(longest.missing_ns, inf), f"more than {Duration(longest.missing_ns)}"
    return assess(
        value,
        AT_MOST,
        bound.ns,
        subject=f"recovery time of path {found.path}, {found.lost:,} lost",
        measured=measured,
        bound=f"<= {bound}",
        doubt=doubt,
    )


def counted_alike(found: Retransmissions, host: str, counted: int) -> Verdict:
    """Whether a host has counted as many retransmissions as the trace has of its direction."""
    traced = TracedCount(len(found.found), found.doubt)
    return counter_is_true(
        "TcpRetransSegs", host, counted, traced, what=Traced.RETRANSMISSIONS, path=found.path
    )
