# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A test frame that can be built again with other values in its fields, and where those fields are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PlanError, did_you_mean
from ..model.editor import FieldPath
from ..model.headers import HeaderStack
from ..model.plan.plan import bits_of
from ..wire.header_catalog import scapys_field
from ..wire.header_values import as_number, from_number, numeric_width, resolved
from ..wire.headers import layers_of

if TYPE_CHECKING:
    from scapy.packet import Packet

_TAGS = ("Dot1Q", "Dot1AD")  # headers that a path may call VLAN; both kinds are counted together


@dataclass(frozen=True)
class FramePlace:
    """A field with a place in the frame."""

    path: FieldPath  # with Scapy's name of the header
    layer: int  # number of its header; 0 is the outermost
    field: Any  # Scapy's description of the field
    bit_offset: int
    bits: int
    automatic: bool  # Scapy fills it in, maybe from the rest of the frame: a length or a checksum

    def number(self, text: str) -> int:
        """The number that a text means in this field. PlanError says what the field takes."""
        try:
            return as_number(self.field, text)
        except ValueError as problem:
            raise PlanError(f"{text!r}: {problem}") from None

    @property
    def has_notation(self) -> bool:
        """Whether its values are written otherwise than as numbers."""
        return not isinstance(from_number(self.field, 0), int)

    def text(self, number: int) -> str:
        """A value of the field as people read it: an address as such, a number with all its digits."""
        value = from_number(self.field, number)
        return f"{value:,}" if isinstance(value, int) else str(value)

    def of(self, frame: bytes) -> int:
        """The value of the field in a frame."""
        return bits_of(frame, self.bit_offset, self.bits)


class FrameTemplate:
    """A test frame without FCS: the packet that Scapy builds, and the trailer behind it."""

    def __init__(self, stack: HeaderStack, packet: Packet, trailer: bytes, payload_offset: int) -> None:
        self.stack = stack
        self.trailer = trailer
        self.payload_offset = payload_offset  # bytes of headers before it
        self._packet = packet

    @cached_property
    def frame(self) -> bytes:
        """The frame with the author's values."""
        return bytes(self._packet) + self.trailer

    def built(self, values: Mapping[FramePlace, int]) -> bytes:
        """The frame with these values of some fields, and the checksums that belong to them."""
        packet = self._packet.copy()
        chain = list(layers_of(packet))
        for place, number in values.items():
            chain[place.layer].setfieldval(place.field.name, from_number(place.field, number))
        return bytes(packet) + self.trailer

    def names(self, frame: bytes) -> list[str]:
        """The headers that Scapy finds in a frame, as many as the stack has."""
        found = [type(layer).__name__ for layer in layers_of(type(self._packet)(frame))]
        return found[: len(self.stack.headers)]

    @cached_property
    def places(self) -> tuple[FramePlace, ...]:
        """All fields that have a place, in their order in the frame."""
        return tuple(self._places())

    def place(self, path: FieldPath) -> FramePlace:
        """The place of a field that may be edited.

        Raises:
            PlanError: there is no such header or field, or it is not the author's to change.
        """
        place = self.any_place(path)
        if place.automatic and place.of(self.frame):
            raise PlanError(
                f"{path} follows from the rest of the frame (it is a length or a checksum), "
                "so it cannot be edited; it can be given in the headers"
            )
        return place

    def any_place(self, path: FieldPath) -> FramePlace:
        """The place of a field that holds a number or an address, a length or a checksum as well.

        Raises:
            PlanError: there is no such header or field.
        """
        layer = self._layer(path)
        found = {place.path.field: place for place in self.places if place.layer == layer}
        name = scapys_field(path.header, path.field)
        if name not in found:
            raise PlanError(
                f"{path}: this {path.header} has no field {path.field!r}{did_you_mean(name, found)}. "
                f"It has {', '.join(found)}"
            )
        place = found[name]
        if numeric_width(place.field) != place.bits:
            raise PlanError(f"{path} is neither a number nor an address, so it cannot be edited")
        return place

    def _layer(self, path: FieldPath) -> int:
        """The number of a header, by its name in the stack, its name in Scapy, or VLAN."""
        chain = list(layers_of(self._packet))
        named = [header.name for header in self.stack.headers] + [""] * len(chain)
        wanted = _TAGS if path.header == "VLAN" else (path.header,)
        layers = [
            number
            for number, layer in enumerate(chain)
            if {named[number], named[number].rpartition(".")[2], type(layer).__name__} & {*wanted}
        ]
        if len(layers) < path.number:
            count = f"{len(layers)}" if layers else "no"
            raise PlanError(f"{path}: there is {count} header {path.header!r} in {self.stack.names}")
        return layers[path.number - 1]

    def _places(self) -> Iterator[FramePlace]:
        begin = 0
        counts: dict[str, int] = {}
        for number, layer in enumerate(layers_of(self._packet)):
            name = type(layer).__name__
            counts[name] = counts.get(name, 0) + 1
            built: Any = b""
            for field in layer.fields_desc:
                before = _bits(built)
                built = field.addfield(layer, built, layer.getfieldval(field.name))
                if bits := _bits(built) - before:
                    yield FramePlace(
                        FieldPath(name, field.name, counts[name]),
                        number,
                        resolved(field, layer),
                        8 * begin + before,
                        bits,
                        automatic=layer.getfieldval(field.name) is None,
                    )
            begin += _bits(built) // 8


def _bits(built: bytes | tuple[bytes, int, int]) -> int:
    """The bits that Scapy has laid out; within a byte it keeps the whole bytes and the bits after them."""
    return 8 * len(built[0]) + built[1] if isinstance(built, tuple) else 8 * len(built)
