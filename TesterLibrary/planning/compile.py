# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns a job into a plan, or says which limit it hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..errors import PlanError
from ..model.departures import CaptureReplay, Messages
from ..model.job import Job
from ..model.plan.law import Departures
from ..model.plan.match import Match
from ..model.plan.plan import LearningFrame, Plan, PlannedNeighbour, PlannedStream
from ..model.ports import Forwarding, Port
from ..model.stream import Stream
from ..wire.address import Station, station_of, stations
from .batch_planning import addressed, groups, meshes, plan_alike
from .content import Content, content
from .departures import frame_order, frame_sizes, planned_departures
from .device_addresses import DeviceAddresses
from .end_separation import check_ends_apart
from .expected_fields import expected_fields
from .frame import announcement, measured_frame
from .inline import plan_path
from .matches import check_apart, matches
from .rate import check_sum
from .reach import Reach
from .responder import EndPlan, Neighbours, plan_end
from .spreading import spread, spread_starts
from .stamps import plan_stamps
from .trigger import check_triggers
from .unchanged_bits import kept_headers
from .version import with_version

_LARGEST_ID = 0xFFFF
_LONGEST_NAME = 128
_LONGEST_STREAM_NAME = 64


def compile(  # noqa: A001 - the word of the architecture
    job: Job,
    *,
    ports: Mapping[str, Port],
    gateways: Mapping[str, bytes],
    max_streams: int,
    first_id: int = 1,
    neighbours: Neighbours | None = None,
    beside: Iterable[Plan] = (),
    forwarding: Forwarding = Forwarding.TRANSLATED,
) -> Plan:
    """The plan of a job. Equal arguments give equal plans.

    Args:
        job: The job to plan.
        ports: The tester's ports by name.
        gateways: MAC addresses (6 bytes) of gateways, by the name of the port that uses them.
        max_streams: How many streams the tester can still hold.
        first_id: Id of the first stream, 1 to 65535; the other streams have the ids after it.
        neighbours: MAC addresses of the hosts that clients reach without a gateway, by port and address.
        beside: Jobs that are loaded already; their clients and those of this job must not be confused.
        forwarding: How the device treats the headers of streams that do not say it themselves.

    Raises:
        PlanError: The first limit that is hit: what was given, what is allowed, where.
    """
    _check_job(job, max_streams, first_id)
    _check_copies(job.streams, ports)
    streams = [_forwarded(stream, forwarding) for stream in job.streams]
    routes = [stations(stream, ports) for stream in streams]
    planned, spreading = _spread_streams(streams, first_id, job.seed, routes, gateways)
    _check_streams(job.streams, [stream for stream, _ in planned], ports)
    ends = [
        plan_end(end, number, job.seed, ports=ports, gateways=gateways, neighbours=neighbours or {})
        for number, end in enumerate(job.ends)
    ]
    _check_ends(job.name, ends, list(beside))
    answering = _answering_stations(job.streams, routes, ports)
    reached = _reached(job.streams, planned, routes)
    others = _other_neighbours(answering, reached, ends)
    device = DeviceAddresses(ports)
    return Plan(
        job=job.name,
        seed=job.seed,
        streams=tuple(stream for stream, _ in planned),
        neighbours=(*map(_neighbour, answering), *_not_of_device(others, device)),
        learning=_learning_frames(answering, reached, ends),
        ends=tuple(plan.end for plan in ends),
        paths=tuple(plan_path(path, number, job.seed, ports=ports) for number, path in enumerate(job.paths)),
        stamps=tuple(plan_stamps(stamps, ports=ports) for stamps in job.stamps),
        remarks=(*device.remarks(others), *spreading),
    )


def _spread_streams(
    streams: Sequence[Stream],
    first_id: int,
    seed: int,
    routes: Sequence[tuple[Station, Station]],
    gateways: Mapping[str, bytes],
) -> tuple[list[tuple[PlannedStream, Content]], Sequence[str]]:
    """All streams of a job, those of one port begun one after the other, and remarks on that."""
    planned = _streams(streams, first_id, seed, routes, gateways)
    turns, remarks = spread_starts(streams, [stream for stream, _ in planned])
    for place, turn in turns.items():
        planned[place] = spread(planned[place][0], turn), planned[place][1]
    return planned, remarks


def _check_streams(
    streams: Sequence[Stream], planned: Sequence[PlannedStream], ports: Mapping[str, Port]
) -> None:
    for name in dict.fromkeys(stream.tx for stream in streams):
        check_sum(ports[name], [stream for stream in streams if stream.tx == name])
    check_apart(planned)


def _check_ends(job: str, ends: Sequence[EndPlan], beside: Sequence[Plan]) -> None:
    """Clients and triggers are not confused with each other, nor with those that are loaded already."""
    planned = [plan.end for plan in ends]
    check_ends_apart(job, planned, beside)
    check_triggers(planned, [end for plan in beside if plan.job != job for end in plan.ends])


def _answering_stations(
    streams: Sequence[Stream], routes: Sequence[tuple[Station, Station]], ports: Mapping[str, Port]
) -> list[Station]:
    """The stations whose addresses the tester answers for, each once.

    Receivers come first (RFC 2544 §23: learning frames go to the output port). Routers and ends of tunnels
    ask for the ports at which copies are expected, too.
    """
    copies = [
        station_of(ports[copy], ports) for stream in streams for copy in stream.copies if ports[copy].gateway
    ]
    return list(dict.fromkeys([*(rx for _, rx in routes), *(tx for tx, _ in routes), *copies]))


def _reached(
    streams: Sequence[Stream],
    planned: Sequence[tuple[PlannedStream, Content]],
    routes: Sequence[tuple[Station, Station]],
) -> list[tuple[Reach, Station, Station]]:
    """The addresses that edited headers reach, of each stream whose addresses the tester answers for.

    PlanError if they are too many.
    """
    reached = [
        (stream, made.reach, tx, rx)
        for stream, (_, made), (tx, rx) in zip(streams, planned, routes, strict=True)
        if made.reach and stream.answered
    ]
    for stream, reach, _, rx in reached:
        reach.require_answers(rx, stream.name)
    return [(reach, tx, rx) for _, reach, tx, rx in reached]


def _other_neighbours(
    answering: Sequence[Station],
    reached: Sequence[tuple[Reach, Station, Station]],
    ends: Sequence[EndPlan],
) -> list[PlannedNeighbour]:
    """Neighbours beside the stations: those of edited headers, and those of responders and clients."""
    addresses = {station.address for station in answering}
    neighbours = [neighbour for reach, tx, rx in reached for neighbour in reach.neighbours(tx, rx)]
    neighbours += [neighbour for plan in ends for neighbour in plan.neighbours]
    return [neighbour for neighbour in neighbours if neighbour.address not in addresses]


def _neighbour(station: Station) -> PlannedNeighbour:
    return PlannedNeighbour(station.port.name, station.address, station.port.mac)


def _not_of_device(
    neighbours: Iterable[PlannedNeighbour], device: DeviceAddresses
) -> Iterable[PlannedNeighbour]:
    return dict.fromkeys(n for n in neighbours if not device.role(n.address, n.port))


def _learning_frames(
    answering: Sequence[Station],
    reached: Sequence[tuple[Reach, Station, Station]],
    ends: Sequence[EndPlan],
) -> tuple[LearningFrame, ...]:
    """Frames from which the device learns the addresses of stations, streams, responders and clients."""
    frames = [LearningFrame(station.port.name, announcement(station)) for station in answering]
    frames += dict.fromkeys(frame for reach, _, rx in reached for frame in reach.learning(rx))
    frames += dict.fromkeys(frame for plan in ends for frame in plan.learning if frame not in frames)
    return tuple(frames)


def _check_stream_name(name: str) -> None:
    if not (name.strip() and name.isprintable() and len(name) <= _LONGEST_STREAM_NAME):
        shown = name if len(name) <= _LONGEST_STREAM_NAME else f"{name[:_LONGEST_STREAM_NAME]}…"
        raise PlanError(
            f"{shown!r} is not a stream name; it has 1 to {_LONGEST_STREAM_NAME} printable characters "
            "on one line"
        )


def _check_job(job: Job, max_streams: int, first_id: int) -> None:
    if not (1 <= len(job.name) <= _LONGEST_NAME and job.name.isascii() and job.name.isprintable()):
        raise PlanError(
            f"{job.name!r} is not a job name; it has 1 to {_LONGEST_NAME} printable ASCII characters"
        )
    if not (job.streams or job.ends or job.paths or job.stamps):
        raise PlanError(
            f"job {job.name!r} has no stream, responder, clients, path or stamps; it needs at least one"
        )
    for stream in job.streams:
        _check_stream_name(stream.name)
    for what, named in (
        ("stream", job.streams),
        ("responder or clients", job.ends),
        ("path", job.paths),
        ("group of stamps", job.stamps),
    ):
        if repeated := _repeated(item.name for item in named):
            names = ", ".join(map(repr, repeated))
            raise PlanError(f"job {job.name!r} has more than one {what} named {names}")
    if len(job.streams) > max_streams:
        raise PlanError(
            f"job {job.name!r} has {len(job.streams)} streams; the tester holds at most {max_streams}"
        )
    last_id = first_id + len(job.streams) - 1
    if first_id < 1 or last_id > _LARGEST_ID:
        raise PlanError(
            f"job {job.name!r}: stream ids {first_id} to {last_id} are not within 1 to {_LARGEST_ID}"
        )


def _check_copies(streams: Iterable[Stream], ports: Mapping[str, Port]) -> None:
    for stream in streams:
        for port in stream.copies:
            if port not in ports or port in (stream.tx, stream.rx):
                raise PlanError(
                    f"stream {stream.name!r}: copies are expected at {port!r}, which is no port besides "
                    f"{stream.tx} and {stream.rx}; there are {', '.join(sorted(ports))}"
                )
        if stream.copies and not stream.signature:
            raise PlanError(
                f"stream {stream.name!r}: frames are known at several ports by their signature alone; give "
                "signature=True"
            )


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _streams(
    streams: Sequence[Stream],
    first_id: int,
    seed: int,
    ends: Sequence[tuple[Station, Station]],
    gateways: Mapping[str, bytes],
) -> list[tuple[PlannedStream, Content]]:
    """All streams of a job. Those that are alike are planned together, as they would be one by one."""
    made: dict[int, tuple[PlannedStream, Content]] = {}
    for places in groups(streams):
        tx, rx = ends[places[0]]
        alike = plan_alike(
            [streams[place] for place in places],
            [first_id + place for place in places],
            seed,
            one=lambda stream, stream_id, tx=tx, rx=rx: _stream(stream, stream_id, seed, tx, rx, gateways),  # type: ignore[misc]
            template=lambda stream, stream_id, tx=tx, rx=rx: measured_frame(  # type: ignore[misc]
                stream, stream_id, seed, tx, rx, _next_hop(stream, tx, rx, gateways)
            ),
            departures=lambda stream, tx=tx, rx=rx: _departures(  # type: ignore[misc]
                stream, seed, tx, _next_hop(stream, tx, rx, gateways)
            ),
        )
        made |= zip(places, alike or (), strict=False)
    for places in meshes(streams, ends):
        made |= zip(places, _mesh(streams, places, first_id, seed, ends, gateways), strict=False)
    return [
        made[place] if place in made else _stream(stream, first_id + place, seed, tx, rx, gateways)
        for place, (stream, (tx, rx)) in enumerate(zip(streams, ends, strict=True))
    ]


def _mesh(
    streams: Sequence[Stream],
    places: Sequence[int],
    first_id: int,
    seed: int,
    ends: Sequence[tuple[Station, Station]],
    gateways: Mapping[str, bytes],
) -> list[tuple[PlannedStream, Content]]:
    """Streams of one mesh, planned together; empty if they have to be planned one by one."""
    tx, rx = ends[places[0]]
    stations = {streams[place].name: ends[place] for place in places}
    alike = plan_alike(
        [addressed(streams[place], *ends[place]) for place in places],
        [first_id + place for place in places],
        seed,
        one=lambda stream, stream_id: _stream(stream, stream_id, seed, tx, rx, gateways),
        template=lambda stream, stream_id: measured_frame(stream, stream_id, seed, tx, rx, rx.port.mac),
        departures=lambda stream: _departures(stream, seed, stations[stream.name][0], rx.port.mac),
    )
    # Their addresses are those of the ports, which are announced anyway.
    return [
        (
            replace(planned, tx_port=ends[place][0].port.name, rx_port=ends[place][1].port.name),
            replace(made, reach=None),
        )
        for place, (planned, made) in zip(places, alike or (), strict=False)
    ]


def _departures(stream: Stream, seed: int, tx: Station, next_hop: bytes) -> tuple[Departures, Fraction]:
    return planned_departures(stream, tx.port, seed=f"{seed} {stream.name}", next_hop=next_hop)


def _next_hop(stream: Stream, tx: Station, rx: Station, gateways: Mapping[str, bytes]) -> bytes:
    """The MAC address to which frames go: that of the gateway, or of the receiver."""
    if tx.port.gateway and tx.port.name not in gateways:
        raise PlanError(
            f"stream {stream.name!r}: the MAC address of {tx.port.gateway}, the gateway of port "
            f"{tx.port.name!r}, is not known; resolve it before planning"
        )
    return gateways[tx.port.name] if tx.port.gateway else rx.port.mac


def _stream(
    stream: Stream, stream_id: int, seed: int, tx: Station, rx: Station, gateways: Mapping[str, bytes]
) -> tuple[PlannedStream, Content]:
    next_hop = _next_hop(stream, tx, rx, gateways)
    departures, error = _departures(stream, seed, tx, next_hop)
    templates = tuple(
        measured_frame(replace(stream, frame_size=size), stream_id, seed, tx, rx, next_hop)
        for size in frame_sizes(stream.shaping, stream.frame_size)
    )
    made = content(stream, templates, seed)
    planned = PlannedStream(
        id=stream_id,
        name=stream.name,
        tx_port=tx.port.name,
        rx_port=rx.port.name,
        frames=made.frames,
        signature=bool(made.frames) and stream.signature,
        departures=departures,
        rate_error=error,
        matches=() if made.frames else _replayed(stream, rx),
        order=frame_order(stream.shaping, stream.frame_size),
        editors=made.editors,
        checksums=made.checksums,
        flows=made.flows,
        version=made.version,
        # Messages may change while they are sent, and then sequence numbers no longer tell the payload.
        payload_offset=0
        if not made.frames or not stream.signature or isinstance(stream.shaping, Messages)
        else _unchanged_from(made, templates[0].payload_offset),
        kept_headers=kept_headers(templates[0], stream.forwarding or Forwarding.TRANSLATED)
        if made.frames and stream.signature
        else b"",
        header_size=templates[0].payload_offset if made.frames else 0,
    )
    if stream.expected_fields:
        fields = expected_fields(stream.expected_fields, planned, templates)
        planned = replace(planned, expected_fields=fields)
    planned = with_version(planned)
    if planned.frames and not planned.signature and stream.expected:
        routed = tx.port.gateway is not None
        planned = replace(planned, matches=matches(planned, templates[0], routed=routed))
    return planned, made


def _forwarded(stream: Stream, forwarding: Forwarding) -> Stream:
    return replace(stream, forwarding=stream.forwarding or forwarding)


def _unchanged_from(made: Content, payload_offset: int) -> int:
    """The start of the payload, or 0 if a field or checksum in it changes from frame to frame."""
    changing = [editor.bit_offset // 8 for editor in made.editors] + [c.offset for c in made.checksums]
    return payload_offset if all(offset < payload_offset for offset in changing) else 0


def _replayed(stream: Stream, rx: Station) -> tuple[Match, ...]:
    """Frames of a file are recognized by the receiver's MAC address, if they are sent to that address."""
    capture = stream.shaping
    known = isinstance(capture, CaptureReplay) and capture.next_hop
    return (Match(0, b"\xff" * 6, rx.port.mac),) if known else ()
