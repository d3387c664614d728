# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses streams and responders that the program of a switch cannot do, whatever else is loaded.

`tester plan` and the driver both ask here, through `streams.place`, so both accept the same jobs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...errors import PlanError
from ...model.plan.plan import PlannedStream
from ...model.plan.planned_end import PlannedEnd
from .answers import answer_frame, check_answer
from .chip import Chip
from .classes import ACCEPTED, ACCEPTED_OF_IPV6, check_accepted, stream_class
from .datagrams import asked_port, is_datagram
from .editor import SwitchEditor
from .frame import FrameFields
from .replies import accepted_fields, replies_only
from .signature import signed_template
from .timers import timer_of
from .trigger import switch_trigger

_CHECKSUM = slice(6, 8)  # bytes of the UDP header


def check_stream(stream: PlannedStream) -> None:
    """PlanError if a switch cannot send this stream."""
    if not stream.frames:
        raise PlanError(f"stream {stream.name!r}: a switch replays no file; use a testerd")
    fields = FrameFields.of(stream.frame)
    if fields.udp is not None and stream.frame[fields.udp :][_CHECKSUM] == b"\0\0":
        raise PlanError(
            f"stream {stream.name!r}: UDP without a checksum; a switch gives each frame one, so leave "
            "chksum= out"
        )
    _check_tags(stream, fields)
    _check_checksums(stream, fields)
    _check_version(stream, fields)
    if stream.signature:
        signed_template(stream)
    elif stream.matches:
        stream_class(stream)


def _check_tags(stream: PlannedStream, fields: FrameFields) -> None:
    """Checks that what the program writes is not behind tags that its parsers do not look behind."""
    if fields.stops_at_tag and (stream.checksums or stream.version or stream.signature):
        raise PlanError(
            f"stream {stream.name!r}: a switch finds IP behind one VLAN tag at most, of type 0x8100; take "
            "one such tag, or use a testerd"
        )


def _check_checksums(stream: PlannedStream, fields: FrameFields) -> None:
    """Checks that the program makes all checksums right that change with an edited field."""
    if all(checksum.offset in fields.checksums for checksum in stream.checksums):
        return
    changing = ", ".join(editor.name for editor in stream.editors)
    raise PlanError(
        f"stream {stream.name!r}: a checksum of its frames changes with {changing} that is none of the "
        "outermost IPv4, TCP and UDP, which are what a switch makes right; take other headers, or use a "
        "testerd"
    )


def check_edited(stream: PlannedStream, edits: Sequence[SwitchEditor], own_fields: Collection[str]) -> None:
    """PlanError if the parsers of a switch do not find the header of an edited field, which would not change.

    Args:
        stream: The stream.
        edits: Its editors.
        own_fields: Fields of headers that the program was built with. What is behind these is not known.
    """
    fields = FrameFields.of(stream.frame)
    if own_fields and fields.version is None and fields.arp is None and not fields.labels:
        return
    for edit in edits:
        if edit.field not in own_fields and edit.header not in fields.begins:
            raise PlanError(
                f"{edit.field}: a switch does not find its header, which is behind others than a VLAN tag, "
                "one or two labels of MPLS and IP; take other headers, or use a testerd"
            )


def _check_version(stream: PlannedStream, fields: FrameFields) -> None:
    """Checks that the version is the one bit that the program writes in frames with an IP header."""
    bit = fields.version_bit
    if stream.version is not None and stream.version.bit_offset != bit:
        raise PlanError(
            f"stream {stream.name!r}: its version is bit {stream.version.bit_offset} of the frame; a switch "
            f"writes {_PLACES[fields.version]}; leave Set Version Field out, or use a testerd"
        )
    if stream.version is None and bit is not None and stream.frame[bit // 8] & 0x80 >> bit % 8:
        raise PlanError(
            f"stream {stream.name!r}: {_PLACES[fields.version]} is 1 in its headers; a switch writes its "
            "version there, so give a value in which it is 0, or use a testerd"
        )


_PLACES = {
    4: "the highest bit of IP.id",
    6: "the highest bit of IPv6.fl",
    None: "none into a frame in which it finds no IP header",
}


def _check_port(end: PlannedEnd) -> None:
    """PlanError for servers at a port of UDP that is not the table's: nothing would be answered."""
    port = asked_port(end.protocol) if is_datagram(end.protocol) else None
    for accept in end.accepts:
        if port is not None and accept.field == "UDP.dport" and not accept.holds(port):
            raise PlanError(
                f"{end.name!r}: packets of {end.protocol.name} are for port {port} of UDP, and servers= "
                f"begin at {accept.first}; give :{port}, or no port"
            )


def check_tags(ends: Sequence[PlannedEnd]) -> None:
    """PlanError for ends of a protocol in several VLANs: its templates are shared, and each has one tag."""
    first: dict[str, PlannedEnd] = {}
    for end in ends:
        if end.is_trigger or replies_only(end.protocol):
            continue
        other = first.setdefault(end.protocol.name, end)
        if other.vlan != end.vlan:
            raise PlanError(
                f"{end.name!r}: {end.protocol.name} answers {_frames(end)}, and {_frames(other)} for "
                f"{other.name!r}; in a switch a protocol has one set of templates, so answers of a job have "
                f"one VLAN: give both the same vlan=, or leave one of them out"
            )


def _frames(end: PlannedEnd) -> str:
    return "frames without a tag" if end.vlan is None else f"frames of VLAN {end.vlan}"


def check_end(end: PlannedEnd, chip: Chip) -> None:
    """PlanError if a switch cannot run this end.

    Args:
        end: The end.
        chip: That of the switch.
    """
    if end.is_trigger:
        switch_trigger(end)
        return
    if end.opening is None and replies_only(end.protocol):
        check_accepted(end.accepts, accepted_fields(end.protocol))
        return
    for template in end.protocol.templates:
        check_answer(end.protocol, template, chip)
        answer_frame(end.protocol, template)
    if end.opening is None:
        check_accepted(end.accepts, ACCEPTED_OF_IPV6 if chip.ipv6_answers else ACCEPTED)
        if timer := timer_of(end.protocol):
            raise PlanError(
                f"{end.name!r}: timer {timer} of {end.protocol.name}: a switch looks at flows of clients in "
                "turn, and only packets wake a flow of a server; use a testerd"
            )
    _check_port(end)
