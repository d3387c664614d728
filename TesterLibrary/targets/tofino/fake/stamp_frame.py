# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A frame of a path as the parser of the egress finds it, which looks for a stamp (p4/path_pipeline.p4)."""

from __future__ import annotations

from dataclasses import dataclass

from ....planning.switch.stamps import STAMP_LENGTH
from .path_frame import PathFrame

_TCP, _UDP = 6, 17
_NETWORK, _TCP_LENGTH, _UDP_LENGTH = 20, 20, 8  # bytes
_LOOKED_AT = 2  # bytes of options, or of a payload of UDP
_OF_TCP, _OF_UDP, _NO_FLOW = 0x0F10, 0x0F11, 0xFFFF
_OPTION = 0x0F
_ONES = 0xFFFF
_TCP_GROWTH, _UDP_GROWTH = 0x4010, 0x20  # of the sum of what a checksum is of
_TIME = (1 << 48) - 1


@dataclass
class StampFrame:
    """A frame without FCS, and where its headers begin; 0: it has none.

    Args:
        octets: Its bytes.
        network: Where IPv4 begins.
        tcp: Where TCP begins, in a packet without options of IPv4 that is no fragment.
        udp: Where UDP begins.
        stamp: Where its stamp begins.
        occupied: Whether the first option of TCP, or the payload of UDP, looks like a stamp.
    """

    octets: bytearray
    network: int = 0
    tcp: int = 0
    udp: int = 0
    stamp: int = 0
    occupied: bool = False

    @classmethod
    def of(cls, frame: PathFrame) -> StampFrame:
        """The headers of a frame that has passed the ingress."""
        found = cls(frame.octets, frame.ip)
        whole = frame.ip and found.number(frame.ip + 6, 2) & 0x3FFF == 0 and frame.octets[frame.ip] == 0x45
        if whole and frame.protocol == _TCP:
            found._find_tcp(frame.ip + _NETWORK)
        elif whole and frame.protocol == _UDP:
            found._find_udp(frame.ip + _NETWORK)
        return found

    def number(self, at: int, size: int) -> int:
        """The number in bytes of it."""
        return int.from_bytes(self.octets[at : at + size], "big")

    @property
    def packet_length(self) -> int:
        """The length in the header of IPv4; 0 without it."""
        return self.number(self.network + 2, 2) if self.network else 0

    @property
    def offset(self) -> int:
        """Words of four bytes of the header of TCP."""
        return self.octets[self.tcp + 12] >> 4

    @property
    def ports(self) -> tuple[int, int, int, int]:
        """Source and destination of TCP, then of UDP; 0 without it."""
        tcp = (self.number(self.tcp, 2), self.number(self.tcp + 2, 2)) if self.tcp else (0, 0)
        udp = (self.number(self.udp, 2), self.number(self.udp + 2, 2)) if self.udp else (0, 0)
        return *tcp, *udp

    @property
    def is_empty(self) -> bool:
        """Whether nothing is behind the headers of TCP or UDP."""
        if self.tcp:
            return self.offset >= 5 and self.packet_length == _NETWORK + 4 * self.offset
        return bool(self.udp) and self.packet_length == _NETWORK + _UDP_LENGTH

    @property
    def first_ns(self) -> int:
        """The first time of its stamp."""
        return self.number(self.stamp + 2, 6)

    @property
    def mark(self) -> int:
        """The number of the direction in which its stamp was put in."""
        return self.number(self.stamp + 10, 2)

    def put_in(self, now_ns: int, mark: int) -> None:
        """Puts a stamp in; lengths and checksums follow."""
        kind = _OF_TCP if self.tcp else _OF_UDP
        times = kind << 48 | now_ns & _TIME, _NO_FLOW << 48 | mark << 32
        stamp = b"".join(each.to_bytes(8, "big") for each in times)
        at = self.tcp + _TCP_LENGTH if self.tcp else self.udp + _UDP_LENGTH
        rest = self._rest(b"")
        self.octets[at:at] = stamp
        self._follow(rest, stamp, STAMP_LENGTH)

    def take_out(self) -> None:
        """Takes its stamp out; lengths and checksums follow."""
        rest = self._rest(bytes(self.octets[self.stamp : self.stamp + STAMP_LENGTH]))
        del self.octets[self.stamp : self.stamp + STAMP_LENGTH]
        self.stamp = 0
        self._follow(rest, b"", -STAMP_LENGTH)

    def _find_tcp(self, at: int) -> None:
        options = at + _TCP_LENGTH
        if len(self.octets) < options + _LOOKED_AT:
            return
        self.tcp = at
        self.occupied = self.offset > 5 and self.octets[options] == _OPTION
        if self.offset >= 9 and self.number(options, 2) == _OF_TCP:
            self._find_stamp(options)

    def _find_udp(self, at: int) -> None:
        payload = at + _UDP_LENGTH
        if self.packet_length < _NETWORK + _UDP_LENGTH + STAMP_LENGTH:
            self.udp = at
        elif len(self.octets) >= payload + _LOOKED_AT:
            self.udp = at
            if self.number(payload, 2) == _OF_UDP:
                self.occupied = True
                self._find_stamp(payload)

    def _find_stamp(self, at: int) -> None:
        if len(self.octets) >= at + STAMP_LENGTH:
            self.stamp = at

    @property
    def _sum_at(self) -> int:
        return self.tcp + 16 if self.tcp else self.udp + 6

    def _rest(self, stamp: bytes) -> int:
        """The sum of what the checksum of TCP or UDP is of, without a stamp."""
        return ~_folded(self.number(self._sum_at, 2), stamp) & _ONES

    def _follow(self, rest: int, stamp: bytes, grown: int) -> None:
        change = _TCP_GROWTH if self.tcp else _UDP_GROWTH
        summed = ~_folded(rest, change if grown > 0 else ~change & _ONES, stamp) & _ONES
        if self.tcp:
            self.octets[self.tcp + 12] += 4 * grown  # a quarter of it, in the upper half of the byte
            self._set(self._sum_at, summed)
        else:
            self._set(self.udp + 4, self.number(self.udp + 4, 2) + grown)
            if self.number(self._sum_at, 2):
                self._set(self._sum_at, summed or _ONES)
        self._set(self.network + 2, self.packet_length + grown)
        more = grown if grown > 0 else ~-grown & _ONES
        self._set(self.network + 10, ~_folded(~self.number(self.network + 10, 2) & _ONES, more) & _ONES)

    def _set(self, at: int, value: int) -> None:
        self.octets[at : at + 2] = (value & _ONES).to_bytes(2, "big")


def _folded(*parts: int | bytes) -> int:
    """The sum in ones' complement of words and of bytes (RFC 1071)."""
    total = 0
    for part in parts:
        if isinstance(part, int):
            total += part
        else:
            total += sum(int.from_bytes(part[at : at + 2], "big") for at in range(0, len(part), 2))
    while total > _ONES:
        total = (total & _ONES) + (total >> 16)
    return total
