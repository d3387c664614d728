# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's part in all trials of a testbed, for the certificate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..measurement.departure import GapError
from ..measurement.trial import Trial


@dataclass(frozen=True)
class EvidenceSummary:
    """The worst value of each kind."""

    trials: int
    invalid: int
    repeated: int
    sent: int
    received: int
    worst_shortfall: Fraction
    worst_rate_error: Fraction
    gap_error: GapError
    tester_drops: int
    worst_gap_ns: int
    worst_drift: Fraction
    objections: tuple[tuple[str, int], ...]  # one of each kind, and how many of it there are

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> EvidenceSummary:
        """Drops, gaps and errors are those of the valid trials: invalid ones support no verdict."""
        proof = [t.evidence for t in trials if t.valid]
        zero = Fraction(0)
        return cls(
            trials=len(trials),
            invalid=sum(not t.valid for t in trials),
            repeated=sum(t.attempt > 1 for t in trials),
            sent=sum(t.sent for t in trials),
            received=sum(t.received for t in trials),
            worst_shortfall=max((e.shortfall for e in proof), default=zero),
            worst_rate_error=max((abs(e.rate_error) for e in proof), default=zero),
            gap_error=GapError.merged(s.counters.departures for t in trials if t.valid for s in t.streams),
            tester_drops=sum(e.rx_missed + e.kernel_dropped for e in proof),
            worst_gap_ns=max((e.worst_worker_gap_ns for e in proof), default=0),
            worst_drift=max((abs(e.clock_drift) for e in proof), default=zero),
            objections=by_kind([objection for trial in trials for objection in trial.objections]),
        )


def by_kind(objections: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The first of each kind, and how many there are. Texts of a kind differ in nothing but their numbers."""
    kinds: dict[str, list[str]] = {}
    for text in objections:
        kinds.setdefault(re.sub(r"[-+]?[0-9][0-9.,]*", "0", text), []).append(text)
    return tuple((texts[0], len(texts)) for texts in kinds.values())
