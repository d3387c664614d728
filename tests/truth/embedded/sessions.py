# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on connections through a router that refuses some of them, holds so many, or carries so much."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from TesterLibrary.methodology.maximum import MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.sessions import connection_rate_above, failures_below, goodput_above
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, End, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.running.procedures.connection_trials import ConcurrencyMeasurer

from ..case import Case, near
from .lab import ROUTER, Lab, judge_at

_SERVER = "198.19.1.10:80"
_OPENING = "iifname p1 tcp flags & (syn | ack) == syn"
_CHAIN = """
  counter opened {{}}
  counter refused {{}}
  chain passing {{
    type filter hook forward priority filter
    {opening} counter name opened
    {opening} {rule}
  }}
"""
_SECOND = Duration(10**9)


@contextmanager
def _ends(lab: Lab, protocol: str, **users: object) -> Iterator[None]:
    """A server behind the device, and clients before it."""
    ends = lab.bed.connections
    servers = Endpoints.parse(_SERVER)
    ends.start(Responder(name="web", port="p2", protocol=f"{protocol}-server", servers=servers))
    try:
        wanted = {"name": "users", "port": "p1", "protocol": f"{protocol}-client", "target": servers}
        ends.start(Clients(**{**wanted, **users}))  # type: ignore[arg-type]
        yield
    finally:
        ends.stop([], End)


def _refusing(draw: random.Random) -> tuple[Fraction, str]:
    """The part of the connections that the router refuses, and how."""
    every = draw.choice([0, 0, 2, 5, 20, 100])
    if not every:
        return Fraction(0), ""
    return Fraction(1, every), f"numgen inc mod {every} == 0 counter name refused reject with tcp reset"


@judge_at(ROUTER, slow=True)
def failures(draw: random.Random, lab: Lab) -> Case:
    """Failures of connections: the router counts those that it refuses; a dead one drops every SYN."""
    total, dead = draw.randint(20, 500), draw.random() < 0.15
    _, rule = _refusing(draw)
    if dead:
        rule = "counter name refused drop"
    rate = Frequency(Fraction(1000))
    with lab.rules("ip", _CHAIN.format(opening=_OPENING, rule=rule)) as rules:
        with _ends(lab, "http", total=total, connections=total, rate=rate, reopen=Reopen.ALWAYS):
            over = Duration(total * 10**6 + 300 * 10**6) if dead else Duration(10 * 10**9)
            lab.bed.connections.wait(
                "users", lambda s: (s.ended or 0) + (s.failed or 0) >= total and not s.concurrent, over
            )
            trial = lab.bed.connections.so_far("users")
        counted = rules.packets()
    refused = total if dead else counted["refused"]
    part = Fraction(refused, total)
    bound = min(Fraction(1), near(draw, part, Fraction(1, total)))
    if dead and bound == 1:
        bound = Fraction(1, 2)
    excuse = "no answer yet" if dead else ""
    about = f"bound {bound}; {total} connections, {rule!r}: {counted}; {trial}"
    return Case("failures_below", part <= bound, failures_below([trial], Ratio(bound)), excuse, about)


@judge_at(ROUTER, slow=True)
def rate(draw: random.Random, lab: Lab) -> Case:
    """Connections at a steady rate, of which a part is refused; the others are established."""
    asked = draw.choice([100, 400, 1000])
    part, rule = _refusing(draw)
    clients = {"connections": 2000, "rate": Frequency(Fraction(asked)), "reopen": Reopen.ALWAYS}
    with lab.rules("ip", _CHAIN.format(opening=_OPENING, rule=rule)) as rules:
        with _ends(lab, "http", **clients):
            lab.tester.clock.sleep(0.2)
            trial = lab.bed.connections.measure_well("users", _SECOND)
        counted = rules.packets()
    opened = asked * (1 - part)
    bound = draw.choice([opened * Fraction(9, 10) - 3, opened * Fraction(11, 10) + 3, opened / 2, opened * 2])
    bound = max(Fraction(1), bound)
    excuse = "no more was asked" if bound > opened and not part else ""
    verdict = connection_rate_above(trial, Frequency(bound))
    about = f"bound {bound}; {asked}/s, {rule!r}: {counted}; {trial}"
    return Case("connection_rate_above", opened >= bound, verdict, excuse, about)


@judge_at(ROUTER, slow=True)
def concurrent(draw: random.Random, lab: Lab) -> Case:
    """The router's table of connections has room for so many."""
    room = draw.randint(20, 200)
    search = MaximumSearch(
        Quantity.CONCURRENT, room // 2, 2 * room, Duration(3 * 10**8), Ratio(Fraction(1, 10))
    )
    rule = f"ct state new ct count over {room} counter name refused drop"
    holding = {"hold": _SECOND, "size": 0}
    clients = {"connections": 1, "rate": Frequency(Fraction(1000)), "parameters": holding}
    with lab.rules("ip", _CHAIN.format(opening=_OPENING, rule=rule)) as rules:
        with _ends(lab, "tcp", **clients):
            result = find_maximum(ConcurrencyMeasurer(lab.bed.connections, "users"), search)
        counted = rules.packets()
    bound = draw.choice([room, room + 1, room * 8 // 10, room * 12 // 10 + 1, room // 2, 2 * room + 1])
    between = result.maximum < bound < (result.failed_at or 0)
    excuse = "between two levels of the search" if between else ""
    verdict = result.verdict_above(bound, str(bound))
    about = f"bound {bound}; {room=}: {counted}; {result}"
    return Case("find_maximum", room >= bound, verdict, excuse, about)


@judge_at(ROUTER, slow=True)
def goodput(draw: random.Random, lab: Lab) -> Case:
    """A token bucket before the clients, who ask for all that they can get."""
    mbps = draw.choice([10, 20, 40])
    lab.inside(*f"tc qdisc replace dev p1 root tbf rate {mbps}mbit burst 15000 limit 60000".split())
    try:
        with _ends(lab, "http", connections=4, parameters={"requests": 1000, "size": 100_000}):
            lab.tester.clock.sleep(0.5)
            trial = lab.bed.connections.measure_well("users", _SECOND)
    finally:
        lab.inside("tc", "qdisc", "delete", "dev", "p1", "root")
    part = draw.choice([Fraction(3, 10), Fraction(5, 10), Fraction(13, 10), Fraction(2)])
    bound = Bandwidth(int(part * mbps * 10**6))
    about = f"bound {bound}; {mbps} Mbps; {trial}"
    return Case("goodput_above", part < 1, goodput_above(trial, bound), "", about)
