# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.sessions import (
    connection_rate_above,
    even_shares,
    failures_below,
    goodput_above,
    time_below,
)
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.units import Bandwidth, Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, MILLISECOND, NONE, TENTH, connections, said

_REFUSED = {"tcp.bytes_received": 10**9, "http.refused": 3, "http.completed": 0}


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
    yield even_shares({"one": 1_000, "two": 1_010}, TENTH)
    yield even_shares({"one": 1_000_000, "two": 10}, TENTH)
    yield even_shares({"one": 0, "two": 0}, TENTH)
    yield even_shares({"one": 0, "two": None}, TENTH)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("sessions", said(sessions))
