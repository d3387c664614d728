# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on gateways that translate, through the fake tester, and on the times of deletions (RFC 9693)."""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from TesterLibrary.methodology.maximum import MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.teardown import TeardownTrial, measure_teardown
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.procedures.connection_trials import RateMeasurer
from TesterLibrary.targets.fake import FakeNat
from tests.unit.running.procedures.nat_bench import OUTSIDE, Bench
from tests.unit.running.testers import SECOND

from .case import FAKE, Case, judge, judge_on

_OBJECTION = ("a worker did not run for 90 ms",)
_MOST = 10  # connections: the fake runs their tables slowly
_ASKED_NS = 120_000_000  # between two questions of the responder
_WATCHING = {"every": "120 ms", "watch": "300 ms"}
_HOLD = Duration(4 * 10**8)
_SURELY = 6  # frames that come back for two connections while they are held; there are ten or more
_SOON = Ratio(Fraction(1, 1000))


def _bench(folder: str, planted: dict[str, Any] | None, **clients: Any) -> Bench:
    return Bench(Path(folder), None if planted is None else FakeNat(OUTSIDE, **planted), **clients)


def _planted(draw: random.Random) -> dict[str, Any] | None:
    """The fault of a device, if it has one; None: it does not translate."""
    entries, ports = draw.randint(1, _MOST + 3), draw.randint(1, _MOST + 3)
    return draw.choice(
        [
            {},
            {"pool": draw.randint(1, 4)},
            {"entries": entries},
            {"entries": entries, "overwrites": True},
            {"entries": entries, "keeps": draw.randint(0, 2)},
            {"first_port": 2000, "last_port": 1999 + ports, "pool": draw.randint(1, 2)},
            {"idle_ns": draw.choice([_ASKED_NS // 3, 4 * _ASKED_NS])},
            {"lifetime_ns": draw.choice([_ASKED_NS // 3, _HOLD.ns // 2, 60 * 10**9])},
            {"strays": draw.randint(1, _SURELY)},
            {"moves_after": draw.choice([1, 2, 100]), "pool": draw.randint(1, 3)},
            {"drops_first": True},
            {"mixes": draw.randint(1, _MOST + 2)},
            {"deletes": draw.randint(20, 500)},
            None,
        ]
    )


def _holds(planted: dict[str, Any], number: int, tries: int) -> bool:
    """Whether a device holds so many connections and sends to each what is for it.

    An earlier client has opened one, which is kept if any is. Connections are numbered from that one on.
    """
    nat = FakeNat(OUTSIDE, **planted)
    there = min(1, nat.keeps)
    mixed = (n for n in range(2, number + 2) if nat.mixes and n % nat.mixes == 0 and (n > 2 or there))
    return (
        (nat.entries is None or nat.entries - (0 if nat.overwrites else there) >= number)
        and (nat.last_port - nat.first_port + 1) * nat.pool - there >= number
        and (nat.idle_ns is None or nat.idle_ns > _ASKED_NS)
        and (nat.moves_after is None or nat.moves_after > 3)
        and (nat.lifetime_ns is None or nat.lifetime_ns > _HOLD.ns)
        and (not nat.drops_first or tries > 1)
        and (nat.strays is None or number == 1)
        and not any(mixed)
    )


@judge_on(FAKE)
def holding(draw: random.Random) -> Case:
    """So many connections at once, of a device with one fault or none."""
    planted, number, tries = _planted(draw), draw.randint(1, _MOST), draw.choice([1, 1, 2])
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        found = _bench(folder, planted, tries=tries, **_WATCHING).capacity(number, number, _HOLD)
    truth = None if planted is None else _holds(planted, number, tries)
    excuse = "it does not translate" if planted is None else ""
    about = f"bound {number}; {planted} {tries=}; {found.trial}"
    verdict = found.verdict_above(number, str(number))
    return Case("find_maximum behind NAT", truth, verdict, excuse, about, FAKE)


@judge_on(FAKE)
def opening(draw: random.Random) -> Case:
    """So many connections each second, of a device that opens so many, or answers none."""
    planted: dict[str, Any] = draw.choice([{}, {"drops_first": True}, {"rate": draw.randint(20, 60)}])
    asked = draw.randint(20, 50)
    if abs(asked - planted.get("rate", 2 * asked)) <= 6:  # one may come early, and a tenth be missed
        asked = max(1, planted["rate"] - 7)
    search = MaximumSearch(Quantity.RATE, asked, asked, SECOND, _SOON)
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        bench = _bench(folder, planted, hold="0 s")
        measurer = RateMeasurer(bench.ends, "inside", bench.target.forget_connections)
        found = find_maximum(measurer, replace(search, tolerance=Ratio(Fraction(1, 10))))
    truth = not planted or planted.get("rate", 0) >= asked
    about = f"bound {asked}; {planted}; {found.trial}"
    verdict = found.verdict_above(asked, f"{asked}/s")
    return Case("find_maximum of connections behind NAT", truth, verdict, "", about, FAKE)


@judge_on(FAKE)
def deleting(draw: random.Random) -> Case:
    """Connections that a device deletes when it is told to, or some of them, or goes on deleting."""
    deletes, number = draw.randint(5, 200), draw.randint(2, _MOST)
    planted: dict[str, Any] = draw.choice(
        [
            {"deletes": deletes},
            {"deletes": deletes, "lazy": True},
            {"deletes": deletes, "keeps": draw.randint(2, _MOST + 1)},
            {},
        ]
    )
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        found = _bench(folder, planted).teardown(number)
    rate = draw.choice([deletes / 100, deletes / 4, deletes * 4, deletes * 100, deletes])
    bound = Fraction(rate).limit_denominator(100)
    truth = not planted or ("keeps" not in planted and deletes >= bound)
    excuse = "a table of few connections, whose questions are rare"
    about = f"bound {bound}; {planted}; {found.measured[0]}"
    verdict = found.verdict_above(Frequency(bound))
    return Case("measure_teardown behind NAT", truth, verdict, excuse, about, FAKE)


@dataclass
class _Table:
    """A table of connections that takes its time to be deleted, by a command that takes some of its own."""

    draw: random.Random
    held: int
    left: int
    delete_ns: int
    command_ns: int  # for an empty table, at least; up to half as long again
    lazy: bool
    watched_ns: int
    late: float  # part of the times at which the machine is late
    objections: tuple[str, ...]

    def _command_ns(self) -> int:
        return self.command_ns + self.draw.randint(0, self.command_ns // 2)

    def tear_down(self, connections: int) -> TeardownTrial:
        before_ns, empty_ns = self._command_ns(), self._command_ns()
        over_ns = before_ns + self.delete_ns
        command_ns = before_ns if self.lazy else over_ns
        late_ns = 10**8 if self.draw.random() < self.late else 0
        seen = self.lazy and self.delete_ns > 10**7
        trial = TeardownTrial(
            connections=connections,
            held=self.held,
            empty_ns=empty_ns,
            command_ns=command_ns + late_ns,
            least_ns=max(0, over_ns - self.draw.randint(0, 2 * 10**7)) if seen else 0,
            most_ns=over_ns + late_ns + (self.watched_ns if seen else 10**7),
            objections=self.objections,
        )
        if self.left:
            end_ns = command_ns + 10**9
            trial = replace(trial, least_ns=end_ns, most_ns=None, left=self.left)
        return trial


@judge
def teardown(draw: random.Random) -> Case:
    """Times of commands and deletions: what the command may have taken is known of no device."""
    number, rate = draw.choice([10, 1000, 10**6]), draw.choice([10, 1000, 10**5, 10**6])
    fault = draw.random()
    table = _Table(
        draw,
        held=number if fault > 0.05 else draw.randint(0, number),
        left=0 if fault < 0.9 else draw.randint(1, number),
        delete_ns=number * 10**9 // rate,
        command_ns=draw.choice([10**5, 10**7, 3 * 10**8]),
        lazy=draw.random() < 0.4,
        watched_ns=draw.choice([10**8, 8 * 10**8]),
        late=draw.choice([0, 0.02]),
        objections=_OBJECTION if draw.random() < 0.06 else (),
    )
    result = measure_teardown(table, "inside", connections=number, repetitions=draw.choice([1, 3, 4, 10]))
    bound = rate * Fraction(draw.choice([1, 50, 95, 99, 100, 101, 105, 200, 9000]), 100)
    # A command takes half as long again, or twice as long as it ever did; questions tell times within 20 ms.
    surely_ns = table.delete_ns - 4 * table.command_ns - (2 * 10**7 if table.lazy else 0)
    least, most = result.rate, Fraction(number * 10**9, max(1, surely_ns))
    excuse = "the tester" if table.objections else "" if table.held == number else "it holds fewer"
    if table.left == number:
        excuse = excuse or "nothing was deleted"
    if table.left or len(result.measured) < 3 or least < bound <= most:
        excuse = excuse or "the time of the command, or of those that are still there"
    truth = None if table.held < number else not table.left and rate >= bound
    about = f"bound {bound}; {rate=} {table}; {result}"
    return Case("measure_teardown", truth, result.verdict_above(Frequency(bound)), excuse, about)
