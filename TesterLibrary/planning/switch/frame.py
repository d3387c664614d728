# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the headers of a frame as the parsers of p4/ do: up to TCP or UDP, with their offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import PlanError
from ...protocols.frame import checksum

_ADDRESSES = 12  # bytes of Ethernet before its type
_TYPES = {0x0800: 4, 0x86DD: 6}
_VERSIONS = _TYPES.values()
_ARP, _ARP_LENGTH = 0x0806, 28
_TAG, _SERVICE_TAG = 0x8100, 0x88A8  # IEEE 802.1Q; a parser looks behind one of the first kind
_MPLS, _LABEL, _LABELS = 0x8847, 4, 2  # its type, bytes of an entry, and the entries before IP at most
_BOTTOM = 1  # in the third byte of an entry
TCP, UDP = 6, 17
SIGNATURE_LENGTH = 16
_TCP_WORDS, _UDP_LENGTH = 5, 8
_IPV4_CHECKSUM = 10
_TRANSPORT_CHECKSUM = {TCP: 16, UDP: 6}
_IDENTIFICATION, _FLOW_LABEL = 32, 12  # bit offsets in their headers
_PLACES = {  # for each field: its header, offset in the header and length in bytes
    "ipv4_src": ("ip", 12, 4),
    "ipv4_dst": ("ip", 16, 4),
    "tcp_sport": ("transport", 0, 2),
    "tcp_dport": ("transport", 2, 2),
    "udp_dport": ("transport", 2, 2),
    "arp_op": ("arp", 6, 2),
    "arp_psrc": ("arp", 14, 4),
    "arp_pdst": ("arp", 24, 4),
}


@dataclass(frozen=True)
class FrameFields:
    """The headers of a frame without FCS; offsets in bytes, None for headers that it does not have."""

    octets: bytes
    vlan: int | None
    version: int | None  # IP version
    ip: int | None
    protocol: int | None  # protocol number of the header behind IP
    transport: int | None  # offset of TCP or UDP, if a parser reaches it
    arp: int | None = None  # offset of ARP
    labels: tuple[int, ...] = ()  # offsets of entries of MPLS

    @classmethod
    def of(cls, octets: bytes) -> FrameFields:
        """The headers that the parsers reach."""
        at, vlan = _ADDRESSES, None
        kind = _number(octets, at, 2)
        if kind == _TAG:
            vlan = _number(octets, at + 2, 2) & 0xFFF
            at += 4
            kind = _number(octets, at, 2)
        ip, version = at + 2, _TYPES.get(kind)
        labels: tuple[int, ...] = ()
        if kind == _MPLS:
            labels, ip, version = _labelled(octets, ip)
        if version is None:
            arp = ip if kind == _ARP and len(octets) >= ip + _ARP_LENGTH else None
            return cls(octets, vlan, None, None, None, None, arp, labels)
        protocol = octets[ip + 9] if version == 4 else octets[ip + 6]
        plain = version == 6 or (octets[ip] & 0xF == 5 and _number(octets, ip + 6, 2) & 0x1FFF == 0)
        reached = protocol in (TCP, UDP) and plain
        transport = ip + (20 if version == 4 else 40) if reached else None
        return cls(octets, vlan, version, ip, protocol, transport, labels=labels)

    @property
    def begins(self) -> Mapping[str, int]:
        """The offsets of the headers whose fields the program changes, by Scapy's names."""
        network = {4: "IP", 6: "IPv6"}.get(self.version or 0)
        transport = {TCP: "TCP", UDP: "UDP"}.get(self.protocol or 0)
        found = {
            "Ether": 0,
            "Dot1Q": None if self.vlan is None else _ADDRESSES + 2,
            "ARP": self.arp,
            **dict(zip(("MPLS", "MPLS[2]"), self.labels, strict=False)),
            **({network: self.ip} if network else {}),
            **({transport: self.transport} if transport else {}),
        }
        return {name: at for name, at in found.items() if at is not None}

    def place(self, key: str) -> tuple[int, int] | None:
        """Offset and length, in bytes, of a key of the classifier; None if the frame has no such field."""
        header, offset, length = _PLACES[key]
        if header == "arp":
            return None if self.arp is None else (self.arp + offset, length)
        wanted = {"tcp": TCP, "udp": UDP}.get(key.partition("_")[0])
        begin = self.ip if header == "ip" else self.transport
        if begin is None or (wanted is None and self.version != 4) or wanted not in (None, self.protocol):
            return None
        return begin + offset, length

    @property
    def stops_at_tag(self) -> bool:
        """Whether a VLAN tag is what the parsers do not look behind."""
        at = _ADDRESSES + (0 if self.vlan is None else 4)
        return _number(self.octets, at, 2) in (_TAG, _SERVICE_TAG)

    @property
    def version_bit(self) -> int | None:
        """The version bit that the program writes (p4/controls/version.p4), from the start of the frame."""
        if self.ip is None:
            return None
        return 8 * self.ip + {4: _IDENTIFICATION, 6: _FLOW_LABEL}[self.version or 0]

    @property
    def checksums(self) -> tuple[int, ...]:
        """The offsets of the checksums that the program makes right (p4/controls/checksums.p4)."""
        network = () if self.ip is None or self.version != 4 else (self.ip + _IPV4_CHECKSUM,)
        if self.transport is None or self.protocol is None:
            return network
        return *network, self.transport + _TRANSPORT_CHECKSUM[self.protocol]

    @property
    def udp(self) -> int | None:
        """The offset of UDP; None if there is none."""
        return self.transport if self.protocol == UDP else None

    @property
    def signature(self) -> int | None:
        """Where a parser looks for a signature: right behind UDP, or TCP without options; None: no room.

        Behind labels of MPLS it looks behind UDP only.
        """
        if self.ip is None or self.transport is None or (self.labels and self.udp is None):
            return None
        if self.udp is not None:
            begin, length = self.transport + _UDP_LENGTH, _number(self.octets, self.transport + 4, 2)
        elif _number(self.octets, self.transport + 12, 1) >> 4 == _TCP_WORDS:
            begin = self.transport + 4 * _TCP_WORDS
            whole = _number(self.octets, self.ip + (2 if self.version == 4 else 4), 2)
            length = whole - (20 if self.version == 4 else 0)
        else:
            return None
        end = begin + SIGNATURE_LENGTH
        return begin if end - self.transport <= length and end <= len(self.octets) else None

    def with_checksum(self, octets: bytes) -> bytes:
        """A frame with these headers and the checksum of TCP or UDP; one of UDP without any stays without."""
        if self.ip is None or self.transport is None or self.protocol is None:
            raise PlanError("a frame without TCP or UDP has no checksum of it")
        at = self.transport + _TRANSPORT_CHECKSUM[self.protocol]
        if self.udp is not None and octets[at : at + 2] == b"\0\0":
            return octets
        begin, end = (12, 20) if self.version == 4 else (8, 40)
        carried = octets[self.transport : at] + octets[at + 2 :]
        pseudo = bytes((0, self.protocol)) + (len(octets) - self.transport).to_bytes(2, "big")
        found = checksum(octets[self.ip + begin : self.ip + end] + pseudo + carried)
        return octets[:at] + (found or 0xFFFF * (self.udp is not None)).to_bytes(2, "big") + octets[at + 2 :]


def _labelled(octets: bytes, at: int) -> tuple[tuple[int, ...], int, int | None]:
    """Offsets of entries of MPLS, where they end, and the version of IP there; None: no IP is found."""
    labels: tuple[int, ...] = ()
    for _ in range(_LABELS):
        labels += (at,)
        at += _LABEL
        if _number(octets, at - 2, 1) & _BOTTOM:
            version = _number(octets, at, 1) >> 4
            return labels, at, version if version in _VERSIONS else None
    return labels[:1], at, None


def _number(octets: bytes, at: int, length: int) -> int:
    return int.from_bytes(octets[at : at + length], "big")
