# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where in a packet a field is that an event sets, and to which bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import PlanError
from ..model.editor import FieldPath
from ..model.headers import HeaderStack
from ..model.inline import ChecksumPolicy, Part, Rewrite
from ..model.plan.planned_path import PlannedRewrite
from .anchor import ANCHORS, begin_of, bytes_of
from .template import FramePlace, FrameTemplate

if TYPE_CHECKING:
    from scapy.packet import Packet

_SUMS = ("chksum", "cksum")
_NETWORKS = ("IP", "IPv6")


LaidOut = Callable[[HeaderStack], tuple[HeaderStack, "Packet"]]


def plan_rewrite(rewrite: Rewrite, headers: HeaderStack | None, laid_out: LaidOut) -> PlannedRewrite:
    """The bits that an event sets in packets with these headers, or with any.

    Args:
        rewrite: The field, and its value.
        headers: Those of the packets that the event sees; None: any.
        laid_out: Completes a header stack, and lays it out.

    Raises:
        PlanError: no such field, a value that it does not take, or checksums that cannot be repaired.
    """
    path, anchor = rewrite.field, None
    if headers is None or not _names(path) & {header.name for header in headers.headers}:
        anchor = ANCHORS.get(path.header) if path.number == 1 else None
        if anchor is None:
            raise PlanError(
                f"{path}: where a packet has {path.header} follows from headers; give some that have it, or "
                f"a field of {', '.join(ANCHORS)}"
            )
        headers = HeaderStack.parse(anchor.stack)
    stack, packet = laid_out(headers)
    template = FrameTemplate(stack, packet, b"", len(packet))
    place = template.any_place(path)
    number = place.number(rewrite.value)
    repair = rewrite.checksum is ChecksumPolicy.REPAIR
    if repair:
        _check_sums(path, place, template)
    first, last, bits = bytes_of(place)
    value = bytes(a & b for a, b in zip(template.built({place: number})[first:last], bits, strict=True))
    if anchor is None:
        return PlannedRewrite(Part.FRAME, first, bits, value, repair=repair)
    offset = first - begin_of(place, template)
    return PlannedRewrite(anchor.part, offset, bits, value, anchor.ip_version, anchor.protocol, repair=repair)


def _names(path: FieldPath) -> set[str]:
    """The names that a header stack may have for the header of a field."""
    return {"VLAN", "Dot1Q", "Dot1AD"} if path.header == "VLAN" else {path.header}


def _check_sums(path: FieldPath, place: FramePlace, template: FrameTemplate) -> None:
    """PlanError if the tester cannot have the checksums follow the field."""
    layers = [other.path.header for other in template.places if other.layer <= place.layer]
    networks = {
        other.layer
        for other in template.places
        if other.layer <= place.layer and other.path.header in _NETWORKS
    }
    if path.field in _SUMS:
        why = "it is a checksum, which repairing would undo"
    elif len(networks) > 1:
        why = "checksums of an inner packet are not repaired"
    elif "SCTP" in layers:
        why = "the checksum of SCTP is not repaired"
    else:
        return
    raise PlanError(f"{path}: {why}; give checksum=keep")
