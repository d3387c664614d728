# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of plans, the same as in an engine: a refused plan has changed nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ...errors import PlanError
from ...model.capture import Capture
from ...model.plan.law import Replay
from ...model.plan.match import exclude
from ...model.plan.plan import LearningFrame, Plan, PlannedField, PlannedStream
from ...model.units.units import FCS_LENGTH, Duration
from ..base import PortInfo
from .content import check_content
from .departures import check_departures

Loaded = TypeVar("Loaded")


def check_plan(plan: Plan, loaded: Iterable[Plan], ports: Mapping[str, PortInfo], max_streams: int) -> None:
    """Raises PlanError if a plan cannot be loaded beside those that are."""
    loaded = list(loaded)
    if any(plan.job == other.job for other in loaded):
        raise PlanError(f"a job {plan.job!r} is loaded already; unload it first")
    taken = {stream.id for other in loaded for stream in other.streams}
    if len(taken) + len(plan.streams) > max_streams:
        raise PlanError(
            f"job {plan.job!r} has {len(plan.streams)} streams; "
            f"of {max_streams} that the tester holds {max_streams - len(taken)} are free"
        )
    for stream in plan.streams:
        if stream.id in taken:
            raise PlanError(f"stream {stream.name!r}: the id {stream.id} is taken")
        taken.add(stream.id)
        _check_stream(stream, ports)
    _check_apart(plan, loaded)
    _check_neighbours(plan, loaded, ports)


def check_update(loaded: PlannedStream, stream: PlannedStream, ports: Mapping[str, PortInfo]) -> None:
    """Raises PlanError if a stream cannot take the place of a loaded one."""
    _check_stream(stream, ports)
    both = loaded, stream
    stays: dict[str, list[object]] = {
        "ports": [(planned.tx_port, planned.rx_port) for planned in both],
        "signature": [planned.signature for planned in both],
        "version": [planned.version for planned in both],
        "matches": [planned.matches for planned in both],
        "expected fields": [planned.expected_fields for planned in both],
        "sum of the signature": [
            {_sum(frame) for frame in planned.frames if planned.signature} for planned in both
        ],
    }
    for what, (before, after) in stays.items():
        if before != after:
            raise PlanError(f"stream {stream.name!r}: its {what} cannot change while it is loaded")


def _sum(frame: bytes) -> int:
    """One's-complement sum of the place of the signature (RFC 1071)."""
    return int.from_bytes(frame[-16:], "big") % 0xFFFF


def check_end(duration: Duration | None, packets: int | None) -> None:
    """Raises PlanError for a start that would end before it begins."""
    if duration is not None and duration.ns <= 0:
        raise PlanError(f"a duration of {duration} is too short; it must be above 0")
    if packets is not None and packets < 1:
        raise PlanError(f"{packets} frames a stream are too few; at least 1, or None for no limit")


def check_frames(frames: Iterable[LearningFrame], ports: Mapping[str, PortInfo]) -> None:
    """Raises PlanError for frames that cannot be injected."""
    for frame in frames:
        size, port = len(frame.frame) + FCS_LENGTH, known_port(frame.port, ports)
        if not 18 <= size <= port.max_frame_size:
            raise PlanError(
                f"a frame of {size} bytes does not fit port {port.name!r}; "
                f"18 to {port.max_frame_size}, FCS included"
            )


def known_job(name: str, loaded: Mapping[str, Loaded]) -> Loaded:
    """The job that is loaded by that name. Raises PlanError if there is none."""
    if name not in loaded:
        raise PlanError(f"no job {name!r} is loaded; loaded are: {', '.join(loaded) or 'none'}")
    return loaded[name]


def known_port(name: str, ports: Mapping[str, PortInfo]) -> PortInfo:
    """The port of that name. Raises PlanError if there is none."""
    if name not in ports:
        raise PlanError(f"the tester has no port {name!r}; it has {', '.join(ports)}")
    return ports[name]


def _check_stream(stream: PlannedStream, ports: Mapping[str, PortInfo]) -> None:
    check_departures(stream)
    if not stream.frames and not isinstance(stream.departures.law, Replay):
        raise PlanError(f"stream {stream.name!r} has no frames, and does not replay a file")
    check_content(stream)
    for port in (known_port(stream.tx_port, ports), known_port(stream.rx_port, ports)):
        for size in sorted(stream.sizes):
            if not 64 <= size <= port.max_frame_size:
                raise PlanError(
                    f"stream {stream.name!r}: {size} bytes do not fit port {port.name!r}; "
                    f"64 to {port.max_frame_size}, FCS included"
                )


def _check_apart(plan: Plan, loaded: Iterable[Plan]) -> None:
    """Raises PlanError if a frame without a signature could belong to two streams."""
    others = [stream for other in loaded for stream in other.streams if stream.matches]
    for stream in plan.streams:
        for other in others if stream.matches else ():
            if other.rx_port == stream.rx_port and not exclude(other.matches, stream.matches):
                raise PlanError(
                    f"stream {stream.name!r}: its matches and those of {other.name!r} can hold of one frame"
                )
        others += [stream] if stream.matches else []


def _check_neighbours(plan: Plan, loaded: Iterable[Plan], ports: Mapping[str, PortInfo]) -> None:
    """Jobs may answer for the same address of a port, but not with different MAC addresses."""
    answered = {(n.port, n.address): n.mac for other in loaded for n in other.neighbours}
    given = [(neighbour.port, neighbour.address) for neighbour in plan.neighbours]
    for neighbour in plan.neighbours:
        known_port(neighbour.port, ports)
        if given.count((neighbour.port, neighbour.address)) > 1:
            raise PlanError(f"{neighbour.address} on port {neighbour.port!r} is given twice")
        mac = answered.setdefault((neighbour.port, neighbour.address), neighbour.mac)
        if mac != neighbour.mac:
            raise PlanError(
                f"{neighbour.address} on port {neighbour.port!r} is answered with {mac.hex(':')} already; "
                f"it cannot be {neighbour.mac.hex(':')} too"
            )


def refuse_expected_fields(plan: Plan, tester: str) -> None:
    """Raises PlanError if a plan has expected fields. `tester` is its kind with its article: `a switch`."""
    for stream in plan.streams:
        for field in stream.expected_fields:
            raise PlanError(
                f"stream {stream.name!r}: {field.name}: {tester} compares no header fields of all "
                "frames that arrive; use a testerd"
            )


def refuse_changing_fields(plan: Plan) -> None:
    """Raises PlanError for expected fields with which a fake tester sends several values."""
    for stream in plan.streams:
        for field in stream.expected_fields:
            if len(_values(stream, field)) > 1 or any(
                field.overlaps(editor.bit_offset, editor.bits) for editor in stream.editors
            ):
                raise PlanError(
                    f"stream {stream.name!r}: {field.name}: a fake tester compares only fields that are the "
                    "same in all frames of a stream; use a testerd"
                )


def _values(stream: PlannedStream, field: PlannedField) -> set[int]:
    return {field.value(frame) for frame in stream.frames}


def refuse_trace(capture: Capture, tester: str, instead: str = "use a testerd") -> None:
    """Raises PlanError if a capture is the trace of a path. `tester` and `instead` as below."""
    if capture.traced:
        raise PlanError(
            f"{capture.name}: {tester} does not forward frames between its ports, so there is no path to "
            f"trace; {instead}"
        )


def refuse_paths(plan: Plan, tester: str, instead: str = "use a testerd") -> None:
    """Raises PlanError if a plan has a path, or stamps.

    Args:
        plan: The plan.
        tester: The kind of the tester with its article: `a switch`.
        instead: What to do about a path.
    """
    for path in plan.paths:
        raise PlanError(
            f"path {path.name!r}: {tester} does not forward frames between its ports, so it has no paths; "
            f"{instead}"
        )
    for stamps in plan.stamps:
        raise PlanError(
            f"stamps {stamps.name!r}: {tester} does not forward frames between its ports, so it stamps none; "
            "use a testerd"
        )
