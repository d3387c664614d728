# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""By which fields a switch knows frames that carry no signature, and packets of a responder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import PlanError
from ..model.plan import PlannedStream
from ..model.planned_end import Accept
from .switch_frame import TCP, UDP, FrameFields

ACCEPTED = {"IP.dst": 32, "TCP.dport": 16, "UDP.dport": 16}  # fields of a responder's packets, and their bits
_KEYS = ("ipv4_src", "ipv4_dst", "tcp_sport", "tcp_dport", "udp_dport")


def stream_class(stream: PlannedStream) -> Mapping[str, tuple[int, int]]:
    """Value and mask of each key by which frames of a stream without a signature are known, beside the port.

    Raises:
        PlanError: nothing that a parser of the switch finds stays the same.
    """
    mask, value = _bits(stream)
    fields = FrameFields.of(stream.frame)
    key = {"vlan_valid": (int(fields.vlan is not None), 1)}
    for name in _KEYS:
        place = fields.place(name)
        if place is not None:
            begin, end = place[0], sum(place)
            number, bits = (int.from_bytes(part[begin:end], "big") for part in (value, mask))
            key |= {name: (number, bits)} if bits else {}
    if fields.version == 4:
        key |= {"ipv4_valid": (1, 1), "ipv4_proto": (fields.protocol or 0, 0xFF)}
    key |= dict.fromkeys(_transport(fields), (1, 1))
    if fields.vlan is not None:
        key["vlan"] = (fields.vlan, 0xFFF)
    if len(key) <= 1:
        raise PlanError(
            f"stream {stream.name!r}: frames without a signature are known by IPv4 addresses, ports and "
            "VLANs on a switch, and these have none that stay the same"
        )
    return key


def check_accepted(accepted: tuple[Accept, ...]) -> None:
    """PlanError for a field by which a switch knows no packet of a responder."""
    for own in accepted:
        if own.field not in ACCEPTED:
            raise PlanError(
                f"a switch knows packets of a responder by {', '.join(ACCEPTED)}, not {own.field}"
            )


def _transport(fields: FrameFields) -> Iterator[str]:
    if fields.transport is not None:
        yield {TCP: "tcp_valid", UDP: "udp_valid"}[fields.protocol or 0]


def _bits(stream: PlannedStream) -> tuple[bytes, bytes]:
    """Mask and value over the whole frame."""
    mask, value = bytearray(len(stream.frame)), bytearray(len(stream.frame))
    for own in stream.matches:
        mask[own.offset : own.offset + len(own.mask)] = own.mask
        value[own.offset : own.offset + len(own.value)] = own.value
    return bytes(mask), bytes(value)
