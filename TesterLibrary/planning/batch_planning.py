# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans thousands of streams that differ in little: Scapy lays out the first one, and editors the rest.

Streams are alike if they have the same headers and fields, and differ in nothing but values of fields on
which no other octet depends but checksums. Then the frame of stream k is frame k of one stream whose fields
change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from ipaddress import ip_address

from ..errors import PlanError
from ..model.departures import CaptureReplay, Messages
from ..model.editor import Editor, FieldPath, FieldValues, Sweep
from ..model.headers import Header, HeaderStack
from ..model.payload import PayloadKind
from ..model.plan.law import Departures
from ..model.plan.plan import PlannedStream
from ..model.stream import Stream
from ..model.units.units import FrameSize
from ..wire.address import Station
from ..wire.headers import text
from .content import Content, content
from .flows import FlowSpace
from .reach import MOST_ADDRESSES, Reach
from .template import FrameTemplate

_LEAST = 8  # streams for which it is worth while
# Fields of which nothing else in a frame follows but checksums, and in which no version bit is looked for.
_FREE = frozenset(
    {"src", "dst", "sport", "dport", "vlan", "prio", "ttl", "hlim", "seq", "ack", "window", "label", "vni"}
    | {"hwsrc", "hwdst", "psrc", "pdst"}
)
_NETWORKS = ("IP", "IPv6", "ARP")
# Fields in which streams with headers may differ: of headers the values, of shaping not the kind. Streams
# that differ in any other field, also in one that Stream gets later, are planned apart.
MAY_DIFFER = frozenset({"name", "headers", "rate", "shaping", "start_after", "together", "phase"})
_EQUAL = tuple(field.name for field in fields(Stream) if field.name not in MAY_DIFFER)
# Streams of a mesh are equal in all fields but these.
_OF_ONE_STREAM = MAY_DIFFER - {"headers"} | {"tx", "rx", "meshed"}
_OF_MESH = tuple(field.name for field in fields(Stream) if field.name not in _OF_ONE_STREAM)

PlanOne = Callable[[Stream, int], tuple[PlannedStream, Content]]
DeparturesOf = Callable[[Stream], tuple[Departures, Fraction]]
TemplateOf = Callable[[Stream, int], FrameTemplate]


def groups(streams: Sequence[Stream]) -> Iterator[list[int]]:
    """The places of streams that are alike, of at least eight each."""
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, stream in enumerate(streams):
        if stream.headers and stream.signature and _is_alone(stream):
            alike.setdefault(_kind(stream, stream.headers), []).append(place)
    yield from _parts(alike.values())


def meshes(streams: Sequence[Stream], ends: Sequence[tuple[Station, Station]]) -> Iterator[list[int]]:
    """The places of streams with default headers that differ in their ports, of at least eight each.

    A router changes addresses, and a port with a gateway sends to it: streams there are no part of a mesh.
    """
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, (stream, (tx, rx)) in enumerate(zip(streams, ends, strict=True)):
        if _has_default_frames(stream) and _is_alone(stream) and _is_bridged(tx, rx):
            kept = (getattr(stream, name) for name in _OF_MESH)
            limits = (tx.port.max_frame_size, rx.port.max_frame_size)
            key = (*kept, *limits, tx.address.version, type(stream.shaping))
            alike.setdefault(key, []).append(place)
    yield from _parts(alike.values())


def _has_default_frames(stream: Stream) -> bool:
    written = stream.headers or stream.editors or stream.version or stream.expected_fields
    return stream.signature and not written


def _is_bridged(tx: Station, rx: Station) -> bool:
    return tx != rx and not (tx.port.gateway or rx.port.gateway)


def _parts(alike: Iterable[list[int]]) -> Iterator[list[int]]:
    """Places of streams that are planned together: as many as a field may have values."""
    for places in alike:
        for begin in range(0, len(places), MOST_ADDRESSES):
            part = places[begin : begin + MOST_ADDRESSES]
            if len(part) >= _LEAST:
                yield part


def addressed(stream: Stream, tx: Station, rx: Station) -> Stream:
    """A stream of a mesh with the addresses of its ports in its headers."""
    version = tx.address.version
    macs = (("src", text(tx.port.mac)), ("dst", text(rx.port.mac)))
    hosts = (("src", str(tx.host(version))), ("dst", str(rx.host(version))))
    network = Header("IP" if version == 4 else "IPv6", hosts)
    return replace(stream, headers=HeaderStack((Header("Ether", macs), network, Header("UDP"))))


def _is_alone(stream: Stream) -> bool:
    """Whether its frames have one size, and nothing in them is drawn by the stream's name."""
    shaping = stream.shaping
    sizes = [message.frame_size for message in shaping.messages] if isinstance(shaping, Messages) else []
    steps = all(isinstance(editor.mode, (Sweep, FieldValues)) for editor in stream.editors)
    drawn = stream.payload.kind is PayloadKind.RANDOM or isinstance(shaping, CaptureReplay)
    return isinstance(stream.frame_size, FrameSize) and steps and not drawn and not any(sizes)


def _kind(stream: Stream, stack: HeaderStack) -> tuple[object, ...]:
    """Equal for streams that are planned together."""
    shape = tuple((header.name, *(name for name, _ in header.fields)) for header in stack.headers)
    values = (getattr(stream, name) for name in _EQUAL)
    return (*values, shape, repr(stack.types), type(stream.shaping))


def plan_alike(
    streams: Sequence[Stream],
    ids: Sequence[int],
    seed: int,
    one: PlanOne,
    template: TemplateOf,
    departures: DeparturesOf,
) -> list[tuple[PlannedStream, Content]] | None:
    """Plans streams that are alike; None if they have to be planned one by one.

    Args:
        streams: Streams of one of the `groups`.
        ids: Their ids.
        seed: The seed of the job.
        one: Plans a stream with its id by itself.
        template: The frame of a stream with its id.
        departures: When the frames of a stream are due, and the error of their rate.
    """
    stacks = [stream.headers for stream in streams if stream.headers]
    paths = list(_differing(stacks))
    edited_fields = {editor.path for editor in streams[0].editors}
    if any(path.field not in _FREE or path in edited_fields for _, path in paths) or not all(
        map(_is_plain, stacks)
    ):
        return None
    first, made = one(streams[0], ids[0])
    frames: Collection[bytes] = [first.frames[0]] * len(streams)
    reach = made.reach
    if paths:
        editors = tuple(Editor(path, FieldValues(_values(stacks, *places))) for places, path in paths)
        edited = replace(streams[0], editors=editors, cascades=(), count_flows=False, version=None)
        laid_out = template(streams[0], ids[0])
        try:
            changing = content(edited, [laid_out], seed)
        except PlanError:
            return None  # planned one by one, the stream that is wrong is named
        space = FlowSpace(changing.editors, changing.checksums, lambda _: changing.frames[0])
        frames = [space.frame(number) for number in range(len(streams))]
        if frames[0] != first.frames[0]:
            return None
        reach = Reach(laid_out, changing.changes, announces=False)
    planned = []
    for stream, stream_id, frame in zip(streams, ids, frames, strict=True):
        due, error = departures(stream)
        planned.append(
            replace(first, id=stream_id, name=stream.name, frames=(frame,), departures=due, rate_error=error)
        )
    rest = replace(made, reach=None)
    return [(planned[0], replace(made, reach=reach)), *((stream, rest) for stream in planned[1:])]


def _differing(stacks: Sequence[HeaderStack]) -> Iterator[tuple[tuple[int, int], FieldPath]]:
    """The fields in which headers differ: their places in the stack, and their paths."""
    counts: dict[str, int] = {}
    for layer, header in enumerate(stacks[0].headers):
        counts[header.name] = counts.get(header.name, 0) + 1
        for place, (name, value) in enumerate(header.fields):
            if any(stack.headers[layer].fields[place][1] != value for stack in stacks):
                yield (layer, place), FieldPath(header.name, name, counts[header.name])


def _values(stacks: Sequence[HeaderStack], layer: int, place: int) -> tuple[str, ...]:
    return tuple(str(stack.headers[layer].fields[place][1]) for stack in stacks)


def _is_plain(stack: HeaderStack) -> bool:
    """Whether no rule of the planner looks at its addresses: equal ones, or a group without a MAC address."""
    fields = dict(stack.headers[0].fields)
    for header in stack.headers:
        if header.name in _NETWORKS:
            known = dict(header.fields)
            source, target = known.get("src"), known.get("dst")
            if source is not None and source == target:
                return False
            if "dst" not in fields and target is not None and _is_group(str(target)):
                return False
    return True


@lru_cache(maxsize=256)
def _is_group(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return True
    return address.is_multicast or text == "255.255.255.255"
