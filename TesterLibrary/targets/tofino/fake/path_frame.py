# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A frame of a path as the program's parser finds it (p4/path_pipeline.p4)."""

from __future__ import annotations

from dataclasses import dataclass

from ....measurement.traces.segment import ACK, FIN, SYN
from ....model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ....protocols.frame import checksum
from ..path.path_readings import BRIDGED
from .pipelines import FORWARDED

_IPV4, _VLAN = 0x0800, 0x8100
_TCP, _UDP = 6, 17
_ETHERNET, _TAG, _NETWORK = 14, 4, 20  # bytes
_HEADERS = {_TCP: 20, _UDP: 8}
_WORD = 4  # bytes of a payload that are reached
_CE = 3  # congestion experienced (RFC 3168)


@dataclass
class PathFrame:
    """A frame without FCS, and where its headers begin; 0: it has none."""

    octets: bytearray
    vlan: int | None = None
    ip: int = 0
    tcp: int = 0
    udp: int = 0
    payload: int = 0
    arrived_ns: int = 0  # at the ingress

    kind = FORWARDED
    template = 0

    @classmethod
    def parse(cls, octets: bytes) -> PathFrame | None:
        """The headers of a frame; None if it ends within one, where the chip drops it."""
        frame = cls(bytearray(octets))
        return frame if frame._find() else None

    @property
    def size(self) -> int:
        """Bytes on the wire, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.octets) + FCS_LENGTH)

    @property
    def size_within(self) -> int:
        """The same in the egress, where a frame has a header before it (`path_bridged_h`)."""
        return max(MIN_FRAME_SIZE, len(self.octets) + BRIDGED + FCS_LENGTH)

    @property
    def transport(self) -> int:
        """Where TCP or UDP begins."""
        return self.tcp or self.udp

    def number(self, at: int, size: int) -> int:
        """The number in bytes of it."""
        return int.from_bytes(self.octets[at : at + size], "big")

    @property
    def protocol(self) -> int:
        """The protocol of IPv4; 0 without it."""
        return self.octets[self.ip + 9] if self.ip else 0

    @property
    def addresses(self) -> tuple[int, int]:
        """Source and destination of IPv4; 0 without it."""
        return (self.number(self.ip + 12, 4), self.number(self.ip + 16, 4)) if self.ip else (0, 0)

    @property
    def ports(self) -> tuple[int, int]:
        """Source and destination of TCP or UDP; 0 without it."""
        at = self.transport
        return (self.number(at, 2), self.number(at + 2, 2)) if at else (0, 0)

    @property
    def sequence(self) -> int:
        """The sequence number of TCP."""
        return self.number(self.tcp + 4, 4)

    @property
    def length(self) -> int:
        """Bytes of payload, by the length of IPv4."""
        if not self.transport:
            return 0
        header = 4 * (self.octets[self.tcp + 12] >> 4) if self.tcp else _HEADERS[_UDP]
        if self.tcp and header < _HEADERS[_TCP]:
            return 0
        return (self.number(self.ip + 2, 2) - _NETWORK - header) % (1 << 16)

    @property
    def sequence_numbers(self) -> int:
        """The sequence numbers that a segment takes: its payload's, and one for SYN and FIN each."""
        flags = self.octets[self.tcp + 13] if self.tcp else 0
        return self.length + bool(flags & SYN) + bool(flags & FIN)

    @property
    def opens(self) -> bool:
        """Whether it opens a connection: a SYN without ACK."""
        return bool(self.tcp) and self.octets[self.tcp + 13] & (SYN | ACK) == SYN

    def mark(self) -> None:
        """Sets congestion experienced; the checksum of IPv4 follows."""
        at = self.ip
        self.octets[at + 1] |= _CE
        self.octets[at + 10 : at + 12] = bytes(2)
        summed = checksum(bytes(self.octets[at : at + _NETWORK]))
        self.octets[at + 10 : at + 12] = summed.to_bytes(2, "big")

    def corrupt(self, mask: int) -> None:
        """Inverts bits of the begin of its payload."""
        end = self.payload + _WORD
        self.octets[self.payload : end] = (self.number(self.payload, _WORD) ^ mask).to_bytes(_WORD, "big")

    def _find(self) -> bool:
        at, ether_type = _ETHERNET, self.number(_ETHERNET - 2, 2)
        if ether_type == _VLAN:
            if not self._has(at, _TAG):
                return False
            self.vlan = self.number(at, 2) & 0xFFF
            at, ether_type = at + _TAG, self.number(at + 2, 2)
        if ether_type != _IPV4:
            return True
        if not self._has(at, _NETWORK):
            return False
        self.ip = at
        plain = self.octets[at] == 0x45 and self.number(at + 6, 2) & 0x1FFF == 0
        return not plain or self.protocol not in _HEADERS or self._find_transport(at + _NETWORK)

    def _find_transport(self, at: int) -> bool:
        if not self._has(at, _HEADERS[self.protocol]):
            return False
        words = 0
        if self.protocol == _UDP:
            self.udp, headers = at, _HEADERS[_UDP]
        else:
            self.tcp, words = at, self.octets[at + 12] >> 4
            headers = 4 * words
        if words not in (0 if self.udp else 5, 8) or self.number(self.ip + 2, 2) < _NETWORK + headers + _WORD:
            return True
        if not self._has(at + headers, _WORD):
            return False
        self.payload = at + headers
        return True

    def _has(self, at: int, length: int) -> bool:
        return len(self.octets) >= at + length
