# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The places of a header stack's fields: fixed bit positions within each header, as hardware needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from ..errors import PlanError, did_you_mean
from ..model.headers import HeaderStack
from ..model.ports import Port
from ..model.units.units import Bandwidth
from ..wire.address import Station
from ..wire.header_values import resolved, width
from ..wire.headers import Route, lay_out, layers_of
from ..wire.icrc import ICRC_BYTES
from . import tcp_options

if TYPE_CHECKING:
    from scapy.packet import Packet

# Addresses of a template until those of a flow are set; they are for documentation (RFC 5737, RFC 3849).
_PORT = Port("any", Bandwidth.parse("1 Gbps"), b"\x02\0\0\0\0\x01", 65_535)
_ENDS = Route(
    Station(_PORT, ip_address("192.0.2.1"), ip_address("2001:db8::1")),
    Station(_PORT, ip_address("192.0.2.2"), ip_address("2001:db8::2")),
    b"\x02\0\0\0\0\x02",
)
# Headers with a check over the whole packet behind the payload, and its bytes; they are behind UDP.
TRAILERS: Mapping[str, int] = {"BTH": ICRC_BYTES}
# Scapy sets these fields with the header above, but packets that arrive may have other values.
_NOT_ANNOUNCED = ("sport", "dst", "tos")


@dataclass(frozen=True)
class HeaderPlace:
    """The place of a field in its header: the highest bit of the first byte is bit 0."""

    offset: int
    bits: int
    letters: str = ""  # names of the bits of a flags field, the lowest bit first

    def read(self, octets: bytes | bytearray) -> int:
        """The field's value."""
        end = self.offset + self.bits
        last = (end + 7) // 8
        value = int.from_bytes(octets[self.offset // 8 : last], "big") >> (last * 8 - end)
        return value & ((1 << self.bits) - 1)

    def write(self, octets: bytearray, value: int) -> None:
        """Changes the field, modulo 2^bits."""
        end = self.offset + self.bits
        first, last = self.offset // 8, (end + 7) // 8
        shift, mask = last * 8 - end, (1 << self.bits) - 1
        word = int.from_bytes(octets[first:last], "big")
        word = word & ~(mask << shift) | (value & mask) << shift
        octets[first:last] = word.to_bytes(last - first, "big")


@dataclass(frozen=True)
class HeaderLayout:
    """One header: its name in tables, its class in Scapy, and its fixed part."""

    name: str  # IP, and for the second one of a stack IP2
    kind: str
    octets: bytes  # the header in a template
    places: Mapping[str, HeaderPlace]
    announced: Mapping[str, int]  # values that tell that a packet has this stack
    options: bytes = b""  # behind it in a template; what arrives may have others


class Layout:
    """The layout of a header stack. PlanError if it cannot be laid out, or has no fixed positions."""

    def __init__(self, stack: HeaderStack) -> None:
        self.stack = stack
        self.headers = tuple(_headers(stack))

    @cached_property
    def places(self) -> Mapping[str, HeaderPlace]:
        """The places of all fields, by names such as `TCP.seq`."""
        return {f"{h.name}.{field}": place for h in self.headers for field, place in h.places.items()}

    @cached_property
    def virtual(self) -> Mapping[str, int]:
        """Widths of the values that can be read in addition to fields: TCP's single flags and its options."""
        if not any(header.name == "TCP" for header in self.headers):
            return {}
        return {f"TCP.{name}": bits for name, bits in tcp_options.VIRTUAL.items()}

    def bits(self, name: str) -> int | None:
        """The width of a field; None if there is no such field."""
        place = self.places.get(name)
        return place.bits if place else self.virtual.get(name)

    def unknown(self, name: str) -> str:
        """The error for an unknown field, which names the fields that there are."""
        header = name.partition(".")[0]
        known = [*self.places, *self.virtual]
        near = [field for field in known if field.partition(".")[0] == header]
        allowed = ", ".join(near) or f"fields of {', '.join(header.name for header in self.headers)}"
        return f"there is no field {name!r}{did_you_mean(name, known)}; there are {allowed}"


def _headers(stack: HeaderStack) -> Iterator[HeaderLayout]:
    packet = lay_out(stack, _ENDS)
    seen: dict[str, int] = {}
    types = {header_type.name: header_type for header_type in stack.types}
    layers = list(layers_of(packet))
    for index, layer in enumerate(layers):
        kind = type(layer).__name__
        written = stack.headers[index] if index < len(stack.headers) else None
        short = written.name.rpartition(".")[2] if written else kind
        seen[short] = seen.get(short, 0) + 1
        places = _places(layer, short)
        given = {name for name, _ in written.fields} if written else set()
        announced = {*given, *layer.overloaded_fields} - (set(_NOT_ANNOUNCED) - given)
        before = [type(below).__name__ for below in layers[:index]]
        if kind in TRAILERS and (before[-1:] != ["UDP"] or before[-2:-1] not in (["IP"], ["IPv6"])):
            raise PlanError(f"{short} is behind UDP in IP or IPv6; here it is behind {' / '.join(before)}")
        above = type(layers[index + 1]).__name__ if index + 1 < len(layers) else ""
        announced |= set(types[above].follows.get(kind, {})) if above in types else set()
        announced |= set(types[kind].carries.get(above, {})) if kind in types else set()
        built, fixed = bytes(layer.self_build()), sum(place.bits for place in places.values()) // 8
        octets = built[:fixed]
        yield HeaderLayout(
            name=short if seen[short] == 1 else f"{short}{seen[short]}",
            kind=kind,
            octets=octets,
            places=places,
            announced={name: places[name].read(octets) for name in sorted(announced) if name in places},
            options=built[fixed:] if kind == "IP" else b"",
        )


def _places(layer: Packet, name: str) -> dict[str, HeaderPlace]:
    """The places of the header's fields, up to one without a fixed length, or behind the payload."""
    from scapy.fields import ConditionalField, FCSField

    places: dict[str, HeaderPlace] = {}
    offset = 0
    for field in layer.fields_desc:
        if isinstance(field, ConditionalField) and not field._evalcond(layer):
            continue
        inner = resolved(field, layer)
        bits = _bits(inner)
        if not bits or isinstance(inner, FCSField):
            break
        letters = getattr(inner, "names", "") if type(inner).__name__ == "FlagsField" else ""
        places[field.name] = HeaderPlace(offset, bits, letters if isinstance(letters, str) else "")
        offset += bits
    if offset % 8 or offset == 0:
        raise PlanError(
            f"{name}: {offset} bits of it are at fixed positions, which is no whole number of bytes"
        )
    return places


def _bits(field: Any) -> int | None:
    from scapy.fields import IP6Field, IPField, MACField

    return int(field.sz) * 8 if isinstance(field, IP6Field | IPField | MACField) else width(field)
