# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths and their events as bytes and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import PlanError
from ..model.headers import Header, HeaderStack
from ..model.inline import Event, Path, Rewrite
from ..model.plan.match import Match
from ..model.plan.planned_path import PlannedAction, PlannedCarried, PlannedEvent, PlannedPath, PlannedRatio
from ..model.ports import Port
from ..model.units.splitmix import splitmix64
from ..wire.address import station_of
from ..wire.header_catalog import scapys_field
from ..wire.headers import Route, lay_out, layers_of
from .impairment import plan_impairment, threshold
from .matches import cut
from .rewrite import LaidOut, plan_rewrite
from .template import FrameTemplate

if TYPE_CHECKING:
    from scapy.packet import Packet

MOST_WATCHES = 16  # different headers of the events of a path
MOST_EVENTS = 4096
_LONGEST_NAME = 128
_FIRST = ("Ether", "Dot3")
_NETWORK = ("Ether", "Dot1Q", "Dot1AD", "VLAN", "MPLS", "IP", "IPv6")  # what TCP and RoCEv2 may follow
ROCE_PORT = 4791  # of UDP
# Fields that say where the next header begins: options, extension headers and later fragments move it.
_SHAPE: Mapping[str, tuple[str, ...]] = {"IP": ("version", "ihl", "frag"), "IPv6": ("version",)}


def plan_path(path: Path, number: int, seed: int, *, ports: Mapping[str, Port]) -> PlannedPath:
    """The plan of one path of a job, the `number`-th from 0.

    Raises:
        PlanError: ports that do not exist, headers that there are not, or more of them than a path may have.
    """
    for port in (*path.between, *path.beside):
        if port not in ports:
            raise path.refused(f"there is no port {port!r}; there are {', '.join(ports)}")
    if not 1 <= len(path.name) <= _LONGEST_NAME:
        raise path.refused(f"its name has {len(path.name)} characters; give 1 to {_LONGEST_NAME}")
    if len(path.events) > MOST_EVENTS:
        raise path.refused(f"{len(path.events):,} events; a path has {MOST_EVENTS:,} at most")
    first, second = path.between

    laid_out = layout(ports, first, second)

    known: dict[HeaderStack | None, tuple[Match, ...]] = {}
    watches: dict[tuple[Match, ...], int] = {}
    events: list[PlannedEvent] = []
    for index, event in enumerate(path.events):
        try:
            if event.iteration != 1 and not _has_sequence_numbers(event.headers):
                raise PlanError(
                    f"only TCP and RoCEv2 number what they send, so iteration={event.iteration} of "
                    f"{event.headers} never comes; leave it out, or give headers with TCP or BTH"
                )
            if event.headers not in known:
                known[event.headers] = header_matches(event.headers, laid_out)
            action = event.action
            planned = plan_rewrite(action, event.headers, laid_out) if isinstance(action, Rewrite) else action
        except PlanError as problem:
            raise path.refused(f"{event.description}: {problem}") from None
        watch = watches.setdefault(known[event.headers], len(watches))
        events.append(_planned(event, planned, index, watch, splitmix64(seed, number)))
    names = Counter(event.name for event in events)
    if repeated := next((name for name, count in names.items() if count > 1), ""):
        raise path.refused(f"there is more than one event {repeated!r}; give each its own name")
    if len(watches) > MOST_WATCHES:
        raise path.refused(
            f"its events look at {len(watches)} different headers; {MOST_WATCHES} are possible, and events "
            "with equal headers share one"
        )
    # Events have the seeds from 0 on.
    impairments = tuple(
        planned
        for index, impairment in enumerate(path.impairments)
        for planned in plan_impairment(impairment, splitmix64(splitmix64(seed, number), MOST_EVENTS + index))
    )
    return PlannedPath(
        path.name,
        first,
        second,
        tuple(watches),
        tuple(events),
        impairments,
        path.memory_mib << 20,
        path.beside,
        path.known_by,
    )


def _has_sequence_numbers(stack: HeaderStack | None) -> bool:
    """Whether packets with these headers may be of TCP or RoCEv2."""
    if stack is None or stack.headers[-1].name in _NETWORK:
        return True
    names = [header.name for header in stack.headers]
    fields = [field for header in stack.headers if header.name == "UDP" for field in header.fields]
    return "TCP" in names or "BTH" in names or str(dict(fields).get("dport")) == str(ROCE_PORT)


def _planned(event: Event, action: PlannedAction, index: int, watch: int, seed: int) -> PlannedEvent:
    ratio = None
    if event.ratio is not None:
        ratio = PlannedRatio(splitmix64(seed, index), max(1, threshold(event.ratio)))
    carried = None
    if event.byte is not None:
        carried = PlannedCarried(event.byte, from_start=True)
    elif event.sequence is not None:
        carried = PlannedCarried(event.sequence, from_start=False)
    return PlannedEvent(
        name=event.name or f"{index + 1}: {event.description}"[:_LONGEST_NAME],
        action=action,
        watch=watch,
        heading=event.heading,
        flow=event.flow or 0,
        data_only=event.data_only,
        number=event.number or 0,
        iteration=event.iteration if event.packet else 0,
        every=event.every or 0,
        ratio=ratio,
        carried=carried,
        pattern=bytes(event.pattern or ()),
    )


def layout(ports: Mapping[str, Port], first: str, second: str) -> LaidOut:
    """A function that returns a stack with Ethernet as its first header, and its bytes between two ports."""
    ends = station_of(ports[first], ports), station_of(ports[second], ports)

    def laid_out(stack: HeaderStack) -> tuple[HeaderStack, Packet]:
        if stack.headers[0].name not in _FIRST:
            stack = HeaderStack((Header("Ether"), *stack.headers), stack.types)
        return stack, lay_out(stack, Route(*ends, ports[second].mac))

    return laid_out


def header_matches(stack: HeaderStack | None, laid_out: LaidOut) -> tuple[Match, ...]:
    """Matches that hold for frames with these headers: for the fields that were given, and for what makes
    each header follow the one before it."""
    if stack is None:
        return ()
    stack, packet = laid_out(stack)
    template = FrameTemplate(stack, packet, b"", len(packet))
    mask = bytearray(len(packet))
    for bit in _compared(stack, packet, template):
        mask[bit // 8] |= 0x80 >> bit % 8
    value = bytes(byte & bits for byte, bits in zip(template.frame, mask, strict=True))
    return tuple(cut(bytes(mask), value))


def _compared(stack: HeaderStack, packet: Packet, template: FrameTemplate) -> Iterator[int]:
    chain = list(layers_of(packet))
    for place in template.places:
        header = stack.headers[place.layer] if place.layer < len(stack.headers) else Header("")
        given = {scapys_field(header.name, name) for name, _ in header.fields}
        announced = chain[place.layer].overloaded_fields
        shape = _SHAPE.get(place.path.header, ()) if place.layer + 1 < len(chain) else ()
        field = place.path.field
        if field in given or field in announced or field in shape:
            yield from range(place.bit_offset, place.bit_offset + place.bits)
