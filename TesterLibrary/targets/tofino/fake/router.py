# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A router between the ports of a fake switch, whose table of neighbours is known exactly."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface

from ....testbeds.fake_devices import RouterTable

_DELAY_NS = 10_000  # of every frame
_ASK_AGAIN_NS = 10**9  # RFC 1122 section 2.3.2.1: at most one question for an address each second
_ARP = bytes.fromhex(
    "0806 0001 0800 06 04 00"
)  # the type, and what is before the last octet of the operation
_IPV4 = bytes.fromhex("0800")
_REQUEST, _REPLY = 1, 2
_BROADCAST = b"\xff" * 6
_OFFSETS = {"ttl": 22, "checksum": 24, "destination": 30}  # in a frame without a tag
_HEADERS = 34  # octets of Ethernet and IPv4
_TTL_STEP = 0x0100  # in the checksum


@dataclass
class _Neighbour:
    mac: bytes
    known_ns: Fraction  # from then on frames are forwarded to it
    heard_ns: int


@dataclass(frozen=True)
class _Port:
    interface: IPv4Interface
    mac: bytes


class Router:
    """Forwards IPv4 to neighbours that it has learned by ARP, and asks for others, whose frames it drops.

    It takes announcements that are for it, and gratuitous ones (RFC 826, RFC 5227 section 3).
    """

    def __init__(self, table: RouterTable) -> None:
        self._table = table
        self._ports: dict[int, _Port] = {}
        self._neighbours: dict[IPv4Address, _Neighbour] = {}
        self._asked_ns: dict[IPv4Address, int] = {}
        self._busy_ns = Fraction(0)  # until then it learns those that it has heard of

    def attach(self, port: int, interface: IPv4Interface) -> None:
        """Gives it an address at a port, in its network."""
        self._ports[port] = _Port(interface, b"\x02\xff\0\0" + port.to_bytes(2, "big"))

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Wire`."""
        here = self._ports.get(port)
        if here is None:
            return
        if frame[12:21] == _ARP and frame[:6] in (here.mac, _BROADCAST):
            sent = self._heard(port, here, frame, now_ns)
        elif frame[12:14] == _IPV4 and frame[:6] == here.mac and len(frame) >= _HEADERS:
            sent = self._routed(frame, now_ns)
        else:
            return
        for out, octets in sent:
            if out == port or out in others:
                yield now_ns + _DELAY_NS, out, octets

    def _heard(self, port: int, here: _Port, frame: bytes, now_ns: int) -> Iterator[tuple[int, bytes]]:
        operation, mac, about = frame[21], frame[22:28], frame[38:42]
        sender, own = IPv4Address(frame[28:32]), here.interface.ip.packed
        if sender in here.interface.network and sender != here.interface.ip:
            self._learn(sender, mac, now_ns, new=about in (own, sender.packed))
        if operation == _REQUEST and about == own:
            yield port, mac + here.mac + _arp(_REPLY, here, mac, sender)

    def _learn(self, address: IPv4Address, mac: bytes, now_ns: int, *, new: bool) -> None:
        """Notes where a neighbour is; one that it does not know only if `new` ones are to be learned."""
        neighbour = self._neighbour(address, now_ns)
        if neighbour is not None:
            neighbour.mac, neighbour.heard_ns = mac, now_ns
        elif new and self._has_room(now_ns):
            known_ns = Fraction(now_ns)
            if self._table.learning_rate:
                known_ns = max(known_ns, self._busy_ns) + 10**9 / self._table.learning_rate.per_second
            self._busy_ns = known_ns
            self._neighbours[address] = _Neighbour(mac, known_ns, now_ns)

    def _neighbour(self, address: IPv4Address, now_ns: int) -> _Neighbour | None:
        """An entry that it has, or is about to have, of an address."""
        neighbour = self._neighbours.get(address)
        return None if neighbour is None or self._age(neighbour, now_ns) >= 1 else neighbour

    def _age(self, neighbour: _Neighbour, now_ns: int) -> Fraction:
        """The part of its time in the table that is over."""
        ageing = self._table.ageing
        return Fraction(now_ns - neighbour.heard_ns, ageing.ns) if ageing else Fraction(0)

    def _has_room(self, now_ns: int) -> bool:
        most = self._table.most_neighbours
        if most is None or len(self._neighbours) < most:
            return True
        forgotten = next((a for a, one in self._neighbours.items() if self._age(one, now_ns) >= 1), None)
        if forgotten is not None:
            del self._neighbours[forgotten]
        return forgotten is not None

    def _routed(self, frame: bytes, now_ns: int) -> Iterator[tuple[int, bytes]]:
        destination = IPv4Address(frame[_OFFSETS["destination"] :][:4])
        out = next((n for n, one in self._ports.items() if destination in one.interface.network), None)
        ttl = frame[_OFFSETS["ttl"]]
        if out is None or ttl < 2 or destination == self._ports[out].interface.ip:
            return
        there, neighbour = self._ports[out], self._neighbour(destination, now_ns)
        stale = neighbour is None or self._age(neighbour, now_ns) * 2 >= 1  # it asks before it forgets
        if stale and now_ns - self._asked_ns.get(destination, -_ASK_AGAIN_NS) >= _ASK_AGAIN_NS:
            self._asked_ns[destination] = now_ns
            yield out, _BROADCAST + there.mac + _arp(_REQUEST, there, bytes(6), destination)
        if neighbour is not None and neighbour.known_ns <= now_ns:
            yield out, neighbour.mac + there.mac + _one_hop_less(frame)


def _arp(operation: int, own: _Port, mac: bytes, address: IPv4Address) -> bytes:
    sender = own.mac + own.interface.ip.packed
    return _ARP + bytes((operation,)) + sender + mac + address.packed


def _one_hop_less(frame: bytes) -> bytes:
    """The bytes behind the Ethernet addresses, with a TTL of one less and its checksum (RFC 1624)."""
    ttl, checksum = _OFFSETS["ttl"], _OFFSETS["checksum"]
    raised = int.from_bytes(frame[checksum : checksum + 2], "big") + _TTL_STEP
    raised = (raised & 0xFFFF) + (raised >> 16)
    middle = bytes((frame[ttl] - 1,)) + frame[ttl + 1 : checksum] + raised.to_bytes(2, "big")
    return frame[12:ttl] + middle + frame[checksum + 2 :]
