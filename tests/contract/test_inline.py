# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths and events on every target: `proto/tester/v1/inline.proto`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame
from TesterLibrary.measurement.snapshot import PathCounters, StreamCounters
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.inline import (
    ChecksumPolicy,
    Corrupt,
    Drop,
    Duplicate,
    Event,
    Heading,
    Mark,
    Path,
    Truncate,
)
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import Rig

# What p1 sends arrives on q1; a path from there to q2 takes it to p2, and back.
PORTS = {"p1": "loop:x", "q1": "loop:x", "q2": "loop:y", "p2": "loop:y"}
FRAMES = 400


def plan(rig: Rig, *events: Event, between: tuple[str, str] = ("q1", "q2")) -> Plan:
    path = Path("wan", between, events)
    return compile_job(Job("wan", paths=(path,)), ports=rig.ports, gateways={}, max_streams=1)


@pytest.mark.refused_by("fake", match=r"path 'wan': a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"path 'wan': a switch does not forward .* use a testerd")
def test_a_target_forwards_or_refuses_by_name(rig: Rig) -> None:
    rig.load(plan(rig, between=("p1", "p2")))
    (path,) = rig.target.snapshot(["wan"]).paths
    assert (path.name, path.forwarding) == ("wan", False)


def test_a_refused_path_has_changed_nothing(rig: Rig) -> None:
    if rig.target.capabilities().max_paths:
        pytest.skip("it forwards")
    with pytest.raises(PlanError):
        rig.target.load(plan(rig, between=("p1", "p2")))
    assert rig.target.snapshot().jobs == ()
    rig.load(rig.plan("north"))
    assert rig.run(["north"], packets=10).streams[0].rx_packets == 10


def trace(every: int = 1, frames: int = 10_000) -> Capture:
    return Capture("trace", frames=frames, snap_length=64, traced=TracedPath("wan", "wan", every))


@pytest.mark.refused_by("fake", match=r"trace: a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"capture 'trace': a switch keeps no frames")
def test_a_target_traces_or_refuses_by_name(rig: Rig) -> None:
    if rig.target.capabilities().max_paths:
        rig.load(plan(rig, between=("p1", "p2")))
    rig.target.start_capture(trace())
    rig.target.forget_capture("trace")


@pytest.fixture
def inline(process: EngineProcess) -> Iterator[Inline]:
    inline = Inline(Rig(process.target()))
    yield inline
    inline.rig.clear()


class Inline:
    """An engine with a path between two of its ports, and a device of cables around them."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    def path(self, *events: Event) -> None:
        self.rig.load(plan(self.rig, *events))
        self.rig.target.start(["wan"])

    def send(
        self, headers: str = "Ether / IP / UDP", *, frames: int = FRAMES, **changes: Any
    ) -> StreamCounters:
        stream = Stream(
            "north", "p1", "p2", FrameSize(128), Rate.parse("50 kpps"), headers=HeaderStack.parse(headers)
        )
        job = Job("north", (stream,))
        planned = compile_job(job, ports=self.rig.ports, gateways={}, max_streams=1, **changes)
        self.rig.target.load(planned)
        try:
            self.rig.target.start(["north"], packets=frames)
            self.rig.target.wait(["north"], timeout=Duration(10**10))
            time.sleep(0.05)
            return self.rig.target.snapshot(["north"]).streams[0]
        finally:
            self.rig.target.unload(["north"])

    def traced(self, name: str = "trace") -> tuple[CaptureCounters, list[CapturedFrame]]:
        """What a trace has counted, and its frames."""
        stopped = self.rig.target.stop_capture(name)
        frames = list(self.rig.target.read_capture(name))
        self.rig.target.forget_capture(name)
        return stopped.counters, frames

    def counters(self) -> PathCounters:
        return self.rig.target.snapshot(["wan"]).path("wan", "wan")


def test_frames_arrive_as_they_were_sent(inline: Inline) -> None:
    inline.path()
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_corrupted, stream.rx_wrong_headers) == (FRAMES, 0, 0)
    there, back = inline.counters().directions
    assert (there.port, there.received, there.forwarded, there.forwarded_bytes) == (
        "q1",
        FRAMES,
        FRAMES,
        FRAMES * 128,
    )
    assert (back.port, back.received) == ("q2", 0)


def test_the_packet_of_a_number_is_dropped(inline: Inline) -> None:
    inline.path(Event(action=Drop(), flow=1, number=20))
    assert inline.send().rx_packets == FRAMES - 1
    (event,) = inline.counters().events
    assert (event.name, event.matched, event.fired) == ("1: drop packet 20 of flow 1", FRAMES, 1)
    assert event.first_fired_ns == event.last_fired_ns > 0


@pytest.mark.parametrize(
    ("headers", "sees"),
    [
        ("IP / UDP(dport=53)", False),
        ("IP / UDP(dport=7)", True),
        ("IP / TCP", False),
        ("IPv6", False),
        ("Ether / Dot1Q(vlan=5) / IP / UDP(dport=7)", False),
        ("IP(proto=17)", True),
    ],
)
def test_events_see_packets_with_these_headers(inline: Inline, headers: str, sees: bool) -> None:
    inline.path(Event(action=Drop(), every=1, headers=HeaderStack.parse(headers)))
    assert inline.send().rx_packets == (0 if sees else FRAMES)
    there, _ = inline.counters().directions
    assert there.unmatched == (0 if sees else FRAMES)


def test_tags_are_seen_where_they_are_asked_for(inline: Inline) -> None:
    inline.path(Event(action=Drop(), every=1, headers=HeaderStack.parse("Dot1Q(vlan=5) / IP / UDP(dport=7)")))
    assert inline.send("Ether / Dot1Q(vlan=5) / IP / UDP").rx_packets == 0
    assert inline.send("Ether / Dot1Q(vlan=6) / IP / UDP").rx_packets == FRAMES


def test_a_ratio_has_a_seed(inline: Inline) -> None:
    inline.path(Event(action=Drop(), ratio=Ratio(Fraction(1, 4))))
    first = inline.send(frames=4000).rx_packets
    inline.rig.target.stop(["wan"])
    inline.rig.target.start(["wan"])
    assert inline.send(frames=4000).rx_packets == first
    assert 2860 < first < 3140  # five times the standard deviation


def test_a_mark_keeps_the_checksum_right(inline: Inline) -> None:
    inline.path(Event(action=Mark(), every=2))
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_wrong_headers) == (FRAMES, 0)
    assert inline.counters().events[0].fired == FRAMES // 2


@pytest.mark.parametrize("checksum", list(ChecksumPolicy))
def test_a_corrupted_payload_is_found(inline: Inline, checksum: ChecksumPolicy) -> None:
    inline.path(Event(action=Corrupt(bit=17, checksum=checksum), number=9))
    stream = inline.send()
    assert stream.rx_packets == FRAMES - 1
    assert (stream.rx_corrupted, stream.rx_wrong_headers) == (1, 0)


def test_copies_and_cuts(inline: Inline) -> None:
    inline.path(Event(action=Duplicate(), number=3), Event(action=Truncate(64), number=5))
    stream = inline.send()
    assert stream.order.duplicated == 1
    there, _ = inline.counters().directions
    assert (there.duplicated, there.forwarded) == (1, FRAMES + 1)
    assert there.forwarded_bytes == FRAMES * 128 + 64
    assert [event.fired for event in inline.counters().events] == [1, 1]


def test_the_other_direction_is_another_one(inline: Inline) -> None:
    inline.path(Event(action=Drop(), every=1, heading=Heading.BACKWARD))
    assert inline.send().rx_packets == FRAMES


def test_a_trace_has_every_frame_and_what_became_of_it(inline: Inline) -> None:
    inline.path(
        Event(action=Drop(), number=20),
        Event(action=Mark(), number=30),
        Event(action=Corrupt(bit=3), number=30),
    )
    inline.rig.target.start_capture(trace())
    inline.send()
    counters, frames = inline.traced()
    assert (counters.seen, counters.matched, counters.dropped, counters.captured) == (
        FRAMES,
        FRAMES,
        0,
        FRAMES,
    )
    assert [frame.sequence for frame in frames] == list(range(FRAMES))
    assert {
        (frame.port, frame.transmitted, len(frame.octets), frame.original_length) for frame in frames
    } == {("q1", False, 64, 124)}
    happened = {
        frame.sequence: frame.traced.events for frame in frames if frame.traced and frame.traced.events
    }
    assert happened == {19: (0,), 29: (1, 2)}
    left = {frame.sequence: frame.traced.left_ns for frame in frames if frame.traced}
    assert [number for number, left_ns in left.items() if left_ns is None] == [19]
    assert all(frame.time_ns <= (left[frame.sequence] or frame.time_ns) for frame in frames)
    assert frames[29].octets[15] & 3 == 0, "it is recorded before it is marked"


def test_a_trace_may_be_a_sample(inline: Inline) -> None:
    inline.path()
    inline.rig.target.start_capture(trace(every=7))
    inline.send()
    counters, frames = inline.traced()
    assert [frame.sequence for frame in frames] == list(range(0, FRAMES, 7))
    assert (counters.seen, counters.matched, counters.dropped) == (FRAMES, len(frames), 0)


def test_a_trace_that_is_full_counts_what_is_missing(inline: Inline) -> None:
    inline.path()
    inline.rig.target.start_capture(trace(frames=100))
    stream = inline.send()
    counters, frames = inline.traced()
    assert stream.rx_packets == FRAMES, "forwarding goes on"
    assert [frame.sequence for frame in frames] == list(range(100))
    assert (counters.seen, counters.matched, counters.dropped) == (FRAMES, FRAMES, FRAMES - 100)


def test_a_trace_goes_on_while_its_path_begins_anew(inline: Inline) -> None:
    inline.path()
    inline.rig.target.start_capture(trace())
    inline.send()
    inline.rig.target.stop(["wan"])
    inline.rig.target.start(["wan"])
    inline.send()
    counters, frames = inline.traced()
    assert (counters.seen, len(frames)) == (2 * FRAMES, 2 * FRAMES)
    assert [frame.sequence for frame in frames] == list(range(2 * FRAMES))


def test_a_path_has_one_trace_at_a_time(inline: Inline) -> None:
    inline.path()
    inline.rig.target.start_capture(trace())
    with pytest.raises(PlanError, match=r'path "wan" is traced by "trace"; stop that first'):
        inline.rig.target.start_capture(replace(trace(), name="other"))
    inline.rig.target.stop_capture("trace")
    inline.rig.target.start_capture(replace(trace(), name="other"))
    for name in ("trace", "other"):
        inline.rig.target.forget_capture(name)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"traced": TracedPath("wan", "lan")}, r'job "wan" has no path "lan"'),
        ({"traced": TracedPath("lan", "wan")}, r'no job "lan"'),
        ({"traced": TracedPath("wan", "wan", 0)}, "every 0 frames; at least 1"),
        ({"ports": ("q1",)}, "beside a path; a trace has the frames of the path"),
    ],
)
def test_a_trace_that_can_never_be_is_refused(inline: Inline, changes: Any, refusal: str) -> None:
    inline.path()
    with pytest.raises((PlanError, TargetError), match=refusal):
        inline.rig.target.start_capture(replace(trace(), **changes))


def test_ports_of_a_path_are_its_own(inline: Inline) -> None:
    inline.path()
    stream = Stream("east", "p1", "q1", FrameSize(128), Rate.parse("1 kpps"))
    job = compile_job(Job("east", (stream,)), ports=inline.rig.ports, gateways={}, max_streams=1)
    with pytest.raises(PlanError, match=r'port "q1" is used by path "wan".*unload that or take other ports'):
        inline.rig.target.load(job)


def test_ports_of_two_workers_are_refused() -> None:
    process = EngineProcess.launch(ports=PORTS, cpus=(0, 1))
    try:
        rig = Rig(process.target())
        with pytest.raises(PlanError, match=r"different workers.*one CPU"):
            rig.target.load(plan(rig, between=("q1", "q2")))
        rig.load(plan(rig, between=("q1", "p2")))
    finally:
        process.stop()
