# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the template packets of answers: whole frames with lengths and checksums."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import PlanError
from ...model.headers import HeaderStack
from ...model.protocol import Protocol
from ...model.template import Template
from ...model.units import FCS_LENGTH, MIN_FRAME_SIZE
from ...protocols import tcp_options
from ...protocols.frame import Frame, checksum
from ...protocols.scope import layout_of
from .datagrams import check_datagram, is_datagram
from .frame import TCP

_STACK, _DATAGRAM = ["Ether", "IP", "TCP"], ["Ether", "IP", "UDP"]
_IP_WORDS = _TCP_WORDS = 5  # of headers without options
_ADDRESS_BITS = 32
_ADDRESSES = 12  # bytes of Ethernet before its type
_TAG = b"\x81\x00"  # IEEE 802.1Q
TAG_LENGTH = 4  # bytes


def answer_frame(protocol: Protocol, template: Template, vlan: int | None = None) -> bytes:
    """The frame without FCS. Fields that an answer copies from a packet still have their initial values.

    Args:
        protocol: Whose answer it is.
        template: Its template.
        vlan: VLAN of its tag, which has priority 0 as an engine's; None: it has no tag.

    Raises:
        PlanError: a template of other packets than TCP and UDP in IPv4, or with what depends on the packet.
    """
    check_answer(protocol, template)
    if is_datagram(protocol):
        return _padded(_datagram(template), vlan)
    constants = {name: value.constant for name, value in template.fields if value.constant is not None}
    return tcp_frame(template.headers, constants, _options(protocol, template), template.payload, vlan)


def check_answer(protocol: Protocol, template: Template) -> None:
    """PlanError, by the line, for a template whose packets a switch does not answer with."""
    names, asked = (
        [one.name for one in layout_of(stack).headers] for stack in (template.headers, protocol.stack)
    )
    if is_datagram(protocol) and names[: len(_DATAGRAM)] == _DATAGRAM:
        check_datagram(protocol, template)
    elif names != _STACK or asked != _STACK:
        raise PlanError(
            f"{protocol.path}: line {template.line}: template {template.name}: {' / '.join(names)} for "
            f"{' / '.join(asked)}; a switch answers with {' / '.join(_STACK)} to the same, and with "
            f"{' / '.join(_DATAGRAM)} to {' / '.join(_DATAGRAM)}: its queues carry addresses of "
            f"{_ADDRESS_BITS} bits, and nothing behind other headers"
        )


def tcp_frame(
    headers: HeaderStack,
    fields: Mapping[str, int],
    options: bytes = b"",
    payload: bytes = b"",
    vlan: int | None = None,
) -> bytes:
    """A frame without FCS of Ethernet, IPv4 and TCP, with lengths and checksums.

    Args:
        headers: Its headers.
        fields: Values of fields, by names such as `TCP.dport`; the others are as in `headers`.
        options: Whole words behind the TCP header.
        payload: What is behind them.
        vlan: VLAN of a tag behind the Ethernet addresses; None: none.
    """
    layout = layout_of(headers)
    begins, whole = dict[str, int](), bytearray()
    for header in layout.headers:
        begins[header.name] = 8 * len(whole)
        whole += header.octets
    lengths = {"IP.ihl": _IP_WORDS, "TCP.dataofs": _TCP_WORDS + len(options) // 4}
    for name, value in {**lengths, **fields}.items():
        place = layout.places[name]
        _set(whole, begins[name.partition(".")[0]] + place.offset, place.bits, value)
    ip, tcp = (begins[name] // 8 for name in ("IP", "TCP"))
    return _padded(_summed(bytes(whole) + options + payload, ip, tcp), vlan)


def _datagram(template: Template) -> bytes:
    """A frame without FCS of Ethernet, IPv4, UDP and what is behind it, with lengths and checksums."""
    frame = Frame.of(layout_of(template.headers), template.payload)
    for name, value in template.fields:
        if value.constant is not None:
            frame.set(name, value.constant)
    return frame.octets()


def _padded(frame: bytes, vlan: int | None) -> bytes:
    """A frame with its tag, if any, and as long as the shortest one."""
    if vlan is not None:
        frame = frame[:_ADDRESSES] + _TAG + _word(vlan) + frame[_ADDRESSES:]
    return frame.ljust(MIN_FRAME_SIZE - FCS_LENGTH, b"\0")


def _options(protocol: Protocol, template: Template) -> bytes:
    """The options of a template, which are the same in each of its packets."""
    found = b""
    for option in template.options:
        values = [value.constant for value in option.values]
        if option.only_if or None in values:
            raise PlanError(
                f"{protocol.path}: line {template.line}: template {template.name}: its option "
                f"{option.kind.value} depends on the flow; on a switch options are constant"
            )
        found += tcp_options.write(option.kind, tuple(value for value in values if value is not None))
    return found


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
