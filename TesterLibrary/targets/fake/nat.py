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
    moves_after: int | None = None  # after so many frames from inside a connection has another port
    overwrites: bool = False  # with a full table, the oldest connection goes


@dataclass
class _Entry:
    inner: Place
    port: int
    used_ns: int
    sent: int = 0


class NatTable:
    """The connections of one `FakeNat`."""

    def __init__(self, nat: FakeNat) -> None:
        self._nat = nat
        self._by_inner: dict[tuple[Place, Place], _Entry] = {}
        self._by_port: dict[tuple[int, int], _Entry] = {}
        self._next = nat.first_port
        self._due_ns = 0  # when it opens the next connection at the earliest

    def forget(self) -> None:
        """Empties the table."""
        self._by_inner.clear()
        self._by_port.clear()

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
            entry.port, entry.sent = self._free(inner[0]) or entry.port, 0
            self._by_port[inner[0], entry.port] = entry  # the old one leads here, too
        entry.sent += 1
        entry.used_ns = now_ns
        return _with(frame, "source", self._nat.address.packed, entry.port)

    def _back(self, frame: bytes, now_ns: int) -> bytes | None:
        self._expire(now_ns)
        protocol, address, port = _place(frame, "destination")
        if address != self._nat.address.packed:
            return None
        entry = self._by_port.get((protocol, int.from_bytes(port, "big")))
        if entry is None:
            return None
        entry.used_ns = now_ns
        return _with(frame, "destination", entry.inner[1], int.from_bytes(entry.inner[2], "big"))

    def _opens(self, inner: Place, outer: Place, now_ns: int) -> _Entry | None:
        nat = self._nat
        gap_ns = _SECOND // nat.rate if nat.rate else 0
        if now_ns < self._due_ns - gap_ns:
            return None
        if nat.entries is not None and len(self._by_inner) >= nat.entries:
            if not nat.overwrites:
                return None
            self._remove(next(iter(self._by_inner)))
        port = self._free(inner[0])
        if port is None:
            return None
        self._due_ns = max(now_ns, self._due_ns) + gap_ns
        entry = _Entry(inner, port, now_ns)
        self._by_inner[inner, outer] = self._by_port[inner[0], port] = entry
        return entry

    def _free(self, protocol: int) -> int | None:
        nat = self._nat
        for _ in range(nat.last_port - nat.first_port + 1):
            port, self._next = self._next, self._next + 1
            if self._next > nat.last_port:
                self._next = nat.first_port
            if (protocol, port) not in self._by_port:
                return port
        return None

    def _expire(self, now_ns: int) -> None:
        if self._nat.idle_ns is None:
            return
        for key in [k for k, e in self._by_inner.items() if now_ns - e.used_ns > self._nat.idle_ns]:
            self._remove(key)

    def _remove(self, key: tuple[Place, Place]) -> None:
        entry = self._by_inner.pop(key)
        for place in [place for place, found in self._by_port.items() if found is entry]:
            del self._by_port[place]


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
