# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the template packets of answers: whole frames with lengths and checksums."""

from __future__ import annotations

from ...errors import PlanError
from ...model.protocol import Protocol
from ...model.template import Template
from ...model.units import FCS_LENGTH, MIN_FRAME_SIZE
from ...protocols.frame import checksum
from ...protocols.scope import layout_of
from .frame import TCP

_STACK = ["Ether", "IP", "TCP"]
_WITHOUT_OPTIONS = (("IP.ihl", 5), ("TCP.dataofs", 5))  # words


def answer_frame(protocol: Protocol, template: Template) -> bytes:
    """The frame without FCS. Fields that an answer copies from a packet still have their initial values.

    Raises:
        PlanError: a template of other packets than TCP in IPv4.
    """
    layout = layout_of(template.headers)
    if [header.name for header in layout.headers] != _STACK:
        raise PlanError(
            f"{protocol.path}: line {template.line}: template {template.name}: a switch answers with "
            f"{' / '.join(_STACK)} only"
        )
    begins, whole = dict[str, int](), bytearray()
    for header in layout.headers:
        begins[header.name] = 8 * len(whole)
        whole += header.octets
    constants = [(name, value.constant) for name, value in template.fields if value.constant is not None]
    for name, value in (*_WITHOUT_OPTIONS, *constants):
        place = layout.places[name]
        _set(whole, begins[name.partition(".")[0]] + place.offset, place.bits, value)
    ip, tcp = (begins[name] // 8 for name in ("IP", "TCP"))
    return _summed(bytes(whole) + template.payload, ip, tcp).ljust(MIN_FRAME_SIZE - FCS_LENGTH, b"\0")


def _set(octets: bytearray, offset: int, bits: int, value: int) -> None:
    """Sets a field, whose offset is in bits from the start."""
    shift = 8 * len(octets) - offset - bits
    mask = (1 << bits) - 1
    number = int.from_bytes(octets, "big") & ~(mask << shift) | (value & mask) << shift
    octets[:] = number.to_bytes(len(octets), "big")


def _summed(octets: bytes, ip: int, tcp: int) -> bytes:
    """The frame with the lengths and checksums of IPv4 and TCP."""
    header = octets[ip : ip + 2] + _word(len(octets) - ip) + octets[ip + 4 : ip + 20]
    header = header[:10] + _word(checksum(header[:10] + header[12:])) + header[12:]
    segment = octets[tcp:]
    summed = header[12:] + b"\0" + bytes((TCP,)) + _word(len(segment)) + segment[:16] + segment[18:]
    return octets[:ip] + header + segment[:16] + _word(checksum(summed)) + segment[18:]


def _word(value: int) -> bytes:
    return value.to_bytes(2, "big")
