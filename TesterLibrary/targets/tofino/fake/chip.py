# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The chip of a fake switch: templates that loop, copies that leave, packets that come back, by time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from math import ceil
from typing import Generic

from ....model.units.units import FCS_LENGTH, LINE_OVERHEAD, MIN_FRAME_SIZE
from ....planning.switch.chip import Chip, pipe_of
from ..session.switch import PortSetup
from .pace import Pace
from .packet_budget import Haste
from .pipelines import READ, TEMPLATE, Mirrored, P, Pipelines, Way
from .store import Store, number
from .wire import Wire

_TEMPLATES = "internal.InternalIngress.template_loop.templates"
_RATE = "internal.InternalIngress.rate."
_METER = f"{_RATE}meter"
_SHORTEST = MIN_FRAME_SIZE - FCS_LENGTH
_ROUND_NS = 1000  # time of one round of a loop


@dataclass(order=True)
class _Event:
    at_ns: int
    number: int
    does: Callable[[int], None] = field(compare=False)


@dataclass
class _Loop(Generic[P]):
    """All copies of a template that loop through a port, treated as one."""

    packet: P
    port: int
    entered_ns: int
    began_ns: int
    turn: int = 0  # the next turn that the meter calls green
    paced: int = 0  # how often its pace has changed; turns of an older pace are void
    turns: bool = False  # whether its next turn will come


class FakeChip(Generic[P]):
    """Everything between the tables and the wire. Times are nanoseconds of the switch's clock."""

    def __init__(
        self,
        store: Store,
        pipelines: Pipelines[P],
        pace: Pace,
        wire: Wire,
        now_ns: int,
        chip: Chip,
        internal_pipes: Collection[int],
        clock: Callable[[], int] | None = None,
        haste: Haste | None = None,
    ) -> None:
        """`clock` says when frames leave that are late; None: none is, because time waits for the chip.

        So it does without `haste`, which gives up on what would take too long.
        """
        self.groups: dict[int, tuple[int, ...]] = {}
        self.mirrors: dict[int, int] = {}  # device ports, by session
        self.to_cpu: list[bytes] = []
        self.unlinked: set[int] = set()  # device ports whose link is down
        self._store, self._pipelines, self._pace = store, pipelines, pace
        self._wire, self._now_ns, self._chip, self._internal = wire, now_ns, chip, internal_pipes
        self._clock, self._haste = clock, haste
        self._ports: dict[int, PortSetup] = {}
        self._loops: dict[int, _Loop[P]] = {}
        self._events: list[_Event] = []
        self._number = 0

    def run(self, now_ns: int) -> None:
        """Runs all events until then. SwitchGone if that takes too long."""
        due = partial(self._due, now_ns)
        if self._haste:
            self._haste.begin()
        while self._events and self._events[0].at_ns <= now_ns:
            event = heappop(self._events)
            self._now_ns = event.at_ns
            event.does(event.at_ns)
            if self._haste:
                self._haste.event(due)
        self._now_ns = max(self._now_ns, now_ns)
        for loop in self._loops.values():
            self._go_round(loop)

    def _due(self, until_ns: int) -> int:
        """The packets that templates send from now until then, about."""
        packets = Fraction(0)
        for template, loop in self._loops.items():
            if loop.turns:
                gap_ns = self._pace.mean_gap_ns(template) or self._gap_ns(loop)
                turns = (until_ns - self._now_ns) / gap_ns
                packets += self._pace.passed(pipe_of(loop.port), template, turns)
        return int(packets)

    def set_port(self, port: PortSetup) -> None:
        """Brings a port up."""
        self._ports[port.device_port] = port

    def remove_port(self, device_port: int) -> None:
        """Takes a port down; packets that loop through it are lost."""
        self._ports.pop(device_port, None)
        self._loops = {number: loop for number, loop in self._loops.items() if loop.port != device_port}

    def set_link(self, device_port: int, *, up: bool) -> None:
        """Sets a port's link. Without it packets that leave are lost, and none arrive."""
        if up:
            self.unlinked.discard(device_port)
        else:
            self.unlinked.add(device_port)

    def from_cpu(self, octets: bytes) -> None:
        """Handles a packet of the driver."""
        cpu = self._cpu_port()
        if cpu is not None and self._is_up(cpu):
            self._went(self._pipelines.ingress(cpu, octets.ljust(_SHORTEST, b"\0"), self._now_ns))

    def arrive(self, port: int, octets: bytes, now_ns: int) -> None:
        """Handles a frame that arrives at a front-panel port, filled up by the MAC that has sent it."""
        if port not in self.unlinked:
            self._went(self._pipelines.ingress(port, octets.ljust(_SHORTEST, b"\0"), now_ns))

    def changed(self, tables: Iterable[str]) -> None:
        """Takes note that entries of tables have changed."""
        tables = list(tables)
        self._pipelines.changed(tables)
        anew = not {_TEMPLATES, _METER}.isdisjoint(tables)
        if anew or any(name.startswith(_RATE) for name in tables):
            for template, loop in list(self._loops.items()):
                if self._store.match(_TEMPLATES, template) is None:
                    del self._loops[template]
                elif anew or not loop.turns or self._pace.over(pipe_of(loop.port), template):
                    self._begin(loop)  # else units go on at the turns that they have

    def _went(self, ways: Iterable[Way[P] | Mirrored[P]]) -> None:
        for way in ways:
            if isinstance(way, Mirrored):
                self._mirror(way)
            elif pipe_of(way.port) in self._internal:
                self._enter(way.packet, way.port)
            else:
                self._leave(way.packet, way.port)

    def _enter(self, packet: P, port: int) -> None:
        """Handles a packet in the internal ingress, behind its loopback port."""
        setup = self._ports.get(port)
        if setup is None or not setup.loopback:
            return
        if packet.kind != TEMPLATE:
            self._pass(packet, port)
        elif self._store.match(_TEMPLATES, packet.template) and packet.template not in self._loops:
            loop = self._loops[packet.template] = _Loop(packet, port, self._now_ns, self._now_ns)
            self._begin(loop)

    def _pass(self, packet: P, port: int) -> None:
        """Lets a packet of a flow through. Templates that come round next poll their queues."""
        again = self._pipelines.inside(packet, port, self._now_ns).again
        if again is not None:
            self._at(self._now_ns + _ROUND_NS, lambda _: self._enter(again.packet, again.port))
        if packet.kind == READ:
            self._at(self._now_ns + _ROUND_NS, lambda _: self._poll(pipe_of(port)))

    def _poll(self, pipe: int) -> None:
        for loop in self._loops.values():
            entry = self._store.match(_TEMPLATES, loop.packet.template)
            if entry and str(entry.action).endswith(".reply") and pipe_of(loop.port) == pipe:
                self._round(loop)

    def _round(self, loop: _Loop[P]) -> None:
        """Lets a template through, whose copy may leave."""
        inside = self._pipelines.inside(loop.packet, loop.port, self._now_ns)
        if inside.again is not None:
            loop.packet = inside.again.packet
        if inside.copy is not None:
            for port in self.groups.get(inside.group, ()):
                self._leave(inside.copy, port)

    def _begin(self, loop: _Loop[P]) -> None:
        """Begins turns anew, because a meter that is written has a full bucket."""
        loop.paced, loop.turns = loop.paced + 1, False
        loop.began_ns, loop.turn = self._now_ns, 0
        entry = self._store.match(_TEMPLATES, loop.packet.template)
        rated = entry is not None and str(entry.action).endswith(".stream")
        pipe, template = pipe_of(loop.port), loop.packet.template
        if rated and not self._pace.over(pipe, template):
            self._pace.stood(pipe, template, self._now_ns)
            self._next_turn(loop)

    def _go_round(self, loop: _Loop[P]) -> None:
        """Counts the rounds of a loop, even if it has no turns."""
        template, time_ns = loop.packet.template, self._now_ns - loop.began_ns
        entry = self._store.match(_TEMPLATES, template)
        if entry is not None:
            self._store.hits[_TEMPLATES, entry.place] = (self._now_ns - loop.entered_ns) // _ROUND_NS
            self._pace.wait(pipe_of(loop.port), template, time_ns // _ROUND_NS, time_ns)

    def _next_turn(self, loop: _Loop[P]) -> None:
        paced, loop.turns = loop.paced, True
        at_ns = loop.began_ns + ceil(loop.turn * self._gap_ns(loop))
        self._at(at_ns, lambda _: self._turn(loop, paced))

    def _gap_ns(self, loop: _Loop[P]) -> Fraction:
        """The gap between green turns, by the meter or by the speed of the port."""
        line = Fraction(8 * 10**9 * (loop.packet.size + LINE_OVERHEAD), self._ports[loop.port].speed_bps)
        pps = self._pace.pps(pipe_of(loop.port), loop.packet.template)
        return max(line, 10**9 / pps) if pps else line

    def _turn(self, loop: _Loop[P], paced: int) -> None:
        template = loop.packet.template
        if self._loops.get(template) is not loop or loop.paced != paced:
            return
        if self._haste:
            self._haste.packet()
        pipe, loop.turns = pipe_of(loop.port), False
        self._round(loop)
        loop.turn += 1 + self._pace.skip(pipe, template)
        if wait_ns := self._pace.wait_ns(pipe, template, self._now_ns):
            due = ceil((self._now_ns + wait_ns - loop.began_ns) / self._gap_ns(loop))
            loop.turn = max(loop.turn, due)  # the turns before change nothing
        if not self._pace.over(pipe, template):
            self._next_turn(loop)

    def _mirror(self, copy: Mirrored[P]) -> None:
        """Sends a copy by the port of its session; without one it is lost."""
        if copy.session in self.mirrors:
            self._leave(copy.packet, self.mirrors[copy.session])

    def _leave(self, packet: P, port: int) -> None:
        """Sends a packet by a front-panel port, or to the driver."""
        now_ns = self._clock() if self._clock else self._now_ns
        left = self._pipelines.egress(packet, port, now_ns)
        if left.copy is not None:
            self._mirror(left.copy)
        octets = left.octets
        cpu = self._cpu_port()
        if octets is None or not self._is_up(port) or port in self.unlinked:
            return
        if port == cpu:
            self.to_cpu.append(octets)
        elif port == self._chip.recirculation_port:
            self._at(self._now_ns + _ROUND_NS, partial(self.arrive, port, octets))
        else:
            others = [other for other, setup in self._ports.items() if not setup.loopback and other != cpu]
            for at_ns, other, frame in self._wire.forward(port, octets, self._now_ns, others):
                self._at(at_ns, partial(self.arrive, other, frame))

    def _is_up(self, port: int) -> bool:
        return port in self._ports or port in (*self._chip.pcie_ports, self._chip.recirculation_port)

    def _cpu_port(self) -> int | None:
        if not self._internal:  # of a program without loops, which the driver sends nothing
            return None
        roles = self._store.entries("external.ExternalIngressParser.$PORT_METADATA")
        return next((int(str(e.key["ig.ingress_port"])) for e in roles if number(e, "role") == 1), None)

    def _at(self, at_ns: int, does: Callable[[int], None]) -> None:
        self._number += 1
        heappush(self._events, _Event(at_ns, self._number, does))
