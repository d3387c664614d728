# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams over several ports: which port sends to which (RFC 2285 §3.3, RFC 2544 §16, RFC 2889 §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction

from ..errors import PlanError
from .stream import Stream
from .units.units import Rate


class PortPattern(Enum):
    """The pattern by which ports send to each other."""

    PAIRS = "pairs"  # the first and the second port to each other, the third and the fourth, and so on
    MESH = "mesh"  # each port to every other one (fully meshed, RFC 2889 §5.1)
    BACKBONE = "backbone"  # the first port to every other one, and they to it (partially meshed, §5.2)
    ONE_TO_MANY = "one-to-many"  # the first port to every other one
    MANY_TO_ONE = "many-to-one"  # every other port to the first one, which is overloaded above 1/(n-1)
    HALVES = "halves"  # each port of the first half to each of the second half (unidirectional, §5.4)


def routes(pattern: PortPattern, ports: Sequence[str]) -> list[tuple[str, str]]:
    """Sending and receiving port of each stream; those of one sender in the order of RFC 2889 §5.1.3.

    That order begins with the next port, so that as many frames as there are senders go to different
    receivers at the same time.

    Raises:
        PlanError: too few ports, an odd number where they are halved, or one port twice.
    """
    count, pairing = len(ports), pattern in (PortPattern.PAIRS, PortPattern.HALVES)
    repeated = sorted({port for port in ports if list(ports).count(port) > 1})
    if repeated:
        raise PlanError(f"port {repeated[0]!r} is given twice; give each port once")
    if count < 2 or (pairing and count % 2):
        needed = "an even number of ports, 2 or more" if pairing else "2 ports or more"
        raise PlanError(f"pattern {pattern.value} needs {needed}; given were {count}: {', '.join(ports)}")
    if pattern is PortPattern.PAIRS:
        return [(ports[number], ports[number ^ 1]) for number in range(count)]
    if pattern is PortPattern.HALVES:
        half = count // 2
        return [(ports[n], ports[half + (n + step) % half]) for n in range(half) for step in range(half)]
    wanted = _WANTED[pattern]
    return [
        (ports[n], ports[(n + step) % count])
        for n in range(count)
        for step in range(1, count)
        if wanted(n, (n + step) % count)
    ]


_WANTED: dict[PortPattern, Callable[[int, int], bool]] = {  # by the numbers of sender and receiver
    PortPattern.MESH: lambda _tx, _rx: True,
    PortPattern.BACKBONE: lambda tx, rx: 0 in (tx, rx),
    PortPattern.ONE_TO_MANY: lambda tx, _rx: tx == 0,
    PortPattern.MANY_TO_ONE: lambda _tx, rx: rx == 0,
}


def over_ports(stream: Stream, pattern: PortPattern, ports: Sequence[str]) -> tuple[Stream, ...]:
    """A stream for each route, like `stream` but for its ports, named `NAME p1-p2`.

    `stream.rate` is the intended load of each sending port. Its streams get equal parts of it, and their
    frames leave one after the other, so each port sends to its receivers in turn.

    Raises:
        PlanError: see `routes`; or the stream is not evenly spaced, so that frames have no turns.
    """
    if stream.shaping is not None:
        raise PlanError(f"stream {stream.name!r} is not evenly spaced, so its ports cannot take turns")
    found = routes(pattern, ports)
    of_sender = {tx: [rx for sender, rx in found if sender == tx] for tx, _ in found}
    return tuple(
        replace(
            stream,
            name=f"{stream.name} {tx}-{rx}",
            tx=tx,
            rx=rx,
            rate=Rate(stream.rate.value / len(of_sender[tx]), stream.rate.unit),
            phase=Fraction(of_sender[tx].index(rx), len(of_sender[tx])),
            meshed=pattern is not PortPattern.PAIRS,
        )
        for tx, rx in found
    )
