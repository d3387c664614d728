# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's part in all trials of a testbed, for the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ...measurement.counter import total
from ...measurement.departure import GapError
from ...measurement.evidence import Evidence
from ...measurement.remarks import by_kind
from ...measurement.trial import Trial

_AT_PORTS = (
    ("frames missed because the tester was late", "rx_missed"),
    ("frames that arrived damaged (FCS or length)", "rx_errors"),
    ("frames that could not be sent", "tx_errors"),
    ("PAUSE frames", "rx_pause"),
    ("frames that the interface received and the tester did not see", "rx_unseen"),
)
N = TypeVar("N", int, Fraction)


@dataclass(frozen=True)
class EvidenceSummary:
    """The worst value of each kind; None where the tester does not measure it, or no trial is valid."""

    trials: int
    invalid: int
    repeated: int
    sent: int
    received: int
    worst_shortfall: Fraction | None
    worst_rate_error: Fraction | None
    worst_burst_error: Fraction | None  # rate error beyond the tester's limit: a burst has a wider one
    gap_error: GapError
    tester_drops: int | None
    worst_gap_ns: int | None
    worst_drift: Fraction | None
    worst_clock_error_ns: int | None  # of several testers, to each other
    at_ports: tuple[tuple[str, int | None], ...]  # counters of all ports in all trials, with their names
    objections: tuple[tuple[str, int], ...]  # one of each kind, and their number

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> EvidenceSummary:
        """Drops, gaps and errors are those of the valid trials: invalid ones support no verdict."""
        valid = [trial for trial in trials if trial.valid]
        proof = [trial.evidence for trial in valid]
        return cls(
            trials=len(trials),
            invalid=sum(not t.valid for t in trials),
            repeated=sum(t.attempt > 1 for t in trials),
            sent=sum(t.sent for t in trials),
            received=sum(t.received for t in trials),
            worst_shortfall=_worst([e.shortfall for e in proof]),
            worst_rate_error=_rate_error(valid, bursts=False),
            worst_burst_error=_rate_error(valid, bursts=True),
            gap_error=_gap_error(valid),
            tester_drops=_sum([drops for e in proof for drops in (e.rx_missed, e.kernel_dropped)]),
            worst_gap_ns=_worst([e.worst_worker_gap_ns for e in proof]),
            worst_drift=_worst([_drift(e) for e in proof]),
            worst_clock_error_ns=_worst([e.clock_error_ns for e in proof]),
            at_ports=tuple((name, _at_ports(trials, counter)) for name, counter in _AT_PORTS),
            objections=by_kind([objection for trial in trials for objection in trial.objections]),
        )


def _rate_error(valid: Sequence[Trial], *, bursts: bool) -> Fraction | None:
    return _worst([abs(trial.evidence.rate_error) for trial in valid if _is_burst(trial) == bursts])


def _gap_error(valid: Sequence[Trial]) -> GapError:
    return GapError.merged(stream.counters.departures for trial in valid for stream in trial.streams)


def _drift(evidence: Evidence) -> Fraction | None:
    return None if evidence.clock_drift is None else abs(evidence.clock_drift)


def _is_burst(trial: Trial) -> bool:
    """Whether a valid trial has a rate error that its tester's limit allows bursts only."""
    return abs(trial.evidence.rate_error) > trial.max_rate_error


def _at_ports(trials: Sequence[Trial], counter: str) -> int | None:
    """The sum over ports and trials; None if one of them did not count it."""
    if counter == "rx_missed":
        return _sum([trial.evidence.rx_missed for trial in trials])
    return _sum([getattr(port, counter) for trial in trials for port in trial.evidence.ports])


def _worst(values: Sequence[N | None]) -> N | None:
    """The greatest; None if one was not measured, or there is none."""
    known = [value for value in values if value is not None]
    return max(known, default=None) if len(known) == len(values) else None


def _sum(values: Sequence[int | None]) -> int | None:
    """As `total`; None where there was no trial that could count."""
    return total(values) if values else None
