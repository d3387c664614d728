# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the template packets of answers: whole frames with lengths and checksums."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import PlanError
from ...model.headers import HeaderStack
from ...model.protocol import Protocol
from ...model.template import Template
from ...model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ...protocols import tcp_options
from ...protocols.frame import Frame
from ...protocols.scope import layout_of
from .chip import Chip
from .datagrams import check_datagram, is_datagram, network_of

_ADDRESSES = 12  # bytes of Ethernet before its type
_TAG = b"\x81\x00"  # IEEE 802.1Q
TAG_LENGTH = 4  # bytes


def answer_frame(
    protocol: Protocol, template: Template, vlan: int | None = None, server: int | None = None
) -> bytes:
    """The frame without FCS. Fields that an answer copies from a packet still have their initial values.

    Args:
        protocol: Whose answer it is; one that check_answer refuses has no such frame.
        template: Its template.
        vlan: VLAN of its tag, which has priority 0 as an engine's; None: it has no tag.
        server: An address of IPv6 that it comes from: answers of others keep its first 96 bits.

    Raises:
        PlanError: an option that depends on the flow.
    """
    fields = {name: value.constant for name, value in template.fields if value.constant is not None}
    if server is not None:
        fields["IPv6.src"] = server
    return whole_frame(template.headers, fields, _options(protocol, template), template.payload, vlan)


def check_answer(protocol: Protocol, template: Template, chip: Chip) -> None:
    """PlanError, by the line, for a template whose packets a switch does not answer with.

    Args:
        protocol: Whose answer it is.
        template: Its template.
        chip: That of the switch.
    """
    names, asked = (
        [one.name for one in layout_of(stack).headers] for stack in (template.headers, protocol.stack)
    )
    network = network_of(protocol)
    of_udp = is_datagram(protocol) and names[:3] == ["Ether", network, "UDP"]
    queued = of_udp or names == asked == ["Ether", network, "TCP"]
    if queued and (chip.ipv6_answers or network == "IP"):
        if of_udp:
            check_datagram(protocol, template)
        return
    why = ": its queues carry addresses of 32 bits, and nothing behind other headers"
    if queued:
        why = ": its queues carry addresses of 32 bits; use a Tofino 2, whose queues carry IPv6, too"
    elif chip.ipv6_answers:
        why = ", and both with IPv6 in place of IP: its queues carry nothing behind other headers"
    raise PlanError(
        f"{protocol.path}: line {template.line}: template {template.name}: {' / '.join(names)} for "
        f"{' / '.join(asked)}; a switch answers with Ether / IP / TCP to the same, and with Ether / IP / UDP "
        f"to Ether / IP / UDP{why}"
    )


def whole_frame(
    headers: HeaderStack,
    fields: Mapping[str, int],
    options: bytes = b"",
    payload: bytes = b"",
    vlan: int | None = None,
) -> bytes:
    """A frame without FCS, with lengths and checksums, and as long as the shortest one.

    Args:
        headers: Its headers, Ethernet first.
        fields: Values of fields, by names such as `TCP.dport`; the others are as in `headers`.
        options: Whole words behind the TCP header.
        payload: What is behind them.
        vlan: VLAN of a tag behind the Ethernet addresses; None: none.
    """
    built = Frame.of(layout_of(headers), payload)
    for name, value in fields.items():
        built.set(name, value)
    if options:
        built.add_options(options)
    frame = built.octets()
    if vlan is not None:
        frame = frame[:_ADDRESSES] + _TAG + vlan.to_bytes(2, "big") + frame[_ADDRESSES:]
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
