# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of UDP whose answers are templates, in a switch.

A switch parses 16 bytes behind UDP and gives them no names, so fields of headers behind UDP, and the payload
behind those, are bits of words of 16 bits. An answer goes back to whoever asked, from where that was asked,
and may have the first word of the packet that asks: the number of a DNS query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import PlanError
from ...model.expression import Expression
from ...model.headers import HeaderStack
from ...model.protocol import Protocol
from ...model.template import Template
from ...protocols.layout import HeaderLayout
from ...protocols.scope import layout_of
from .resources import PREFIX_OCTETS, octets_before_payload

FIRST_WORD = "payload.word0"  # of what is behind UDP
SEEN = "payload.valid"  # the key that says whether the 16 bytes are there
WORD = 16  # bits
_BELOW = 3  # headers: Ethernet, IP, UDP
_MIRRORED = {
    f"{header}.{field}": f"{header}.{other}"
    for header, ends in (("Ether", "dst src"), ("IP", "src dst"), ("IPv6", "src dst"), ("UDP", "sport dport"))
    for field, other in (ends.split(), ends.split()[::-1])
}  # fields of an answer, and of the packet that asks


def network_of(protocol: Protocol) -> str:
    """The header right behind Ethernet: IP, IPv6 or another; empty if there is none."""
    return next(iter(_names(protocol.stack)[1:2]), "")


def is_datagram(protocol: Protocol) -> bool:
    """Whether a table answers UDP with templates."""
    stacks = [("Ether", network, "UDP") for network in ("IP", "IPv6")]
    return bool(protocol.templates) and _names(protocol.stack)[:_BELOW] in stacks


def asked_port(protocol: Protocol) -> int | None:
    """The port that packets of a table of UDP are for, if its headers say so."""
    udp = next((header for header in layout_of(protocol.stack).headers if header.name == "UDP"), None)
    return None if udp is None else udp.announced.get("dport")


def seen_words(
    protocol: Protocol, tests: Iterable[tuple[str, int, int]], prefix: bytes
) -> dict[str, tuple[int, int]]:
    """Value and mask of each key of the words, for tests of fields and a prefix of the payload.

    Args:
        protocol: A table of UDP.
        tests: Fields behind UDP with their values and masks. One that is not within the 16 bytes is left out.
        prefix: What the payload begins with.
    """
    total_value = total_mask = 0
    whole = 8 * PREFIX_OCTETS
    parts = [(*_places(protocol.stack)[name], value, mask) for name, value, mask in tests]
    if prefix:
        begin, bits = 8 * octets_before_payload(protocol), 8 * len(prefix)
        parts.append((begin, bits, int.from_bytes(prefix, "big"), (1 << bits) - 1))
    for offset, bits, value, mask in parts:
        shift = whole - offset - bits
        total_value, total_mask = total_value | value << shift, total_mask | mask << shift
    found = {SEEN: (1, 1)} if total_mask else {}
    for number in range(whole // WORD):
        shift = whole - WORD * (number + 1)
        value, mask = ((total >> shift) & (1 << WORD) - 1 for total in (total_value, total_mask))
        if mask:
            found[f"payload.word{number}"] = value, mask
    return found


def is_seen(protocol: Protocol, name: str) -> bool:
    """Whether a field is within the 16 bytes behind UDP."""
    return name in _places(protocol.stack)


def reads_payload(template: Template) -> bool:
    """Whether an answer has something of the packet that asks, besides its addresses and ports."""
    return any(value.constant is None and name not in _MIRRORED for name, value in template.fields)


def carried_word(protocol: Protocol, template: Template) -> Expression | None:
    """The first word behind UDP of an answer, a number or FIRST_WORD; None: it is of TCP."""
    return Expression(_first_word(protocol, template)) if is_datagram(protocol) else None


def check_datagram(protocol: Protocol, template: Template) -> None:
    """PlanError, by the line, for an answer of UDP that a switch does not make."""
    if len(protocol.states) > 1:
        raise PlanError(
            f"{protocol.path}: line {protocol.packets_line}: {len(protocol.states)} states of flows of UDP; "
            "a switch keeps states of flows of TCP only, and answers UDP by the packet in hand"
        )
    _check_back(protocol, template)
    _first_word(protocol, template)


def _check_back(protocol: Protocol, template: Template) -> None:
    """Checks that an answer goes back to whoever asked, from where that was asked."""
    set_to = {name: str(value) for name, value in template.fields}
    by_flow = {name for key in protocol.flow for name in key}
    there = ("Ether", network_of(protocol), "UDP")
    for name, source in _MIRRORED.items():
        if name.partition(".")[0] not in there or (name in by_flow and name not in set_to):
            continue
        given = set_to.get(name)
        if name == "UDP.sport" and _constant_port(template) == asked_port(protocol) is not None:
            continue
        if given != source:
            what = f"sets {name} to {given}" if given else f"does not set {name}"
            raise PlanError(
                f"{_where(protocol, template)} {what}; on a switch an answer of UDP goes back to whoever "
                f"asked: give {name}: {source}"
            )


def _constant_port(template: Template) -> int | None:
    """The source port of an answer, if it does not depend on the packet."""
    value = dict(template.fields).get("UDP.sport")
    if value is not None:
        return value.constant
    layout = layout_of(template.headers)
    octets = next(header.octets for header in layout.headers if header.name == "UDP")
    return layout.places["UDP.sport"].read(octets)


def _first_word(protocol: Protocol, template: Template) -> int | str:
    """The first word behind UDP of an answer: a number, or FIRST_WORD, which is that of the packet.

    Raises:
        PlanError: another field that depends on the packet.
    """
    wanted, asked = _places(template.headers), _places(protocol.stack)
    carried = False
    for name, value in template.fields:
        if value.constant is not None or name in _MIRRORED:
            continue
        if wanted.get(name) != (0, WORD) or value.rest or asked.get(str(value.first)) != (0, WORD):
            raise PlanError(
                f"{_where(protocol, template)} sets {name} to {value}; on a switch the first {WORD} bits "
                "behind UDP can be those of the packet that asks, other fields are constant"
            )
        carried = True
    return FIRST_WORD if carried else int.from_bytes(_behind_udp(template)[:2].ljust(2, b"\0"), "big")


def _behind_udp(template: Template) -> bytes:
    """The bytes behind UDP of an answer, with its constants."""
    octets, layout = bytearray(), layout_of(template.headers)
    for header in _behind(template.headers):
        part = bytearray(header.octets)
        for name, value in template.fields:
            if name.partition(".")[0] == header.name and value.constant is not None:
                layout.places[name].write(part, value.constant)
        octets += part
    return bytes(octets) + template.payload


def _where(protocol: Protocol, template: Template) -> str:
    return f"{protocol.path}: line {template.line}: template {template.name}"


def _names(stack: HeaderStack) -> tuple[str, ...]:
    return tuple(header.name for header in layout_of(stack).headers)


def _behind(stack: HeaderStack) -> tuple[HeaderLayout, ...]:
    return layout_of(stack).headers[_BELOW:]


def _places(stack: HeaderStack) -> Mapping[str, tuple[int, int]]:
    """Offset, from the end of UDP, and width, in bits, of each field that a switch sees."""
    found, begin = {}, 0
    for header in _behind(stack):
        for field, place in header.places.items():
            if begin + place.offset + place.bits <= 8 * PREFIX_OCTETS:
                found[f"{header.name}.{field}"] = (begin + place.offset, place.bits)
        begin += 8 * len(header.octets)
    return found
