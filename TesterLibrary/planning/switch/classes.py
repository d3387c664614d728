# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The fields by which a switch recognizes frames without a signature, and packets of a responder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...errors import PlanError
from ...model.plan.plan import PlannedStream
from ...model.plan.planned_end import Accept
from .frame import TCP, UDP, FrameFields
from .signature import behind_labels

ACCEPTED = {"IP.dst": 32, "TCP.dport": 16, "UDP.dport": 16}  # fields of a responder's packets, and their bits
IPV6_SERVERS = "IPv6.dst"
ACCEPTED_OF_IPV6 = {**ACCEPTED, IPV6_SERVERS: 128}  # where templates answer IPv6, too
_KEYS = (
    "ipv4_src",
    "ipv4_dst",
    "tcp_sport",
    "tcp_dport",
    "udp_dport",
    "arp_op",
    "arp_psrc",
    "arp_pdst",
)


def stream_class(stream: PlannedStream) -> Mapping[str, tuple[int, int]]:
    """Value and mask of each key that recognizes frames of a stream without a signature, besides the port.

    Raises:
        PlanError: nothing that a parser of the switch finds stays the same.
    """
    mask, value = _bits(stream)
    fields = FrameFields.of(stream.frame)
    key = {"vlan_valid": (int(fields.vlan is not None), 1)}
    if fields.labels:  # behind them a switch looks for signatures only
        fields = replace(fields, version=None, ip=None, protocol=None, transport=None)
    for name in _KEYS:
        place = fields.place(name)
        if place is not None:
            begin, end = place[0], sum(place)
            number, bits = (int.from_bytes(part[begin:end], "big") for part in (value, mask))
            key |= {name: (number, bits)} if bits else {}
    if fields.version == 4:
        key |= {"ipv4_valid": (1, 1), "ipv4_proto": (fields.protocol or 0, 0xFF)}
    key |= dict.fromkeys(_transport(fields), (1, 1))
    if fields.arp is not None:
        key["arp_valid"] = (1, 1)
    if fields.vlan is not None:
        key["vlan"] = (fields.vlan, 0xFFF)
    if len(key) <= 1 and fields.labels:
        raise PlanError(behind_labels(stream.name))
    if len(key) <= 1:
        raise PlanError(
            f"stream {stream.name!r}: frames without a signature are known by fields of IPv4 and ARP, "
            "ports and VLANs on a switch, and these have none that stay the same"
        )
    return key


def check_accepted(accepted: tuple[Accept, ...], known: Mapping[str, int] = ACCEPTED) -> None:
    """PlanError for a field by which a switch cannot recognize packets of a responder.

    Args:
        accepted: The fields that select a responder's packets.
        known: Fields by which they can be, and their bits.
    """
    for accept in accepted:
        if accept.field not in known:
            raise PlanError(
                f"a switch knows packets of a responder by {', '.join(known)}, not {accept.field}"
            )


def _transport(fields: FrameFields) -> Iterator[str]:
    if fields.transport is not None:
        yield {TCP: "tcp_valid", UDP: "udp_valid"}[fields.protocol or 0]


def _bits(stream: PlannedStream) -> tuple[bytes, bytes]:
    """Mask and value over the whole frame."""
    mask, value = bytearray(len(stream.frame)), bytearray(len(stream.frame))
    for match in stream.matches:
        mask[match.offset : match.offset + len(match.mask)] = match.mask
        value[match.offset : match.offset + len(match.value)] = match.value
    return bytes(mask), bytes(value)
