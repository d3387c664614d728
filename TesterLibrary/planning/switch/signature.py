# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds frames with the signature of a switch: behind the outermost UDP or TCP, not at the end (ADR 7)."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PlanError
from ...model.plan.plan import PlannedStream
from ...protocols.frame import checksum
from .frame import SIGNATURE_LENGTH as LENGTH
from .frame import FrameFields


@dataclass(frozen=True)
class SignedTemplate:
    """A frame with the signature at a switch's place, and the checksum over the signature."""

    octets: bytes
    rest: int


def behind_labels(name: str) -> str:
    """Why a switch does not know frames of a stream behind labels of MPLS, signed or not, and what to do."""
    return (
        f"stream {name!r}: behind labels of MPLS a switch signs UDP only, behind one or two of them, in "
        f"{LENGTH} bytes of payload at least, and knows frames without a signature only by a VLAN tag before "
        "the labels; take UDP with a signature, such a tag with signature=False, or a testerd"
    )


def signed_template(stream: PlannedStream) -> SignedTemplate:
    """Moves the signature of a stream's frame from its end to the place where a switch writes it.

    Raises:
        PlanError: the frame has neither UDP nor TCP that a parser of the switch finds, no room behind it, or
            headers behind it, which the signature would stand before.
    """
    octets = stream.frame
    fields = FrameFields.of(octets)
    place = fields.signature
    if place is None and fields.labels:
        raise PlanError(behind_labels(stream.name))
    if place is None:
        raise PlanError(
            f"stream {stream.name!r}: a switch signs behind UDP, or TCP without options, in {LENGTH} bytes "
            "of payload at least; use signature=False for other frames, which have loss and blind delay then"
        )
    if stream.header_size > place:
        raise PlanError(
            f"stream {stream.name!r}: a switch signs right behind the outermost UDP or TCP, where this "
            f"stream has {stream.header_size - place} bytes of headers: a device would read the signature as "
            "a tunnel's header; use signature=False, which has loss and blind delay, or a testerd"
        )
    udp = fields.udp
    if udp is not None and int.from_bytes(octets[udp + 4 : udp + 6], "big") != len(octets) - udp:
        raise PlanError(f"stream {stream.name!r}: its UDP does not reach to the end of the frame")
    head, payload, mark = octets[:place], octets[place:-LENGTH], octets[-LENGTH:]
    moved = head + mark + payload
    if len(payload) % 2:  # its bytes now pair to other 16-bit words
        moved = fields.with_checksum(moved)
    return SignedTemplate(moved, checksum(mark))
