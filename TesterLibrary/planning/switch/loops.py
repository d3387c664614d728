# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packets that loop inside a switch for a responder, and their share of a port (norma section 9.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ...model.ports import Port
from ...model.units.units import FCS_LENGTH, LINE_OVERHEAD
from .allocation import LoopbackFlow, LoopbackPort, LoopbackPorts
from .answers import TAG_LENGTH
from .match_action import MatchAction, Queue
from .replies import replies_only

# y = A x^-B + C through the paper's two points, 120 packets of 64 bytes and 10 of 1500. B is 1 because a loop
# with a fixed delay holds a fixed number of bytes, so fewer packets if they are larger. C is the part that
# does not depend on their size.
_SMALL, _LARGE = (64, 120), (1500, 10)
_A = Fraction(_SMALL[1] - _LARGE[1]) / (Fraction(1, _SMALL[0]) - Fraction(1, _LARGE[0]))
_C = _LARGE[1] - _A / _LARGE[0]

_SMALLEST = 64  # bytes of a frame, FCS included
# The share of a port for packets without payload: five ports of HTTP share one (norma section 9.1).
_CONTROL = Fraction(1, 5)
# The same where nothing is kept of a connection: those that have begun go on, so few packets begin one.
_CONTROL_WITHOUT_STATES = Fraction(1, 100)


@dataclass(frozen=True)
class Loop:
    """A loop of one end: packets that arrive, in one of their passes, or templates that answer them."""

    end: str
    role: str  # ask, read, write, control, or the name of a template
    flow: LoopbackFlow
    queues: tuple[str, ...]  # queues of the templates that loop; none if packets only pass
    frame_size: int  # bytes of the smallest template, FCS included


@dataclass(frozen=True)
class PlacedLoop:
    """A loop with its loopback port, and the number of template packets of each of its queues."""

    loop: Loop
    place: LoopbackPort
    templates: int

    def __str__(self) -> str:
        where = f"{self.loop.role} in loopback port {self.place}"
        return f"{where} with {self.templates} template packets" if self.templates else where


def end_loops(name: str, program: MatchAction, port: Port, *, tagged: bool = False) -> tuple[Loop, ...]:
    """All loops of an end that answers at the line rate of its port. They share registers, so one pipeline.

    A protocol with states reads and writes them at line rate, and sends each template with a payload at line
    rate; the longest answers set its packet rate. A protocol without states receives packets of 64 bytes, one
    for each answer (norma section 9.1, TCP and HTTP). Templates without a payload share a part of a port.
    Those that no row sends, with the parameters of the end, have none. A protocol that only sends back the
    packet in hand needs no loop. Frames may have the tag of a VLAN.
    """
    if replies_only(program.protocol):
        return ()
    sent = {template for entry in program.entries for template in entry.sends}
    queues = [queue for queue in program.queues if queue.name in sent]

    def size_of(queue: Queue) -> int:
        return max(_SMALLEST, len(queue.octets) + FCS_LENGTH + TAG_LENGTH * tagged)

    sizes = [size_of(queue) for queue in queues] or [_SMALLEST]
    line = port.speed.bps
    pps = int(line / Fraction(_bits(max(sizes))))

    def loop(role: str, bps: int, queues: Sequence[Queue] = (), part: Fraction = Fraction(1)) -> Loop:
        size = min(map(size_of, queues), default=_SMALLEST)
        flow = LoopbackFlow(f"{name}: {role}", bps, int(pps * part), group=name)
        return Loop(name, role, flow, tuple(queue.name for queue in queues), size)

    content = [queue for queue in queues if queue.name in _with_payload(program)]
    control = [queue for queue in queues if queue not in content]
    if program.passes == 1:
        content, control = content or control, control if content else []
        found = [loop("ask", pps * _bits(_SMALLEST))]
        found += [loop(queue.name, pps * _bits(size_of(queue)), [queue]) for queue in content]
        share = packets = _CONTROL_WITHOUT_STATES
    else:
        found = [loop("read", line), loop("write", line)]
        found += [loop(queue.name, line, [queue]) for queue in content]
        share, packets = _CONTROL, Fraction(1)
    if control:
        found.append(loop("control", int(line * share), control, packets))
    return tuple(found)


def placed(loop: Loop, place: LoopbackPort, chip: LoopbackPorts) -> PlacedLoop:
    """The loop in a port, with as many copies of each of its templates as its share of the port takes."""
    if not loop.queues:
        return PlacedLoop(loop, place, 0)
    share = Fraction(loop.flow.bps, chip.port_bps) / len(loop.queues)
    return PlacedLoop(loop, place, ceil(template_packets(loop.frame_size) * share))


def _with_payload(program: MatchAction) -> Iterator[str]:
    return (template.name for template in program.protocol.templates if template.payload)


def _bits(frame_size: int) -> int:
    """Bits of a frame on the wire."""
    return 8 * (frame_size + LINE_OVERHEAD)


def template_packets(frame_size: int) -> int:
    """Packets of that size, in bytes with FCS, which keep a loopback port at its line rate.

    Known answers: 120 at 64 bytes, 10 at 1500.
    """
    return ceil(_A / frame_size + _C)
