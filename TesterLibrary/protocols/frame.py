# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A frame of a known header stack: its fields, and lengths and checksums that are right."""

from __future__ import annotations

from dataclasses import dataclass

from ..wire.icrc import icrc
from . import tcp_options
from .layout import TRAILERS, HeaderLayout, HeaderPlace, Layout

_LENGTHS = {"IP": "len", "IPv6": "plen", "UDP": "len", "GTP_U_Header": "length"}
_NOT_COUNTED = {"IPv6": 40, "GTP_U_Header": 8}  # bytes of a header that its length leaves out
_TAILS = {"IP": ("ihl", 20), "TCP": ("dataofs", 20)}  # the field with the length in words; least bytes
_VERSIONS = {"IP": 4, "IPv6": 6}
_PROTOCOLS = {"TCP": 6, "UDP": 17}
_ALONE = ("ICMP", "IGMP")  # whose checksum covers no pseudo header
_SUMMED = ("TCP", "UDP", *_ALONE)


class Malformed(ValueError):
    """A frame that is not of the stack, or is broken; `ours` tells the two apart."""

    def __init__(self, reason: str, *, ours: bool) -> None:
        super().__init__(reason)
        self.ours = ours


@dataclass
class Part:
    """One header of a frame."""

    layout: HeaderLayout
    octets: bytearray  # options included

    def get(self, field: str) -> int:
        """The value of a field."""
        return self.layout.places[field].read(self.octets)

    def set(self, field: str, value: int) -> None:
        """Sets a field to a value modulo 2^bits."""
        self.layout.places[field].write(self.octets, value)


class Frame:
    """Headers and payload, without FCS; padding is no part of the payload where a length tells."""

    def __init__(self, parts: list[Part], payload: bytes, trailer: bytes = b"") -> None:
        self.parts = parts
        self.payload = payload
        self._received = trailer  # a check behind the payload
        self._trailer = sum(TRAILERS.get(part.layout.kind, 0) for part in parts)  # bytes of it
        self._by_name = {part.layout.name: part for part in parts}

    @classmethod
    def of(cls, layout: Layout, payload: bytes = b"") -> Frame:
        """A frame with the layout's headers as they are written."""
        parts = [Part(header, bytearray(header.octets + header.options)) for header in layout.headers]
        for part in parts:
            if part.layout.kind == "UDP":
                part.set("chksum", 1)  # 0 would say that it has none
        return cls(parts, payload)

    @classmethod
    def parse(cls, layout: Layout, octets: bytes) -> Frame:
        """The parsed frame. Malformed: another stack, a wrong length or checksum, cut off, or a fragment."""
        parts: list[Part] = []
        rest = octets
        for header in layout.headers:
            part, rest = _part(header, rest)
            parts.append(part)
        trailer = sum(TRAILERS.get(part.layout.kind, 0) for part in parts)
        if len(rest) < trailer:
            raise Malformed("it ends within its check", ours=True)
        frame = cls(parts, rest[: len(rest) - trailer], rest[len(rest) - trailer :])
        if not frame._is(frame.octets()):
            raise Malformed("a checksum or a length is wrong", ours=True)
        return frame

    def _is(self, computed: bytes) -> bool:
        """Whether it arrived with these octets; checksums 0xFFFF and 0 are equal in ones' complement."""
        received, start = bytearray(), 0
        for part in self.parts:
            received += part.octets
            field = checksum_field(part.layout)
            if field and part.layout.kind != "UDP":
                place = slice(start + part.layout.places[field].offset // 8, None)
                if {bytes(received[place][:2]), computed[place][:2]} == {b"\0\0", b"\xff\xff"}:
                    part.set(field, 0xFFFF - part.get(field))
            start = len(received)
        headers = b"".join(bytes(part.octets) for part in self.parts)
        return headers + self.payload + self._received == computed

    @property
    def length(self) -> int:
        """Bytes, without FCS and padding."""
        return sum(len(part.octets) for part in self.parts) + len(self.payload) + self._trailer

    def copy(self) -> Frame:
        """A copy whose headers can be changed."""
        return Frame([Part(part.layout, bytearray(part.octets)) for part in self.parts], self.payload)

    def get(self, name: str) -> int:
        """The value of a field such as `TCP.seq`."""
        header, _, field = name.partition(".")
        part = self._by_name[header]
        if field in part.layout.places:
            return part.get(field)
        return tcp_options.read(part.octets)[field]

    def set(self, name: str, value: int) -> None:
        """Sets a field to a value modulo 2^bits; does nothing if the stack has no such header."""
        header, _, field = name.partition(".")
        if header in self._by_name:
            self._by_name[header].set(field, value)

    def add_options(self, options: bytes) -> None:
        """Adds options to the TCP header."""
        self._by_name["TCP"].octets += options

    def octets(self) -> bytes:
        """The bytes that are sent: lengths and checksums are set from the innermost header outwards."""
        if not self._trailer:
            return self._built(self.payload)
        # Lengths count it, and the checksum of UDP is over it.
        octets = self._built(self.payload + bytes(self._trailer))[: -self._trailer]
        starts = [sum(len(part.octets) for part in self.parts[:index]) for index in range(len(self.parts))]
        network = max(
            start for part, start in zip(self.parts, starts, strict=True) if part.layout.kind in _VERSIONS
        )
        udp = next(start for part, start in zip(self.parts, starts, strict=True) if part.layout.kind == "UDP")
        return self._built(self.payload + icrc(octets[network:], udp - network))

    def _built(self, rest: bytes) -> bytes:
        for index in reversed(range(len(self.parts))):
            part = Part(self.parts[index].layout, bytearray(self.parts[index].octets))
            _lengths(part, len(rest))
            rest = _summed(part, rest, self._network(index))
        return rest

    def _network(self, index: int) -> Part | None:
        """The IP header below."""
        below = (part for part in reversed(self.parts[:index]) if part.layout.kind in _VERSIONS)
        return next(below, None)


def _part(header: HeaderLayout, octets: bytes) -> tuple[Part, bytes]:
    """The next header of a frame, and what it carries."""
    length = len(header.octets)
    if len(octets) < length:
        raise Malformed(f"it ends within {header.name}", ours=False)
    part = Part(header, bytearray(octets[:length]))
    for field, value in header.announced.items():
        if part.get(field) != value:
            raise Malformed(f"{header.name}.{field} is {part.get(field)}, not {value}", ours=False)
    kind = header.kind
    if kind in _VERSIONS and part.get("version") != _VERSIONS[kind]:
        raise Malformed(f"{header.name}.version is {part.get('version')}", ours=True)
    if kind == "IP" and (part.get("flags") & 1 or part.get("frag")):
        raise Malformed("a fragment", ours=True)
    end = len(octets)
    if kind in _LENGTHS:
        end = part.get(_LENGTHS[kind]) + _NOT_COUNTED.get(kind, 0)
    if kind in _TAILS:
        field, least = _TAILS[kind]
        length = part.get(field) * 4
        if length < least:
            raise Malformed(f"{header.name}.{field} is {part.get(field)}", ours=True)
    if not length <= end <= len(octets):
        raise Malformed(f"{header.name} says {end} bytes of {len(octets)}", ours=True)
    return Part(header, bytearray(octets[:length])), octets[length:end]


def _lengths(part: Part, carried: int) -> None:
    kind, length = part.layout.kind, len(part.octets)
    if kind in _TAILS:
        part.set(_TAILS[kind][0], length // 4)
    if kind in _LENGTHS:
        part.set(_LENGTHS[kind], length + carried - _NOT_COUNTED.get(kind, 0))


def _summed(part: Part, rest: bytes, network: Part | None) -> bytes:
    """The header with its checksum, followed by what it carries."""
    kind, field = part.layout.kind, checksum_field(part.layout)
    if not field:
        return bytes(part.octets) + rest
    if kind == "UDP" and part.get(field) == 0 and network and network.layout.kind == "IP":
        return bytes(part.octets) + rest  # RFC 768: a checksum of 0 means that there is none
    part.set(field, 0)
    octets = bytes(part.octets) + rest
    if kind == "IP":
        part.set(field, checksum(bytes(part.octets)))
    else:
        pseudo = b"" if kind in _ALONE else _pseudo_header(network, _PROTOCOLS.get(kind, 58), len(octets))
        total = checksum(pseudo + octets)
        part.set(field, total or 0xFFFF if kind == "UDP" else total)
    return bytes(part.octets) + rest


def checksum_field(layout: HeaderLayout) -> str:
    """The name of a header's checksum field; empty if it has none that can be computed."""
    if layout.kind == "IP" or layout.kind in _SUMMED:
        return "chksum"
    return "cksum" if layout.kind.startswith("ICMPv6") and "cksum" in layout.places else ""


def _pseudo_header(network: Part | None, protocol: int, length: int) -> bytes:
    """The pseudo header that a checksum covers (RFC 9293 §3.1, RFC 8200 §8.1)."""
    if network is None:
        return b""
    places, wide = network.layout.places, network.layout.kind == "IPv6"
    addresses = b"".join(_octets(places[end], network.octets) for end in ("src", "dst"))
    numbers = (length.to_bytes(4, "big"), protocol.to_bytes(4, "big"))
    return addresses + (b"".join(numbers) if wide else bytes([0, protocol]) + length.to_bytes(2, "big"))


def _octets(place: HeaderPlace, octets: bytearray) -> bytes:
    return bytes(octets[place.offset // 8 : (place.offset + place.bits) // 8])


def checksum(octets: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total = int.from_bytes(octets + b"\0" * (len(octets) % 2), "big") % 0xFFFF
    # A sum that is a multiple of 0xFFFF is 0xFFFF in ones' complement, and 0 only if all bytes are 0.
    return ~(total or 0xFFFF * any(octets)) & 0xFFFF
