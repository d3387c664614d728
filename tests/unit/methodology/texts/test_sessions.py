# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.sessions import (
    connection_rate_above,
    even_shares,
    failures_below,
    goodput_above,
    time_below,
)
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, MILLISECOND, NONE, TENTH, connections, said

_REFUSED = {"tcp.bytes_received": 10**9, "http.refused": 3, "http.completed": 0}


_NOTHING = {"tcp.established": 0, "tcp.bytes_received": 0, "http.completed": 0}
_FAILED = {"failed": 10, "ended": 10, "openings": 10, "begun": 10, "opens": True}


def _dead() -> SessionTrial:
    """Clients whose connections have all been refused, when it begins to measure."""
    whole = connections(counters=_NOTHING | {"tcp.refused": 10}, failures=("tcp.refused",), **_FAILED)
    now = connections(counters=_NOTHING, openings=0, begun=0, opens=True).statistics
    now = replace(now, histograms={name: DurationCounters() for name in now.histograms})
    return SessionTrial(
        now, Fraction(2_000), failed_before="10 failed (10 refused)", whole=whole.statistics, unserved=True
    )


def _silent() -> SessionTrial:
    """Clients whom nobody answers."""
    now = connections(counters=_NOTHING, openings=48, begun=48, concurrent=48, opens=True).statistics
    now = replace(now, histograms={name: DurationCounters() for name in now.histograms})
    return SessionTrial(now, Fraction(2_000), unanswered=48, silent=48)


def _omitted(**changes: Any) -> SessionTrial:
    """Clients with one place, whose server stood still for half of the time."""
    counted = connections(
        counters=_NOTHING | {"tcp.bytes_received": 10**6, "http.completed": 980}, openings=980
    )
    given = {"all_in_use": 1, "unopened": 1_018, "late": 1_020, **changes}
    return replace(counted, due=Fraction(2_000), **given)


def judged(trial: SessionTrial) -> Iterator[Verdict]:
    yield connection_rate_above(trial, Frequency.parse("1 k/s"))
    yield goodput_above(trial, Bandwidth.parse("1 Mbps"))
    yield time_below(trial, "time_to_open", Duration(MILLISECOND), 99)
    yield failures_below([trial], NONE)


def sessions() -> Iterator[Verdict]:
    yield connection_rate_above(connections(), Frequency.parse("1 k/s"))
    yield connection_rate_above(connections(), Frequency.parse("2 M/s"))
    yield connection_rate_above(connections(due=Fraction(1_234_567)), Frequency.parse("2 M/s"))
    yield connection_rate_above(connections(objections=LATE), Frequency.parse("1 k/s"))
    yield goodput_above(connections(), Bandwidth.parse("1 Gbps"))
    yield goodput_above(connections(objections=LATE), Bandwidth.parse("1 Gbps"))
    yield goodput_above(connections(failed=3), Bandwidth.parse("1 Gbps"))
    yield goodput_above(connections(counters={"flood.answered": 5}), Bandwidth.parse("1 Gbps"))
    refused = connections(
        failed=3, ended=3, openings=3, begun=3, counters=_REFUSED, failures=("http.refused",)
    )
    yield goodput_above(refused, Bandwidth.parse("1 Mbps"))
    yield goodput_above(replace(refused, unserved=True), Bandwidth.parse("1 Mbps"))
    yield goodput_above(replace(connections(), failed_before="20 failed"), Bandwidth.parse("1 Gbps"))
    yield time_below(connections(), "time_to_open", Duration(MILLISECOND), 99)
    yield time_below(connections(), "time_to_open", Duration(1), 99)
    yield failures_below([connections()], NONE)
    yield failures_below([connections(failed=1_234)], NONE)
    yield failures_below([connections(failed=4, openings=0, begun=0)], NONE)
    yield failures_below([connections(failed=None)], NONE)
    yield failures_below([connections(openings=0, begun=0)], NONE)
    before = replace(connections(openings=0, begun=0), failed_before="5 failed (5 refused)")
    yield failures_below([before], NONE)
    yield failures_below([connections(objections=LATE)], NONE)
    yield from (judge for trial in (_dead(), _silent(), _omitted()) for judge in judged(trial))
    yield goodput_above(_omitted(), Bandwidth.parse("1 Gbps"))
    yield goodput_above(_omitted(all_in_use=0), Bandwidth.parse("1 Gbps"))
    yield connection_rate_above(
        replace(_omitted(), statistics=connections().statistics), Frequency.parse("1 k/s")
    )
    yield time_below(_omitted(late=0, unopened=0), "time_to_open", Duration(MILLISECOND), 50)
    yield even_shares({"one": 1_000, "two": 1_010}, TENTH)
    yield even_shares({"one": 1_000_000, "two": 10}, TENTH)
    yield even_shares({"one": 0, "two": 0}, TENTH)
    yield even_shares({"one": 0, "two": None}, TENTH)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("sessions", said(sessions))
