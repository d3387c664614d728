# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What loops inside a switch for a responder, and how much of a port each part takes (norma section 9.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..model.ports import Port
from ..model.units import FCS_LENGTH, LINE_OVERHEAD
from .allocation import LoopbackFlow, LoopbackPort, LoopbackPorts
from .match_action import MatchAction, Queue
from .switch_replies import replies_only
from .template_loop import template_packets

_SMALLEST = 64  # bytes of a frame, FCS included
_CONTROL = Fraction(
    1, 5
)  # of a port: packets without payload; five ports of HTTP share one (norma section 9.1)


@dataclass(frozen=True)
class Loop:
    """Of one end: packets that arrive, in one of their passes, or templates that answer them."""

    end: str
    role: str  # ask, read, write, control, or the name of a template
    flow: LoopbackFlow
    queues: tuple[str, ...]  # of the templates that loop; none where packets only pass
    frame_size: int  # bytes, FCS included, of the smallest of them


@dataclass(frozen=True)
class PlacedLoop:
    """Where it loops, and how many template packets of each of its queues do."""

    loop: Loop
    place: LoopbackPort
    templates: int

    def __str__(self) -> str:
        own = f"{self.loop.role} in loopback port {self.place}"
        return f"{own} with {self.templates} template packets" if self.templates else own


def end_loops(name: str, program: MatchAction, port: Port) -> tuple[Loop, ...]:
    """All of an end that answers at the line rate of its port. They share registers, so a pipeline.

    A protocol that keeps a state reads and writes it at line rate, and sends each template with a payload at
    line rate; its packets are as many as the longest answers. One that keeps none is asked by packets of 64
    bytes, as many as there are answers (norma section 9.1, TCP and HTTP). One that only sends back the packet
    in hand needs none of it.
    """
    if replies_only(program.protocol):
        return ()
    sizes = [_size(queue) for queue in program.queues] or [_SMALLEST]
    line = port.speed.bps
    pps = int(line / Fraction(_bits(max(sizes))))

    def loop(role: str, bps: int, queues: Sequence[Queue] = ()) -> Loop:
        size = min(map(_size, queues), default=_SMALLEST)
        flow = LoopbackFlow(f"{name}: {role}", bps, pps, group=name)
        return Loop(name, role, flow, tuple(queue.name for queue in queues), size)

    if program.passes == 1:
        answers = (loop(own.name, pps * _bits(_size(own)), [own]) for own in program.queues)
        return (loop("ask", pps * _bits(_SMALLEST)), *answers)
    content = [own for own in program.queues if own.name in _with_payload(program)]
    control = [own for own in program.queues if own not in content]
    found = [loop("read", line), loop("write", line), *(loop(own.name, line, [own]) for own in content)]
    return (*found, *([loop("control", int(line * _CONTROL), control)] if control else []))


def placed(loop: Loop, place: LoopbackPort, chip: LoopbackPorts) -> PlacedLoop:
    """With as many copies of each of its templates as its share of the port takes."""
    if not loop.queues:
        return PlacedLoop(loop, place, 0)
    share = Fraction(loop.flow.bps, chip.port_bps) / len(loop.queues)
    return PlacedLoop(loop, place, ceil(template_packets(loop.frame_size) * share))


def _with_payload(program: MatchAction) -> Iterator[str]:
    return (own.name for own in program.protocol.templates if own.payload)


def _size(queue: Queue) -> int:
    return max(_SMALLEST, len(queue.octets) + FCS_LENGTH)


def _bits(frame_size: int) -> int:
    """On the wire."""
    return 8 * (frame_size + LINE_OVERHEAD)
