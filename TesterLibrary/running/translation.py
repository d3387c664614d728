# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and ports that a device gave to the flows of a stream (RFC 9693, test phase 1).

Each flow is opened once from inside; what arrives behind the device is the state table of the responder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address

from ..errors import Inconclusive, PlanError, TargetError
from ..measurement.capture import CapturedFrame
from ..measurement.captured_frames import frames_of
from ..model.capture import Capture, Direction
from ..model.editor import Editor, FieldPath, FieldValues
from ..model.stream import Stream
from ..model.units import Duration, Rate
from ..planning.flows import FlowSpace
from .sending import send
from .tester import Tester
from .trial import StreamRun

_MOST = 1 << 20  # values of a field
_SNAP = 96  # bytes, up to the ports behind two tags and the longest IPv4 header
_TAGS = (0x8100, 0x88A8)
_IPV4 = 0x0800
_DESTINATIONS = ("dst", "dport")
_PROTOCOLS = {6: "TCP", 17: "UDP"}


@dataclass(frozen=True)
class Place:
    """A source as a frame has it."""

    protocol: str  # UDP or TCP
    address: IPv4Address
    port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}"


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
    inside = [_source(space.frame(number)) for number in range(frames)]
    if None in inside:
        raise PlanError(f"stream {forward.name!r} is not UDP or TCP over IPv4, which alone is learned")
    found = _arrived(tester, forward, frames, rate, timeout)
    sent = tuple(place for place in inside if place)
    outside = _checked(forward.name, sent, found)
    learned = Translations(forward.name, back.name, sent, outside)
    protocol = outside[0].protocol
    for path, values in (
        (FieldPath("IP", "dst"), [str(place.address) for place in outside]),
        (FieldPath(protocol, "dport"), [str(place.port) for place in outside]),
    ):
        back = back.with_editor(Editor(path, FieldValues(tuple(values))))
    return learned, back


def _arrived(tester: Tester, forward: Stream, frames: int, rate: Rate, timeout: Duration) -> dict[int, Place]:
    """The source of each frame as it arrived, by its number."""
    name = f"translations-{tester.trials + 1}"
    capture = Capture(
        name,
        ports=(forward.rx,),
        direction=Direction.RECEIVED,
        streams=(forward.name,),
        frames=2 * frames,
        snap_length=_SNAP,
    )
    target = tester.target
    target.start_capture(capture)
    try:
        opening = replace(forward, rate=rate, shaping=None)
        trial = send(tester, [opening], packets=frames, timeout=timeout)
        stopped = target.stop_capture(name)
        seen = _numbered(frames_of(target.read_capture(name)))
    finally:
        with suppress(TargetError, PlanError):
            target.forget_capture(name)
    if not trial.valid:
        raise Inconclusive(f"flows of {forward.name} were not opened: {'; '.join(trial.objections)}")
    if stopped.counters.dropped:
        raise Inconclusive(
            f"of the flows of {forward.name}, the tester's capture dropped {stopped.counters.dropped:,}; "
            "open them at a lower rate"
        )
    return seen


def _numbered(frames: Iterable[CapturedFrame]) -> dict[int, Place]:
    """Sources by the frames' numbers. Those of what came twice are the first ones."""
    found: dict[int, Place] = {}
    for frame in frames:
        place = _source(frame.octets)
        if frame.sequence is not None and place is not None and not frame.transmitted:
            found.setdefault(frame.sequence, place)
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


def _source(frame: bytes) -> Place | None:
    """The source of UDP or TCP over IPv4; None for other frames."""
    at = 12
    while (kind := int.from_bytes(frame[at : at + 2], "big")) in _TAGS:
        at += 4
    header = frame[at + 2 :]
    if kind != _IPV4 or len(header) < 24 or header[9] not in _PROTOCOLS:
        return None
    ports = 4 * (header[0] & 15)
    port = int.from_bytes(header[ports : ports + 2], "big")
    return Place(_PROTOCOLS[header[9]], IPv4Address(header[12:16]), port)
