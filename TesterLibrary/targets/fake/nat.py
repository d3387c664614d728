# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""NAT44 by the device of the fake, of the UDP and TCP of clients, with limits that are known."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

_IPV4 = b"\x08\x00"
_ADDRESSES = {"source": 26, "destination": 30}  # in a frame without tags and IP options
_PORTS = {"source": 34, "destination": 36}
_IP_CHECKSUM = 24
_CHECKSUMS = {17: 40, 6: 50}  # of UDP and TCP
_SECOND = 10**9

Place = tuple[int, bytes, bytes]  # protocol, address, port


@dataclass(frozen=True)
class FakeNat:
    """The translation of connections that come from behind `inside`."""

    address: IPv4Address  # its own, on all other ports
    inside: str = "p1"
    first_port: int = 1024
    last_port: int = 65_535
    entries: int | None = None  # connections at once
    rate: int | None = None  # connections that it opens each second, evenly; one may come early
    idle_ns: int | None = None  # after so long without a frame a connection is forgotten
    lifetime_ns: int | None = None  # after so long it is forgotten, whatever it carries
    moves_after: int | None = None  # after so many frames from inside a connection has another port
    overwrites: bool = False  # with a full table, the oldest connection goes
    pool: int = 1  # addresses from `address` on, of which connections have the next one in turn
    drops_first: bool = False  # the first frame of a connection only makes its entry
    mixes: int | None = None  # what comes back for every so many-th connection goes to the one before it
    strays: int | None = None  # every so many-th frame that comes back goes to another connection
    deletes: int | None = (
        None  # connections that it deletes each second when it is told to; None: all at once
    )
    lazy: bool = False  # and goes on with that when the command has ended
    keeps: int = 0  # connections that it does not delete


@dataclass
class _Entry:
    inner: Place
    outer: tuple[bytes, int]  # address and port
    used_ns: int
    opened_ns: int
    back: Place  # where it sends what comes back
    sent: int = 0
    gone_ns: int | None = None  # it is deleted then


class NatTable:
    """The connections of one `FakeNat`."""

    def __init__(self, nat: FakeNat) -> None:
        self._nat = nat
        self._by_inner: dict[tuple[Place, Place], _Entry] = {}
        self._by_outer: dict[tuple[int, bytes, int], _Entry] = {}
        self._next = 0
        self._opened = 0  # connections
        self._came_back = 0  # frames
        self._deleting = False
        self._due_ns = 0  # when it opens the next connection at the earliest

    def forget(self, now_ns: int) -> int:
        """Empties the table from now on. Returns how long the command takes, in nanoseconds."""
        self._expire(now_ns)
        entries = list(self._by_inner.values())[self._nat.keeps :]
        each_ns = _SECOND // self._nat.deletes if self._nat.deletes else 0
        for number, entry in enumerate(entries, start=1):
            entry.gone_ns = now_ns + number * each_ns
        self._deleting = True
        self._expire(now_ns)
        return 0 if self._nat.lazy else len(entries) * each_ns

    def passes(self, sender: str, frame: bytes, now_ns: int) -> bytes | None:
        """The frame as the device sends it; None if it drops it."""
        if frame[12:14] != _IPV4 or frame[23] not in _CHECKSUMS:
            return frame
        return self._out(frame, now_ns) if sender == self._nat.inside else self._back(frame, now_ns)

    def _out(self, frame: bytes, now_ns: int) -> bytes | None:
        self._expire(now_ns)
        inner, outer = _place(frame, "source"), _place(frame, "destination")
        entry = self._by_inner.get((inner, outer)) or self._opens(inner, outer, now_ns)
        if entry is None:
            return None
        if self._nat.moves_after is not None and entry.sent >= self._nat.moves_after:
            entry.outer, entry.sent = self._free(inner[0]) or entry.outer, 0
            self._lead(entry)  # the old address and port lead here, too
        entry.sent += 1
        entry.used_ns = now_ns
        if self._nat.drops_first and entry.sent == 1:
            return None
        return _with(frame, "source", *entry.outer)

    def _back(self, frame: bytes, now_ns: int) -> bytes | None:
        self._expire(now_ns)
        protocol, address, port = _place(frame, "destination")
        entry = self._by_outer.get((protocol, address, int.from_bytes(port, "big")))
        if entry is None:
            return None
        entry.used_ns = now_ns
        self._came_back += 1
        if self._nat.strays and self._came_back % self._nat.strays == 0:
            entry = next((other for other in self._by_inner.values() if other is not entry), entry)
        return _with(frame, "destination", entry.back[1], int.from_bytes(entry.back[2], "big"))

    def _opens(self, inner: Place, outer: Place, now_ns: int) -> _Entry | None:
        nat = self._nat
        gap_ns = _SECOND // nat.rate if nat.rate else 0
        if now_ns < self._due_ns - gap_ns:
            return None
        if nat.entries is not None and len(self._by_inner) >= nat.entries:
            if not nat.overwrites:
                return None
            self._remove(next(iter(self._by_inner)))
        free = self._free(inner[0])
        if free is None:
            return None
        self._due_ns = max(now_ns, self._due_ns) + gap_ns
        self._opened += 1
        mixed = nat.mixes is not None and self._opened % nat.mixes == 0 and bool(self._by_inner)
        back = list(self._by_inner.values())[-1].inner if mixed else inner
        entry = _Entry(inner, free, now_ns, now_ns, back)
        self._by_inner[inner, outer] = entry
        self._lead(entry)
        return entry

    def _lead(self, entry: _Entry) -> None:
        address, port = entry.outer
        self._by_outer[entry.inner[0], address, port] = entry

    def _free(self, protocol: int) -> tuple[bytes, int] | None:
        """An address and a port that no connection has."""
        nat = self._nat
        for _ in range((nat.last_port - nat.first_port + 1) * nat.pool):
            number, self._next = self._next, self._next + 1
            port = nat.first_port + number // nat.pool % (nat.last_port - nat.first_port + 1)
            address = (nat.address + number % nat.pool).packed
            if (protocol, address, port) not in self._by_outer:
                return address, port
        return None

    def _expire(self, now_ns: int) -> None:
        idle_ns, lifetime_ns = self._nat.idle_ns, self._nat.lifetime_ns
        if idle_ns is None and lifetime_ns is None and not self._deleting:
            return
        self._deleting = any(entry.gone_ns is not None for entry in self._by_inner.values())
        for key, entry in list(self._by_inner.items()):
            idle = idle_ns is not None and now_ns - entry.used_ns > idle_ns
            old = lifetime_ns is not None and now_ns - entry.opened_ns > lifetime_ns
            if idle or old or (entry.gone_ns is not None and now_ns >= entry.gone_ns):
                self._remove(key)

    def _remove(self, key: tuple[Place, Place]) -> None:
        entry = self._by_inner.pop(key)
        for place in [place for place, found in self._by_outer.items() if found is entry]:
            del self._by_outer[place]


def _place(frame: bytes, end: str) -> Place:
    address, port = _ADDRESSES[end], _PORTS[end]
    return frame[23], frame[address : address + 4], frame[port : port + 2]


def _with(frame: bytes, end: str, address: bytes, port: int) -> bytes:
    """The frame with another address and port, and with checksums as right or wrong as they were."""
    changed = bytearray(frame)
    at, place = _ADDRESSES[end], _CHECKSUMS[frame[23]]
    port_at = _PORTS[end]
    before = bytes(changed[at : at + 4] + changed[port_at : port_at + 2])
    changed[at : at + 4] = address
    changed[port_at : port_at + 2] = port.to_bytes(2, "big")
    after = bytes(changed[at : at + 4] + changed[port_at : port_at + 2])
    # UDP may go without a checksum; that of IP covers the address alone.
    covered = {_IP_CHECKSUM: 4} | ({place: 6} if any(frame[place : place + 2]) else {})
    for where, length in covered.items():
        old = int.from_bytes(changed[where : where + 2], "big")
        changed[where : where + 2] = _updated(old, before[:length], after[:length]).to_bytes(2, "big")
    return bytes(changed)


def _updated(old: int, before: bytes, after: bytes) -> int:
    """A checksum after bytes under it have changed (RFC 1624)."""
    total = (~old & 0xFFFF) + sum(
        (~int.from_bytes(before[i : i + 2], "big") & 0xFFFF) + int.from_bytes(after[i : i + 2], "big")
        for i in range(0, len(before), 2)
    )
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
