# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The chip of a fake switch: templates that loop, copies that leave, packets that come back, by time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil

from ....model.units import LINE_OVERHEAD
from ....planning.switch.chip import INTERNAL_PIPES, Chip, pipe_of
from ..switch import PortSetup
from .digests import Digests
from .external import READ, TEMPLATE, External, Way
from .packet import Packet
from .replying import Actions
from .responder import FakeResponder
from .store import Store, number
from .streams import FakeStreamUnits
from .wire import Bridge

_TEMPLATES = "internal.InternalIngress.template_loop.templates"
_PACING = (_TEMPLATES, "internal.InternalIngress.rate.")  # tables that decide when turns come
_GROUPS = "internal.InternalIngress.replicator.groups"
_ROUND_NS = 1000  # time of one round of a loop


@dataclass(order=True)
class _Event:
    at_ns: int
    number: int
    does: Callable[[int], None] = field(compare=False)


@dataclass
class _Loop:
    """All copies of a template that loop through a port, treated as one."""

    packet: Packet
    port: int
    entered_ns: int
    began_ns: int
    turn: int = 0  # the next turn that the meter calls green
    paced: int = 0  # how often its pace has changed; turns of an older pace are void


class FakeChip:
    """Everything between the tables and the wire. Times are nanoseconds of the switch's clock."""

    def __init__(self, store: Store, actions: Actions, wire: Bridge, now_ns: int, chip: Chip) -> None:
        self.groups: dict[int, tuple[int, ...]] = {}
        self.to_cpu: list[bytes] = []
        self.unlinked: set[int] = set()  # device ports whose link is down
        self._store, self._wire, self._now_ns, self._chip = store, wire, now_ns, chip
        self.digests = Digests()
        self._external, self._streams = (
            External(store, actions, self.digests),
            FakeStreamUnits(store, chip.clock),
        )
        self._responder = FakeResponder(store, actions)
        self._ports: dict[int, PortSetup] = {}
        self._loops: dict[int, _Loop] = {}
        self._events: list[_Event] = []
        self._number = 0

    def run(self, now_ns: int) -> None:
        """Runs all events until then."""
        while self._events and self._events[0].at_ns <= now_ns:
            event = heappop(self._events)
            self._now_ns = event.at_ns
            event.does(event.at_ns)
        self._now_ns = max(self._now_ns, now_ns)
        for loop in self._loops.values():
            self._go_round(loop)

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
            self._went(self._external.ingress(cpu, octets, self._now_ns))

    def changed(self, tables: Iterable[str]) -> None:
        """Takes note that entries of tables have changed."""
        if any(name.startswith(_PACING) for name in tables):
            for template, loop in list(self._loops.items()):
                if self._store.match(_TEMPLATES, template) is None:
                    del self._loops[template]
                else:
                    self._pace(loop)

    def _went(self, way: Way | None) -> None:
        if way is None:
            return
        if pipe_of(way.port) in INTERNAL_PIPES:
            self._enter(way.packet, way.port)
        else:
            self._leave(way.packet, way.port, way.from_port)

    def _enter(self, packet: Packet, port: int) -> None:
        """Handles a packet in the internal ingress, behind its loopback port."""
        setup = self._ports.get(port)
        if setup is None or not setup.loopback:
            return
        if packet.kind == READ:
            self._first_pass(packet, port)
        loops = packet.kind == TEMPLATE and self._store.match(_TEMPLATES, packet.template)
        if loops and packet.template not in self._loops:
            self._loops[packet.template] = _Loop(packet, port, self._now_ns, self._now_ns)
            self._pace(self._loops[packet.template])

    def _first_pass(self, packet: Packet, port: int) -> None:
        pipe = pipe_of(port)
        queue, second = self._responder.first_pass(packet, pipe)
        if second is not None:
            self._at(self._now_ns + _ROUND_NS, lambda _: self._responder.second_pass(packet, pipe, second[1]))
        if queue is not None:
            self._at(self._now_ns + _ROUND_NS, lambda _: self._poll(pipe, queue))

    def _poll(self, pipe: int, queue: int) -> None:
        """Handles the next template that comes round and polls a queue."""
        for template, loop in self._loops.items():
            entry = self._store.match(_TEMPLATES, template)
            if entry and str(entry.action).endswith(".reply") and number(entry, "own") == queue:
                packet = self._responder.answer(loop.packet, pipe, queue)
                if packet is not None:
                    packet.deparse()
                    self._replicate(packet)
                return

    def _pace(self, loop: _Loop) -> None:
        """Begins turns anew, because a meter that is written has a full bucket."""
        loop.paced += 1
        loop.began_ns, loop.turn = self._now_ns, 0
        entry = self._store.match(_TEMPLATES, loop.packet.template)
        rated = entry is not None and str(entry.action).endswith(".stream")
        pipe, template = pipe_of(loop.port), loop.packet.template
        if rated and not self._streams.over(pipe, template):
            self._next_turn(loop)

    def _go_round(self, loop: _Loop) -> None:
        """Counts the rounds of a loop, even if it has no turns."""
        template, time_ns = loop.packet.template, self._now_ns - loop.began_ns
        entry = self._store.match(_TEMPLATES, template)
        if entry is not None:
            self._store.hits[_TEMPLATES, entry.place] = (self._now_ns - loop.entered_ns) // _ROUND_NS
            self._streams.wait(pipe_of(loop.port), template, time_ns // _ROUND_NS, time_ns)

    def _next_turn(self, loop: _Loop) -> None:
        paced = loop.paced
        at_ns = loop.began_ns + ceil(loop.turn * self._gap_ns(loop))
        self._at(at_ns, lambda _: self._turn(loop, paced))

    def _gap_ns(self, loop: _Loop) -> Fraction:
        """The gap between green turns, by the meter or by the speed of the port."""
        line = Fraction(8 * 10**9 * (loop.packet.size + LINE_OVERHEAD), self._ports[loop.port].speed_bps)
        pps = self._streams.pps(pipe_of(loop.port), loop.packet.template)
        return max(line, 10**9 / pps) if pps else line

    def _turn(self, loop: _Loop, paced: int) -> None:
        template = loop.packet.template
        if self._loops.get(template) is not loop or loop.paced != paced:
            return
        pipe = pipe_of(loop.port)
        if self._streams.departs(pipe, template):
            packet = loop.packet.copy()
            self._streams.edit(packet, pipe)
            packet.deparse()
            self._replicate(packet)
        loop.turn += 1 + self._streams.skip(pipe, template)
        if not self._streams.over(pipe, template):
            self._next_turn(loop)

    def _replicate(self, packet: Packet) -> None:
        entry = self._store.match(_GROUPS, packet.template, packet.link)
        if entry is not None:
            for port in self.groups.get(number(entry, "group"), ()):
                self._leave(packet.copy(), port, None)

    def _leave(self, packet: Packet, port: int, from_port: int | None) -> None:
        """Sends a packet by a front-panel port, or to the driver."""
        octets = self._external.egress(packet, port, self._now_ns)
        cpu = self._cpu_port()
        if not self._is_up(port) or port in self.unlinked:
            return
        if port == cpu:
            self.to_cpu.append(bytes(3) + (from_port or 0).to_bytes(2, "big") + octets)
        else:
            others = [other for other, setup in self._ports.items() if not setup.loopback and other != cpu]
            for at_ns, other, frame in self._wire.forward(port, octets, self._now_ns, others):
                self._at(at_ns, self._arrival(other, frame))

    def _arrival(self, port: int, frame: bytes) -> Callable[[int], None]:
        def arrive(now_ns: int) -> None:
            if port not in self.unlinked:
                self._went(self._external.ingress(port, frame, now_ns))

        return arrive

    def _is_up(self, port: int) -> bool:
        return port in self._ports or port in self._chip.pcie_ports

    def _cpu_port(self) -> int | None:
        roles = self._store.entries("external.ExternalIngressParser.$PORT_METADATA")
        return next((int(str(e.key["ig.ingress_port"])) for e in roles if number(e, "role") == 1), None)

    def _at(self, at_ns: int, does: Callable[[int], None]) -> None:
        self._number += 1
        heappush(self._events, _Event(at_ns, self._number, does))
