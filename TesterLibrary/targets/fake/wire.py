# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The wires between the fake's responders and clients: every frame goes through the simulated device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from ipaddress import ip_address

from ...errors import PlanError
from ...measurement.snapshot import EndCounters
from ...model.plan.plan import Plan
from ...model.ports import Address
from ...model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ..base import PortInfo
from .device import FakeDevice
from .end import FakeEnd
from .nat import NatTable
from .port_totals import PortTotals

_TAG_TYPE = 0x8100
_QUEUE = 64  # frames that wait for a path of the device; it drops others
_TYPES = {0x0800: (26, 4), 0x86DD: (22, 16)}  # offset and length of an IP packet's source address
_ARP_REQUEST = bytes.fromhex("0806 0001 0800 06 04 0001")
_NEVER = 1 << 62


@dataclass(order=True)
class _Arrival:
    at_ns: int
    number: int  # number of the frame; at equal times the frame sent first arrives first
    port: str = field(compare=False)
    octets: bytes = field(compare=False)


class Wire:
    """Responders and clients of all loaded jobs, and the frames on their way between them."""

    def __init__(
        self,
        ports: Mapping[str, PortInfo],
        device: FakeDevice,
        counted: Mapping[str, PortTotals],
        plans: Mapping[str, Plan],
    ) -> None:
        """`counted`: the counters of the ports, which go on; `plans`: the loaded jobs."""
        self._ports, self._device, self._counted, self._plans = ports, device, counted, plans
        self._ends: dict[str, list[FakeEnd]] = {}
        self._nat = NatTable(device.nat) if device.nat else None
        self._arrivals: list[_Arrival] = []
        self._sent = 0
        self._free_ns: Counter[tuple[str, str]] = Counter()  # when a path will have forwarded its queue
        self._missing: dict[tuple[str, str], Fraction] = {}  # frames that a path owes its loss ratio

    def load(self, plan: Plan) -> None:
        """Loads the ends of a job, which stay silent."""
        self._ends[plan.job] = [FakeEnd(plan.job, end) for end in plan.ends]

    def forget_connections(self, now_ns: int) -> int:
        """Empties the device's connection table, if it translates. Returns the nanoseconds that it takes."""
        return self._nat.forget(now_ns) if self._nat else 0

    def check_start(self, jobs: Sequence[str]) -> None:
        """Raises PlanError if an end of the jobs is answering already."""
        for end in self._of(jobs):
            if end.answering:
                raise PlanError(f"{end.planned.name!r} is answering already; stop it first")

    def start(self, jobs: Sequence[str], now_ns: int) -> None:
        """Starts the ends of jobs anew."""
        for end in self._of(jobs):
            end.start(now_ns)

    def stop(self, jobs: Sequence[str], now_ns: int, *, abandon: bool) -> None:
        """Makes the ends of jobs silent; their open flows end first, unless they are abandoned."""
        for end in self._of(jobs):
            if not abandon:
                end.end_flows(now_ns)
                self._send(end, now_ns)
            end.stop()

    def unload(self, job: str) -> None:
        """Forgets a job."""
        self._ends.pop(job, None)

    def counters(self, jobs: Sequence[str]) -> tuple[EndCounters, ...]:
        """The counters of the ends of jobs, in their order."""
        return tuple(end.counters() for end in self._of(jobs))

    def resolve(self, port: str, address: Address, source: Address, source_mac: bytes) -> bytes | None:
        """The MAC address that an ARP responder behind the device gives for an IPv4 address."""
        if address.version != 4:
            return None
        question = b"\xff" * 6 + source_mac + _ARP_REQUEST + source_mac + source.packed + bytes(6)
        for end in self._all:
            if end.planned.port != port and end.planned.vlan is None and end.takes(question + address.packed):
                for answer in end.asked(question + address.packed):
                    return answer[22:28]
        return None

    def due_ns(self) -> int:
        """The time of the next event."""
        arrival = self._arrivals[0].at_ns if self._arrivals else _NEVER
        return min([arrival, *(end.due_ns() for end in self._all)])

    def run(self, now_ns: int) -> None:
        """Runs all events up to now, in order."""
        while (due := self.due_ns()) <= now_ns:
            while self._arrivals and self._arrivals[0].at_ns <= due:
                self._deliver(heappop(self._arrivals))
            for end in self._all:
                if end.due_ns() <= due:
                    end.run(due)
                    self._send(end, due)

    def _of(self, jobs: Iterable[str]) -> Iterator[FakeEnd]:
        return (end for job in jobs for end in self._ends.get(job, ()))

    @property
    def _all(self) -> Iterator[FakeEnd]:
        """All ends, in the order in which arriving frames are offered to them."""
        return self._of(sorted(self._ends))

    def _send(self, end: FakeEnd, now_ns: int) -> None:
        for octets in end.take():
            frame = _tagged(octets, end.planned.vlan)
            end.count_sent(_size(frame))
            self._counted[end.planned.port].send(_size(frame))
            for port, arriving in self._forwarded(end.planned.port, frame):
                passed = self._nat.passes(end.planned.port, arriving, now_ns) if self._nat else arriving
                if passed is not None:
                    self._carry(end.planned.port, port, passed, now_ns)

    def _forwarded(self, sender: str, frame: bytes) -> Iterator[tuple[str, bytes]]:
        """The ports and frames that the device sends: it bridges, and routes frames to its own addresses."""
        others = [port for port in self._ports.values() if port.name != sender]
        if frame[:6] in self._device.neighbours.values():
            yield from self._routed(frame)
        elif frame[0] & 1:
            yield from ((port.name, frame) for port in others)
        else:
            yield from ((port.name, frame) for port in others if port.mac == frame[:6])

    def _routed(self, frame: bytes) -> Iterator[tuple[str, bytes]]:
        address = _destination(frame)
        for plan in self._plans.values():
            for neighbour in plan.neighbours:
                if neighbour.address == address:
                    yield neighbour.port, neighbour.mac + frame[:6] + frame[12:]
                    return

    def _carry(self, sender: str, port: str, frame: bytes, now_ns: int) -> None:
        """Carries a frame through a path of the device, unless the path loses it."""
        route = sender, port
        path = self._device.paths.get(route, self._device.path)
        self._missing[route] = self._missing.get(route, Fraction(0)) + path.loss.value
        if self._missing[route] >= 1:
            self._missing[route] -= 1
            return
        leaves_ns = now_ns
        if path.capacity is not None:
            leaves_ns = max(now_ns, self._free_ns[route])
            each_ns = 10**9 // path.capacity
            if leaves_ns - now_ns > _QUEUE * each_ns:
                return
            self._free_ns[route] = leaves_ns + each_ns
        self._sent += 1
        heappush(self._arrivals, _Arrival(leaves_ns + path.delay.ns, self._sent, port, frame))

    def _deliver(self, arrival: _Arrival) -> None:
        """Gives a frame to the first end that takes it for itself, and to those before it that share it."""
        self._counted[arrival.port].receive(_size(arrival.octets))
        for end in self._all:
            octets = _untagged(arrival.octets, end.planned.vlan)
            if end.planned.port == arrival.port and octets and end.takes(octets):
                end.receive(octets, arrival.at_ns, _size(arrival.octets))
                self._send(end, arrival.at_ns)
                if not end.planned.protocol.layers[0].shared:
                    return
        self._counted[arrival.port].add(rx_foreign=1)


def _size(frame: bytes) -> int:
    return max(MIN_FRAME_SIZE, len(frame) + FCS_LENGTH)


def _tagged(frame: bytes, vlan: int | None) -> bytes:
    if vlan is None:
        return frame
    return frame[:12] + _TAG_TYPE.to_bytes(2, "big") + vlan.to_bytes(2, "big") + frame[12:]


def _untagged(frame: bytes, vlan: int | None) -> bytes:
    """The frame without its tag; empty if it does not have this one."""
    has_tag = int.from_bytes(frame[12:14], "big") == _TAG_TYPE
    tag = int.from_bytes(frame[14:16], "big") & 0xFFF if has_tag else None
    if tag != vlan:
        return b""
    return frame[:12] + frame[16:] if has_tag else frame


def _destination(frame: bytes) -> Address | None:
    """The destination address of an IP packet; None for other frames."""
    start, length = _TYPES.get(int.from_bytes(frame[12:14], "big"), (0, 0))
    return ip_address(frame[start + length : start + 2 * length]) if length else None
