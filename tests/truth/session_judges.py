# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what clients carried, how long it took, how many were held, and how even servers shared it."""

from __future__ import annotations

import random
from collections import Counter as Tally
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from types import SimpleNamespace
from typing import Any

from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.maximum import MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.sessions import even_shares, goodput_above, time_below
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.verdict import Verdict
from tests.counted import session_statistics

from .case import Case, judge, near

# Twice the error in docs/measurement.md for a time of connections: once for reading it, once for judging.
_MICROSECOND, _TIME_ERROR = 2_000, Fraction(6, 1000)
_OBJECTION = ("a worker did not run for 90 ms",)


def _fault(draw: random.Random) -> tuple[str, ...]:
    return _OBJECTION if draw.random() < 0.08 else ()


@judge
def goodput(draw: random.Random) -> Case:
    """Payload in a time; clients who ask at a rate may have asked for no more."""
    octets, duration_ns = draw.randint(0, 10**9), draw.choice([10**8, 10**9, 3 * 10**9])
    openings = draw.randint(1, 300)
    failed = draw.choice([0, 0, draw.randint(0, openings)])
    paced, fault = draw.random() < 0.4, _fault(draw)
    statistics = session_statistics(
        "users",
        duration_ns,
        {"tcp.bytes_received": octets, "tcp.established": openings - failed},
        {},
        openings=openings,
        begun=openings,
        ended=openings,
        failed=failed,
        opens=True,
    )
    trial = SessionTrial(statistics, due=Fraction(openings) if paced else None, objections=fault)
    value = Fraction(octets * 8 * 10**9, duration_ns)
    bound = Bandwidth(max(1, round(near(draw, value, Fraction(8 * 10**9, duration_ns)))))
    reached = value >= bound.bps
    excuse = "the tester" if fault else ""
    if reached and 2 * failed > openings:
        excuse = excuse or "most of it may be refusals"
    if not reached and paced and not failed:
        excuse = excuse or "no more was asked"
    about = f"bound {bound}; {octets} bytes in {duration_ns} ns, {openings=} {failed=} {paced=} {fault=}"
    return Case("goodput_above", reached, goodput_above(trial, bound), excuse, about)


@judge
def time(draw: random.Random) -> Case:
    """A percentile of times in whole microseconds, by their buckets at most 0.1 % off."""
    number = draw.choice([0, 1, draw.randint(2, 500)])
    each = sorted(draw.choice([draw.randint(1, 400), draw.randint(1, 10**6)]) for _ in range(number))
    fault = _fault(draw)
    percent = draw.choice(["50", "90", "99", "99.9", "100"])
    taken = DurationCounters()
    if each:
        taken = DurationCounters(number, sum(each), each[0], each[-1], dict(Tally(map(index_of, each))))
    statistics = session_statistics("users", 10**9, {}, {"http.time_to_first_byte": taken}, opens=True)
    trial = SessionTrial(statistics, objections=fault)
    value = 1000 * each[ceil(number * Fraction(percent) / 100) - 1] if each else 0
    margin = 0 if percent == "100" else max(1001, ceil(value / 200))
    bound = max(0, draw.choice([value + margin, value - margin - 1, 2 * value + 2000, value // 2 - 2000]))
    verdict = time_below(trial, "time_to_first_byte", Duration(bound), float(percent))
    excuse = "the tester" if fault else "" if each else "nothing was measured"
    if abs(value - bound) <= _MICROSECOND + _TIME_ERROR * max(value, bound):
        excuse = excuse or "closer to the bound than its error"
    if number * (1 - Fraction(percent) / 100) < 1 and percent != "100":
        excuse = excuse or "too few for this percentile"
    about = f"p{percent} {bound} ns; {value} ns of {number} times"
    return Case("time_below", value <= bound if each else None, verdict, excuse, about)


@judge
def shares(draw: random.Random) -> Case:
    """The shares of several servers in the transactions."""
    most = draw.choice([0, 1, 10, 1000])
    done = {f"server{number}": draw.randint(0, most) for number in range(1, draw.randint(3, 6))}
    if draw.random() < 0.4:
        done = dict.fromkeys(done, most)
    doubt = _OBJECTION[0] if draw.random() < 0.08 else ""
    mean = Fraction(sum(done.values()), len(done))
    off = max(abs(one - mean) for one in done.values()) / mean if mean else Fraction(0)
    bound = Ratio(min(Fraction(1), near(draw, off, Fraction(1, sum(done.values()) or 1))))
    excuse = "the tester" if doubt else "" if mean else "no transaction"
    about = f"bound {bound}; {done} {doubt=}"
    return Case(
        "even_shares", off <= bound.value if mean else None, even_shares(done, bound, doubt), excuse, about
    )


@dataclass
class _Device:
    """Holds so many connections, or opens so many a second, behind a tester that may have a limit."""

    quantity: Quantity
    most: int
    limit: int

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        asked = level if self.quantity is Quantity.CONCURRENT else ceil(level * duration.seconds)
        room = self.most if self.quantity is Quantity.CONCURRENT else int(self.most * duration.seconds)
        opened = min(asked, self.limit)
        answered = min(opened, room)
        statistics = session_statistics(
            "users",
            duration.ns,
            {"tcp.established": answered},
            {},
            openings=opened,
            begun=opened,
            failed=opened - answered,
            concurrent=answered if self.quantity is Quantity.CONCURRENT else 0,
            opens=True,
        )
        missing = asked - opened
        objections = (f"the tester opened {opened} of {asked} flows in time",) if missing else ()
        return SessionTrial(statistics, due=Fraction(asked), objections=objections)


@judge
def maximum(draw: random.Random) -> Case:
    """A search that doubles and halves; between its last two levels nobody knows."""
    quantity = draw.choice(list(Quantity))
    most = draw.choice([0, draw.randint(1, 50), draw.randint(1, 20_000)])
    limit = draw.choice([10**9, 10**9, draw.randint(1, 30_000)])
    lowest = draw.choice([1, 10, 500])
    search = MaximumSearch(
        quantity,
        lowest,
        lowest * draw.choice([1, 10, 1000]),
        Duration(10**9),
        Ratio(Fraction(1, draw.choice([1000, 50, 4]))),
        tolerance=Ratio(Fraction(0)),
    )
    result = find_maximum(_Device(quantity, most, limit), search)
    bound = max(1, draw.choice([most, most + 1, most - 1, most * 2, most // 2, search.highest, lowest]))
    between = result.maximum < bound < (result.failed_at or 0)
    excuse = "between two levels of the search" if between else ""
    if bound > search.highest and most >= search.highest:
        excuse = "the highest level of the search"
    if limit < 10**9:
        excuse = "the tester has a limit"
    verdict = result.verdict_above(bound, str(bound))
    about = f"bound {bound}; {most=} {limit=}; {search}"
    return Case(f"find_maximum of {quantity.value}", most >= bound, verdict, excuse, about)


@judge
def proxied(draw: random.Random) -> Case:
    """A proxy asks once for each request, twice as some do, not at all, or answers some from a cache."""
    front = draw.choice([1, 300, draw.randint(1, 2000)])
    behind = max(0, draw.choice([front, front, 2 * front, front + 1, front - 1, 0, front // 2]))
    counts = draw.random() < 0.9
    statistics = session_statistics(
        "backends", 10**9, {"http-server.answered": behind} if counts else {}, {}, begun=behind, ended=behind
    )
    fault = ("3 frames were lost in the tester's own rings and interfaces",) if draw.random() < 0.08 else ()
    opening = (front - behind, "connections of users are still to be opened") if draw.random() < 0.1 else None
    trial = SessionTrial(statistics, objections=fault)
    verdicts: list[Verdict] = []

    def conclude(verdict: Verdict, _message: str | None = None) -> Verdict:
        verdicts.append(verdict)
        return verdict.enforce()

    ends = SimpleNamespace(
        so_far=lambda _: trial,
        settled_so_far=lambda _: trial,
        behind=lambda *_, **__: opening,
        runs=lambda *_: True,
    )
    suite: Any = SimpleNamespace(connections=ends, conclude=conclude)
    with suppress(VerdictFailed, Inconclusive):
        SessionGetter(suite).statistic("backends", "transactions", AssertionOperator["=="], front, None)
    (verdict,) = verdicts
    excuse = "the tester" if fault else "" if counts else "the tables do not count it"
    if opening:
        excuse = excuse or "more are to be opened"
    about = f"{front} in front, {behind} behind; {fault=} {counts=} {opening=}"
    return Case("requests behind a proxy", front == behind, verdict, excuse, about)
