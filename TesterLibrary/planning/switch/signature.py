# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds frames with the signature of a switch, which is behind the outermost UDP, not at the end (ADR 7)."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PlanError
from ...model.plan import PlannedStream
from ...protocols.frame import checksum
from .frame import FrameFields

LENGTH = 16  # bytes
_UDP = 8


@dataclass(frozen=True)
class SignedTemplate:
    """A frame with the signature at a switch's place, and the checksum over the signature."""

    octets: bytes
    rest: int


def signed_template(stream: PlannedStream) -> SignedTemplate:
    """Moves the signature of a stream's frame from its end to the place where a switch writes it.

    Raises:
        PlanError: the frame has no UDP that a parser of the switch finds, no room behind it, or headers
            behind it, which the signature would stand before.
    """
    octets = stream.frame
    fields = FrameFields.of(octets)
    udp = fields.udp
    if udp is None or len(octets) < udp + _UDP + LENGTH:
        raise PlanError(
            f"stream {stream.name!r}: a switch signs behind UDP, in {LENGTH} bytes of payload at least; "
            "use signature=False for other frames, which have loss and blind delay then"
        )
    if stream.header_size > udp + _UDP:
        raise PlanError(
            f"stream {stream.name!r}: a switch signs right behind the outermost UDP, where this stream has "
            f"{stream.header_size - udp - _UDP} bytes of headers: a device would read the signature as a "
            "tunnel's header; use signature=False, which has loss and blind delay, or a testerd"
        )
    if int.from_bytes(octets[udp + 4 : udp + 6], "big") != len(octets) - udp:
        raise PlanError(f"stream {stream.name!r}: its UDP does not reach to the end of the frame")
    head, payload, mark = octets[: udp + _UDP], octets[udp + _UDP : -LENGTH], octets[-LENGTH:]
    moved = head + mark + payload
    if len(payload) % 2:  # its bytes now pair to other 16-bit words
        moved = _summed(moved, fields, udp)
    return SignedTemplate(moved, checksum(mark))


def _summed(octets: bytes, fields: FrameFields, udp: int) -> bytes:
    """The frame with the checksum of UDP; a frame without one stays without."""
    if octets[udp + 6 : udp + 8] == b"\0\0":
        return octets
    assert fields.ip is not None
    addresses = (
        octets[fields.ip + 12 : fields.ip + 20] if fields.version == 4 else octets[fields.ip + 8 : udp]
    )
    length = (len(octets) - udp).to_bytes(2, "big")
    carried = octets[udp : udp + 6] + octets[udp + 8 :]
    found = checksum(addresses + b"\0\x11" + length + carried)
    return octets[: udp + 6] + (found or 0xFFFF).to_bytes(2, "big") + octets[udp + 8 :]
