# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces of the paths of engine and switch: each packet as it arrived, and what happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame, Fate
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Corrupt, Drop, Event, Mark

from .path_rig import PathRig, answer, fates, path_rigs, plan, segment, start, syn

PORTS = {"p1": "loop:x", "q1": "loop:x", "q2": "loop:y", "p2": "loop:y"}
HEADERS = HeaderStack.parse("IP / TCP")
EVENT = Event(action=Drop(), number=3, flow=1, headers=HEADERS, heading=Heading.FORWARD, data_only=True)
TRACE = Capture("trace", traced=TracedPath("wan", "wan"))
rig = pytest.fixture(params=["engine", "tofino"])(path_rigs)


def traced(rig: PathRig, name: str = "trace") -> tuple[CaptureCounters, Sequence[CapturedFrame]]:
    """The counters and frames of a trace, which is forgotten."""
    counters = rig.target.captures.stop(name).counters
    frames = list(frames_of(rig.target.captures.read(name)))
    rig.target.captures.forget(name)
    return counters, frames


def events(frames: Sequence[CapturedFrame]) -> dict[int | None, tuple[int, ...]]:
    """The events that happened, by the numbers of packets."""
    return {frame.sequence: frame.traced.events for frame in frames if frame.traced and frame.traced.events}


def has_left(frame: CapturedFrame) -> bool:
    assert frame.traced is not None
    return frame.traced.left_ns is not None or frame.traced.fate is Fate.UNTIMED


def test_each_packet_is_there_as_it_arrived_and_what_happened_to_it(rig: PathRig) -> None:
    rig.target.load(
        plan(
            rig,
            EVENT,
            replace(EVENT, iteration=2, action=Mark()),
            replace(EVENT, number=5, action=Mark()),
            replace(EVENT, number=7, action=Corrupt()),
        )
    )
    rig.target.captures.start(TRACE)
    rig.target.start(["wan"])
    sent = [syn(), *(segment(number) for number in range(1, 9)), segment(3)]
    assert fates(rig, sent)[-1] == "marked"
    rig.pass_frames([answer()], back=True)
    counters, frames = traced(rig)
    assert [frame.octets for frame in frames] == [*sent, answer()]
    assert [frame.sequence for frame in frames] == list(range(11))
    assert [frame.port for frame in frames] == [rig.between[0]] * 10 + [rig.between[1]]
    assert events(frames) == {3: (0,), 5: (2,), 7: (3,), 9: (1,)}
    assert [frame.sequence for frame in frames if not has_left(frame)] == [3]
    times = [frame.time_ns for frame in frames]
    assert times == sorted(times)
    assert (counters.seen, counters.matched, counters.dropped, counters.captured) == (11, 11, 0, 11)
    assert [(port.port, port.seen) for port in counters.ports] == list(zip(rig.between, (10, 1), strict=True))


def test_a_trace_begins_and_ends_while_its_path_forwards(rig: PathRig) -> None:
    start(rig)
    frames = [segment(number) for number in range(1, 21)]
    assert rig.pass_frames(frames[:5]) == frames[:5]
    rig.target.captures.start(TRACE)
    assert rig.pass_frames(frames[5:15]) == frames[5:15]
    counters = rig.target.captures.stop("trace").counters
    assert rig.pass_frames(frames[15:]) == frames[15:]
    assert rig.target.captures.stop("trace").counters == counters, "it may be stopped again"
    found, kept = traced(rig)
    assert (found.seen, [frame.octets for frame in kept]) == (10, frames[5:15])


def test_a_second_trace_has_numbers_from_0(rig: PathRig) -> None:
    start(rig)
    for name in ("first", "second"):
        rig.target.captures.start(replace(TRACE, name=name))
        rig.pass_frames([segment(1), segment(2)])
        counters, frames = traced(rig, name)
        assert (counters.seen, [frame.sequence for frame in frames]) == (2, [0, 1])


def test_a_trace_may_be_a_sample_of_the_begin_of_each_packet(rig: PathRig) -> None:
    start(rig)
    rig.target.captures.start(replace(TRACE, snap_length=64, traced=TracedPath("wan", "wan", 3)))
    frames = [segment(number) for number in range(1, 11)]
    rig.pass_frames(frames)
    counters, kept = traced(rig)
    assert [frame.sequence for frame in kept] == [0, 3, 6, 9]
    assert [frame.octets for frame in kept] == [frame[:64] for frame in frames[::3]]
    assert {frame.original_length for frame in kept} == {len(frames[0])}
    assert (counters.seen, counters.matched, counters.dropped) == (10, 4, 0)


def test_a_trace_that_is_full_counts_what_is_missing(rig: PathRig) -> None:
    start(rig)
    rig.target.captures.start(replace(TRACE, frames=4))
    assert len(rig.pass_frames([segment(number) for number in range(1, 11)])) == 10
    counters, kept = traced(rig)
    assert [frame.sequence for frame in kept] == [0, 1, 2, 3]
    assert (counters.seen, counters.matched, counters.dropped, counters.captured) == (10, 10, 6, 4)


def test_a_trace_goes_on_while_its_path_begins_anew(rig: PathRig) -> None:
    start(rig, EVENT)
    rig.target.captures.start(TRACE)
    for _ in range(2):
        rig.pass_frames([segment(number) for number in range(1, 6)])
        rig.target.stop(["wan"])
        rig.target.start(["wan"])
    counters, kept = traced(rig)
    assert (counters.seen, [frame.sequence for frame in kept]) == (10, list(range(10)))
    assert events(kept) == {2: (0,), 7: (0,)}


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"traced": TracedPath("wan", "lan")}, r"job .wan. has no path .lan."),
        ({"traced": TracedPath("lan", "wan")}, r"no job .lan."),
        ({"traced": TracedPath("wan", "wan", 0)}, "every 0 frames; at least 1"),
        ({"ports": ("q1",)}, "beside a path; a trace has the frames of the path"),
    ],
)
def test_a_trace_that_can_never_be_is_refused_and_the_path_goes_on(
    rig: PathRig, changes: dict[str, object], refusal: str
) -> None:
    start(rig)
    with pytest.raises((PlanError, TargetError), match=refusal):
        rig.target.captures.start(replace(TRACE, **changes))  # type: ignore[arg-type]
    assert rig.pass_frames([segment(1)]) == [segment(1)]


def test_a_path_has_one_trace_at_a_time(rig: PathRig) -> None:
    start(rig)
    rig.target.captures.start(TRACE)
    with pytest.raises(PlanError, match=r"path .wan. is traced by .trace.; stop that first"):
        rig.target.captures.start(replace(TRACE, name="other"))
    rig.target.captures.stop("trace")
    rig.target.captures.start(replace(TRACE, name="other"))
    for name in ("trace", "other"):
        rig.target.captures.forget(name)
