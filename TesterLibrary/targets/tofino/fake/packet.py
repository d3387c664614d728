# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A packet within a switch: its bytes, the offsets of its headers, and its loop header (p4/parsers)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ....model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ....protocols.frame import checksum
from .pipelines import FORWARDED, REPLY

_IPV4, _ARP, _VLAN, _IPV6, _MPLS = 0x0800, 0x0806, 0x8100, 0x86DD, 0x8847
_TCP, _UDP, _ICMP = 6, 17, 1
_ETHERNET = 14
_SIGNATURE = 16  # bytes
_ONES = 0xFFFF
_WORN = {FORWARDED: 1, REPLY: 2}  # bytes of headers within the switch; others take the place of Ethernet

# The place of each field: header, offset and length in bytes.
FIELDS = {
    "ether.dst": ("ether", 0, 6),
    "ether.src": ("ether", 6, 6),
    "vlan.vlan": ("vlan", 0, 2),
    "mpls.entry": ("mpls", 0, 4),
    "second_mpls.entry": ("second_mpls", 0, 4),
    "arp.hwtype": ("arp", 0, 2),
    "arp.ptype": ("arp", 2, 2),
    "arp.hwlen": ("arp", 4, 1),
    "arp.plen": ("arp", 5, 1),
    "arp.op": ("arp", 6, 2),
    "arp.hwsrc": ("arp", 8, 6),
    "arp.psrc": ("arp", 14, 4),
    "arp.hwdst": ("arp", 18, 6),
    "arp.pdst": ("arp", 24, 4),
    "ipv4.tos": ("ipv4", 1, 1),
    "ipv4.len": ("ipv4", 2, 2),
    "ipv4.ttl": ("ipv4", 8, 1),
    "ipv4.proto": ("ipv4", 9, 1),
    "ipv4.src": ("ipv4", 12, 4),
    "ipv4.dst": ("ipv4", 16, 4),
    "ipv6.plen": ("ipv6", 4, 2),
    "ipv6.hlim": ("ipv6", 7, 1),
    "ipv6.src_high": ("ipv6", 8, 12),
    "ipv6.src": ("ipv6", 20, 4),  # what an editor reaches of it
    "ipv6.dst_high": ("ipv6", 24, 12),
    "ipv6.dst": ("ipv6", 36, 4),
    "icmp.type": ("icmp", 0, 1),
    "icmp.code": ("icmp", 1, 1),
    "udp.sport": ("udp", 0, 2),
    "udp.dport": ("udp", 2, 2),
    "tcp.sport": ("tcp", 0, 2),
    "tcp.dport": ("tcp", 2, 2),
    "tcp.seq": ("tcp", 4, 4),
    "tcp.ack": ("tcp", 8, 4),
    "tcp.flags": ("tcp", 13, 1),
    "tcp.window": ("tcp", 14, 2),
    "signature.id": ("signature", 0, 2),
    "signature.sequence_high": ("signature", 2, 2),
    "signature.sequence": ("signature", 4, 4),
    "signature.timestamp_ns": ("signature", 8, 6),
}
FIELDS |= {f"ip.{name.partition('.')[2]}": place for name, place in FIELDS.items() if place[0] == "ipv4"}
FIELDS |= {f"{name}_low": FIELDS[name] for name in ("ipv6.src", "ipv6.dst")}  # as the classifier names them
_OFFSETS = {"tcp": 16, "udp": 6, "icmp": 2}  # offsets of their checksums
_ADDRESSES = ("ipv4.src", "ipv4.dst", "ipv6.src", "ipv6.dst_high", "ipv6.dst")
_CHANGING = {  # fields that a checksum covers and a pipeline may change
    "tcp": (*_ADDRESSES, "tcp.sport", "tcp.dport", "tcp.seq", "tcp.ack"),
    "udp": (*_ADDRESSES, "udp.sport", "udp.dport"),
    "icmp": (),  # its first word is counted apart
}
_VERSIONS = {"ipv4": (4, 0x80), "ipv6": (1, 0x08)}  # byte and bit
_VERSIONS |= {f"labelled_{header}": place for header, place in _VERSIONS.items()}


@dataclass
class Packet:
    """A packet without FCS. While it loops, its Ethernet addresses are 0, and the link stands for them."""

    octets: bytearray
    at: dict[str, int] = field(default_factory=dict)  # where each header begins
    kind: int = 0
    link: int = 0
    template: int = 0
    flow: int = 0
    peer: bytes = bytes(6)  # MAC address of the station that asked; of a stream: the destination
    source_low: int = 0  # last 32 bits of the source of a stream, where it changes
    from_port: int | None = None  # where it came in, of one that goes to the driver
    cut_off: bool = False  # ends within a header
    rests: dict[str, int] = field(default_factory=dict)  # parts of checksums that do not change

    @classmethod
    def parse(cls, octets: bytes, *, arrives: bool = False) -> Packet:
        """Parses a packet like the parsers of all pipelines.

        Args:
            octets: Its bytes.
            arrives: Whether it comes in from outside: behind a label of MPLS only a signature is found then.
        """
        packet = cls(bytearray(octets))
        packet._find(arrives=arrives)
        packet.rests = {
            name: (-packet._word(packet.at[name] + _OFFSETS[name]) - packet._changing(name)) % _ONES
            for name in _OFFSETS
            if name in packet.at and not (name == "udp" and packet._word(packet.at[name] + 6) == 0)
        }
        return packet

    @property
    def worn(self) -> int:
        """Bytes before an egress, which counts the header that a packet wears there, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.octets) + len(self.cpu_header) + self.headers_within + FCS_LENGTH)

    @property
    def headers_within(self) -> int:
        """Bytes of headers within the switch, before the Ethernet header."""
        return _WORN.get(self.kind, 0)

    def copy(self) -> Packet:
        """A copy with bytes of its own."""
        return replace(self, octets=bytearray(self.octets))

    @property
    def size(self) -> int:
        """Bytes on the wire, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.octets) + FCS_LENGTH)

    @property
    def cpu_header(self) -> bytes:
        """The header that tells the driver of a packet, before its Ethernet header."""
        return b"" if self.from_port is None else bytes(3) + self.from_port.to_bytes(2, "big")

    @property
    def ether_type(self) -> int:
        """The type behind the Ethernet addresses."""
        return self._word(12)

    @property
    def destination(self) -> int:
        """The Ethernet destination address."""
        return int.from_bytes(self.octets[:6], "big")

    def has(self, header: str) -> bool:
        """Whether the parser has found a header."""
        return header in self.at

    def get(self, name: str) -> int:
        """The value of a field; 0 if its header is not there."""
        header, begin, size = FIELDS[name]
        if header not in self.at:
            return 0
        at = self.at[header] + begin
        return int.from_bytes(self.octets[at : at + size], "big")

    def bits(self, header: str, first: int, count: int) -> int:
        """A number of so many bits from bit `first` of a header on; 0 if it is not there."""
        if header not in self.at:
            return 0
        end = first + count
        octets = self.octets[self.at[header] :][: -(-end // 8)]
        return int.from_bytes(octets, "big") >> -end % 8 & (1 << count) - 1

    def set(self, name: str, value: int) -> None:
        """Changes a field, modulo its width; does nothing if its header is not there."""
        header, begin, size = FIELDS[name]
        if header in self.at:
            at = self.at[header] + begin
            self.octets[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "big")

    def set_first_word(self, value: int) -> None:
        """Changes the first word behind UDP, over which its checksum is."""
        if "udp" in self.rests and self.has("signature"):
            rest = (self.rests["udp"] + value - self.get("signature.id")) % _ONES
            self.rests = {**self.rests, "udp": rest}
        self.set("signature.id", value)

    @property
    def version(self) -> int:
        """The version bit, which says in which counters it belongs."""
        for header, (offset, bit) in _VERSIONS.items():
            if header in self.at:
                return int(bool(self.octets[self.at[header] + offset] & bit))
        return 0

    @version.setter
    def version(self, version: int) -> None:
        for header, (offset, bit) in _VERSIONS.items():
            if header in self.at:
                at = self.at[header] + offset
                self.octets[at] = self.octets[at] & ~bit | (bit if version else 0)

    @property
    def signature_rest(self) -> int:
        """The one's complement of the sum of the place of a signature."""
        return checksum(bytes(self.octets[self.at["signature"] :][:_SIGNATURE]))

    def sign(self, rest: int) -> None:
        """Fills in the complement that keeps the sum of the signature as it was."""
        at = self.at["signature"] + _SIGNATURE - 2
        covered = bytes(self.octets[at - _SIGNATURE + 2 : at]) + rest.to_bytes(2, "big")
        self.octets[at : at + 2] = checksum(covered).to_bytes(2, "big")

    def header_length(self, header: str) -> int:
        """Bytes of TCP with its options; 0 if it is not there."""
        return 4 * (self.octets[self.at[header] + 12] >> 4) if header in self.at else 0

    def deparse(self) -> None:
        """Updates the checksums after changes."""
        if "ipv4" in self.at:
            at = self.at["ipv4"]
            length = 4 * (self.octets[at] & 0xF)
            self.octets[at + 10 : at + 12] = bytes(2)
            self.octets[at + 10 : at + 12] = checksum(bytes(self.octets[at : at + length])).to_bytes(2, "big")
        for name, rest in self.rests.items():
            found = (_ONES - (rest + self._changing(name)) % _ONES) % _ONES
            if name == "udp" and found == 0:
                found = _ONES
            at = self.at[name] + _OFFSETS[name]
            self.octets[at : at + 2] = found.to_bytes(2, "big")

    def _find(self, *, arrives: bool) -> None:
        at, ether_type = _ETHERNET, self.ether_type
        self.at["ether"] = 0
        if ether_type == _VLAN and self._begins("vlan", at, 4):
            ether_type, at = self._word(at + 2), at + 4
        if ether_type == _MPLS:
            ether_type, at = self._find_labels(at)
            if arrives:
                self._find_labelled(ether_type, at)
                return
        if ether_type == _ARP:
            self._begins("arp", at, 28)
        elif ether_type == _IPV4 and self._begins("ipv4", at, 20):
            plain = self.octets[at] & 0xF == 5 and self._word(at + 6) & 0x1FFF == 0
            if plain:
                self._find_layer_4(at + 20, self.octets[at + 9])
        elif ether_type == _IPV6 and self._begins("ipv6", at, 40):
            self._find_layer_4(at + 40, self.octets[at + 6])

    def _find_labels(self, at: int) -> tuple[int, int]:
        """The type of the packet behind one or two labels, 0 if there are more, and where it is."""
        for header in ("mpls", "second_mpls"):
            bottom = self._word(at + 1) & 1
            if (header == "second_mpls" and not bottom) or not self._begins(header, at, 4):
                return 0, at
            at += 4
            if bottom:
                # The parser looks at the next byte.
                self.cut_off = len(self.octets) <= at
                version = 0 if self.cut_off else self.octets[at] >> 4
                return {4: _IPV4, 6: _IPV6}.get(version, 0), at
        return 0, at

    def _find_labelled(self, ether_type: int, at: int) -> None:
        """The signature behind labels, in UDP only, and the version; nothing else is looked at there."""
        plain, protocol, length = False, 0, 20
        if ether_type == _IPV4 and self._begins("labelled_ipv4", at, 20):
            plain = self.octets[at] & 0xF == 5 and self._word(at + 6) & 0x1FFF == 0
            protocol = self.octets[at + 9]
        elif ether_type == _IPV6 and self._begins("labelled_ipv6", at, 40):
            plain, protocol, length = True, self.octets[at + 6], 40
        at += length
        if plain and protocol == _UDP and self._begins("labelled_udp", at, 6):
            if self._word(at + 4) >= 8 + _SIGNATURE and self._begins("labelled_udp", at, 8):
                self._begins("signature", at + 8, _SIGNATURE)
            else:
                self.at.pop("labelled_udp")

    def _find_layer_4(self, at: int, protocol: int) -> None:
        if protocol == _UDP and self._begins("udp", at, 8):
            if self._word(at + 4) >= 8 + _SIGNATURE:
                self._begins("signature", at + 8, _SIGNATURE)
        elif protocol == _ICMP and "ipv4" in self.at:
            self._begins("icmp", at, 4)
        elif protocol == _TCP and self._begins("tcp", at, 20) and self.octets[at + 12] >> 4 == 5:
            carried = self.get("ipv4.len") - 20 if "ipv4" in self.at else self.get("ipv6.plen")
            if carried >= 20 + _SIGNATURE:
                self._begins("signature", at + 20, _SIGNATURE)

    def _begins(self, header: str, at: int, length: int) -> bool:
        """Notes where a header begins, unless the packet ends before it does."""
        self.cut_off = len(self.octets) < at + length
        if not self.cut_off:
            self.at[header] = at
        return not self.cut_off

    def _changing(self, name: str) -> int:
        """Sum of the words that may change, or a number that is the same modulo 0xFFFF."""
        if name == "icmp":
            return self._word(self.at[name])
        return sum(self.get(changing) for changing in _CHANGING[name] if FIELDS[changing][0] in self.at)

    def _word(self, at: int) -> int:
        return int.from_bytes(self.octets[at : at + 2], "big")
