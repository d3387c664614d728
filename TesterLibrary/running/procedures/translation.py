# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and ports that a device gave to the flows of a stream (RFC 9693, test phase 1).

Each flow is opened once from inside; what arrives behind the device is the state table of the responder. Then
each is answered once through its entry, by which the entries are validated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address

from ...errors import Inconclusive, PlanError, TargetError
from ...measurement.capture import CapturedFrame
from ...measurement.captured_frames import frames_of
from ...model.capture import Capture, Direction
from ...model.editor import Editor, FieldPath, FieldValues
from ...model.stream import Stream
from ...model.units.units import Duration, Rate
from ...planning.flows import FlowSpace
from ...targets.base import part_of
from ..sending import send
from ..tester import Tester
from ..trial import StreamRun

_MOST = 1 << 20  # values of a field
_SNAP = 96  # bytes, up to the ports behind two tags and the longest IPv4 header, or that of IPv6
_TAGS = (0x8100, 0x88A8)
_IPV4, _IPV6 = 0x0800, 0x86DD
_HEADERS = {4: "IP", 6: "IPv6"}
_DESTINATIONS = ("dst", "dport")
_PROTOCOLS = {6: "TCP", 17: "UDP"}


@dataclass(frozen=True)
class Place:
    """A source or a destination as a frame has it."""

    protocol: str  # UDP or TCP
    address: IPv4Address | IPv6Address
    port: int

    def __str__(self) -> str:
        address = f"[{self.address}]" if self.address.version == 6 else str(self.address)
        return f"{address}:{self.port}"


@dataclass(frozen=True)
class Way:
    """The source and the destination of a frame."""

    source: Place
    destination: Place


@dataclass(frozen=True)
class Translations:
    """The state table of a responder. Prints as one line."""

    forward: str  # the stream that opened the flows
    back: str  # the stream that answers them
    inside: tuple[Place, ...]  # sources of frames 0, 1, … of the forward stream, as they were sent
    outside: tuple[Place, ...]  # and as they arrived behind the device

    @property
    def flows(self) -> int:
        """Flows with an address and a port of their own."""
        return len(set(self.outside))

    def __str__(self) -> str:
        addresses = len({place.address for place in self.outside})
        return (
            f"{self.forward}: {self.flows:,} flows translated to {addresses:,} "
            f"address{'es' if addresses > 1 else ''}, such as {self.inside[0]} to {self.outside[0]}; "
            f"{self.back} answers them"
        )


def learn(
    tester: Tester, forward: Stream, back: Stream, *, rate: Rate, timeout: Duration
) -> tuple[Translations, Stream]:
    """Opens each flow of a stream once. Returns where they are behind the device, and `back` that goes there.

    Raises:
        PlanError: the streams do not fit each other, or the forward one has no number of flows.
        Inconclusive: a flow did not arrive, or the device does not translate: then nobody can answer.
        TargetError: the tester is broken, gone or late.
    """
    if (forward.tx, forward.rx) != (back.rx, back.tx):
        raise PlanError(f"stream {back.name!r} does not go the way of {forward.name!r} back")
    turning = next((str(e.path) for e in forward.editors if e.path.field in _DESTINATIONS), "")
    if turning:
        raise PlanError(
            f"stream {forward.name!r}: {turning} changes, but {back.name!r} has one source; let sources "
            "change"
        )
    space = FlowSpace.of(StreamRun(tester, "translations", [forward]).plan.streams[0])
    frames = space.period or (None if any(e.path for e in forward.editors) else 1)
    if frames is None or frames > _MOST:
        raise PlanError(f"stream {forward.name!r} has no number of flows, or more than {_MOST:,}")
    inside = [_way(space.frame(number)) for number in range(frames)]
    if None in inside:
        raise PlanError(
            f"stream {forward.name!r} is not UDP or TCP over IPv4 or IPv6, which alone are learned"
        )
    found = _arrived(tester, forward, frames, rate, timeout)
    sent = tuple(way.source for way in inside if way)
    outside = _checked(forward.name, sent, {number: way.source for number, way in found.items()})
    answering = _answering(back, outside)
    answered = _arrived(tester, answering, frames, rate, timeout)
    _validate(back.name, sent, {number: way.destination for number, way in answered.items()})
    return Translations(forward.name, back.name, sent, outside), answering


def _answering(back: Stream, outside: tuple[Place, ...]) -> Stream:
    """The backward stream, whose frames go to the flows where they arrived."""
    header, protocol = _HEADERS[outside[0].address.version], outside[0].protocol
    if back.headers and not {header, protocol} <= {one.name for one in back.headers.headers}:
        raise PlanError(
            f"the flows arrived over {header} and {protocol}, such as from {outside[0]}, but stream "
            f"{back.name!r}, which answers them, is {back.headers.names}"
        )
    for path, values in (
        (FieldPath(header, "dst"), [str(place.address) for place in outside]),
        (FieldPath(protocol, "dport"), [str(place.port) for place in outside]),
    ):
        back = back.with_editor(Editor(path, FieldValues(tuple(values))))
    return back


def _arrived(tester: Tester, stream: Stream, frames: int, rate: Rate, timeout: Duration) -> dict[int, Way]:
    """The way of each frame as it arrived, by its number."""
    name = f"translations-{tester.evidence.trials + 1}"
    capture = Capture(
        name,
        ports=(stream.rx,),
        direction=Direction.RECEIVED,
        streams=(stream.name,),
        frames=2 * frames,
        snap_length=_SNAP,
    )
    target = tester.target
    part_of(target, "captures").start(capture)
    try:
        steady = replace(stream, rate=rate, shaping=None)
        trial = send(tester, [steady], packets=frames, timeout=timeout)
        stopped = part_of(target, "captures").stop(name)
        seen = _numbered(frames_of(part_of(target, "captures").read(name)))
    finally:
        with suppress(TargetError, PlanError):
            part_of(target, "captures").forget(name)
    if not trial.valid:
        raise Inconclusive(f"flows were not opened by {stream.name}: {'; '.join(trial.objections)}")
    if stopped.counters.dropped:
        raise Inconclusive(
            f"of the frames of {stream.name}, the tester's capture dropped {stopped.counters.dropped:,}; "
            "open the flows at a lower rate"
        )
    return seen


def _numbered(frames: Iterable[CapturedFrame]) -> dict[int, Way]:
    """Ways by the frames' numbers. Those of what came twice are the first ones."""
    found: dict[int, Way] = {}
    for frame in frames:
        way = _way(frame.octets)
        if frame.sequence is not None and way is not None and not frame.transmitted:
            found.setdefault(frame.sequence, way)
    return found


def _checked(name: str, inside: tuple[Place, ...], found: dict[int, Place]) -> tuple[Place, ...]:
    missing = [number for number in range(len(inside)) if number not in found]
    if missing:
        raise Inconclusive(
            f"{len(missing):,} of {len(inside):,} flows of {name} did not arrive when they were opened, the "
            f"first is {inside[missing[0]]}: the device refused them or was too slow; open fewer, or slower"
        )
    outside = tuple(found[number] for number in range(len(inside)))
    same = sum(before == after for before, after in zip(inside, outside, strict=True))
    if same:
        raise Inconclusive(
            f"{same:,} of {len(inside):,} flows of {name} arrived with their own address and port: the "
            "device does not translate. Are the sides of clients and responder swapped?"
        )
    places: dict[Place, set[Place]] = {}
    for before, after in zip(inside, outside, strict=True):
        places.setdefault(before, set()).add(after)
    moved = sum(len(after) > 1 for after in places.values())
    if moved:
        raise Inconclusive(f"{moved:,} flows of {name} had several addresses and ports behind the device")
    shared = Counter(next(iter(after)) for after in places.values())
    if len(shared) < len(places):
        place, number = shared.most_common(1)[0]
        raise Inconclusive(
            f"{number:,} flows of {name} had the same address and port, {place}, behind the device"
        )
    return outside


def _validate(name: str, inside: tuple[Place, ...], found: dict[int, Place]) -> None:
    """Each entry carries an answer to its own flow (RFC 9693, validation of connection establishment)."""
    missing = [place for number, place in enumerate(inside) if number not in found]
    if missing:
        raise Inconclusive(
            f"{len(missing):,} of {len(inside):,} answers of {name} did not arrive, the first is that to "
            f"{missing[0]}: the device has no entry for these flows any more, changes their ports, or was "
            "too slow"
        )
    mixed = [(place, found[n]) for n, place in enumerate(inside) if found[n] != place]
    if mixed:
        wanted, other = mixed[0]
        raise Inconclusive(
            f"{len(mixed):,} of {len(inside):,} answers of {name} arrived at other flows, such as that to "
            f"{wanted} at {other}: the device mixes connections up"
        )


def _way(frame: bytes) -> Way | None:
    """The source and the destination of UDP or TCP over IPv4 or IPv6; None for other frames."""
    at = 12
    while (kind := int.from_bytes(frame[at : at + 2], "big")) in _TAGS:
        at += 4
    header = frame[at + 2 :]
    if kind == _IPV4 and len(header) >= 24:
        addresses, ports, protocol = header[12:20], 4 * (header[0] & 15), header[9]
    elif kind == _IPV6 and len(header) >= 44:
        addresses, ports, protocol = header[8:40], 40, header[6]
    else:
        return None
    if protocol not in _PROTOCOLS:
        return None
    half, of = len(addresses) // 2, IPv4Address if kind == _IPV4 else IPv6Address
    source, destination = (
        Place(
            _PROTOCOLS[protocol],
            of(addresses[n * half : (n + 1) * half]),
            int.from_bytes(header[ports + 2 * n : ports + 2 * n + 2], "big"),
        )
        for n in range(2)
    )
    return Way(source, destination)
