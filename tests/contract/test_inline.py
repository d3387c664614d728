# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths and events on every target: `proto/tester/v1/inline.proto`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame, Fate
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.snapshot import PathCounters, StreamCounters
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading, OrderPolicy
from TesterLibrary.model.impairment import GilbertElliott, Impairment, PathDelay, Shaping
from TesterLibrary.model.inline import (
    Blackhole,
    ChecksumPolicy,
    Corrupt,
    Delay,
    Drop,
    Duplicate,
    Event,
    LinkDown,
    Mark,
    PacketAction,
    Path,
    Reorder,
    Reset,
    Rewrite,
    Swallowed,
    Truncate,
)
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.plan.planned_path import PlannedGilbertElliott, PlannedImpairment, PlannedRatio
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.splitmix import splitmix64
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import Rig

# What p1 sends arrives on q1; a path from there to q2 takes it to p2, and back.
PORTS = {"p1": "loop:x", "q1": "loop:x", "q2": "loop:y", "p2": "loop:y"}
FRAMES = 400


def plan(
    rig: Rig,
    *events: Event,
    between: tuple[str, str] = ("q1", "q2"),
    impaired: tuple[Impairment, ...] = (),
    memory_mib: int = 16,
) -> Plan:
    path = Path("wan", between, events, memory_mib, impaired)
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


@pytest.mark.parametrize(
    "action",
    [
        Delay(delay=Duration(10**6)),
        Reorder(packets=3, limit=Duration(10**8)),
        Rewrite(field=FieldPath("IP", "ttl"), value="1"),
        Blackhole(duration=Duration(10**9)),
        Reset(),
    ],
    ids=lambda action: type(action).__name__.lower(),
)
@pytest.mark.refused_by("fake", match=r"path 'wan': a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"path 'wan': a switch does not forward .* use a testerd")
def test_a_target_has_an_event_or_refuses_by_name(rig: Rig, action: PacketAction) -> None:
    rig.load(plan(rig, Event(action=action, number=1), between=("p1", "p2")))
    (path,) = rig.target.snapshot(["wan"]).paths
    assert [direction.held for direction in path.directions] == [0, 0]
    assert [direction.injected for direction in path.directions] == [0, 0]
    assert [event.fired for event in path.events] == [0]


@pytest.mark.refused_by("fake", match=r"path 'wan': a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"path 'wan': a switch does not forward .* use a testerd")
@pytest.mark.refused_by("engine", match=r'event "1: link down .* port "p1" has no interface of the kernel')
def test_links_without_an_interface_stay_up(rig: Rig) -> None:
    rig.load(plan(rig, Event(action=LinkDown(duration=Duration(10**9)), number=1), between=("p1", "p2")))


def trace(every: int = 1, frames: int = 10_000) -> Capture:
    return Capture("trace", frames=frames, snap_length=64, traced=TracedPath("wan", "wan", every))


@pytest.mark.refused_by("fake", match=r"trace: a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"trace: a switch does not forward .* use a testerd, or a switch")
def test_a_target_traces_or_refuses_by_name(rig: Rig) -> None:
    if rig.target.capabilities().max_paths:
        rig.load(plan(rig, between=("p1", "p2")))
    rig.target.captures.start(trace())
    rig.target.captures.forget("trace")


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

    def impair(self, *impaired: Impairment, memory_mib: int = 16) -> tuple[PlannedImpairment, ...]:
        """Starts a path without events, and returns how its directions are impaired."""
        planned = plan(self.rig, impaired=impaired, memory_mib=memory_mib)
        self.rig.load(planned)
        self.rig.target.start(["wan"])
        return planned.paths[0].impairments

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
        """The counters of a trace, and its frames."""
        stopped = self.rig.target.captures.stop(name)
        frames = list(frames_of(self.rig.target.captures.read(name)))
        self.rig.target.captures.forget(name)
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


def test_a_pattern_selects_one_packet_after_the_other(inline: Inline) -> None:
    inline.path(Event(action=Drop(), pattern=(False, True, True, False)))
    assert inline.send().rx_packets == FRAMES // 2
    (event,) = inline.counters().events
    assert (event.name, event.fired) == ("1: drop packets by a pattern of 4", FRAMES // 2)


@pytest.mark.parametrize("where", [{"byte": 7}, {"sequence": 7}])
def test_what_has_no_sequence_numbers_is_not_selected_by_them(inline: Inline, where: dict[str, int]) -> None:
    inline.path(Event(action=Drop(), flow=1, **where))
    assert inline.send().rx_packets == FRAMES
    assert inline.counters().events[0].fired == 0


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


def adds_up(path: PathCounters) -> bool:
    """Whether each frame that arrived is in one counter."""
    return all(
        there.received + there.duplicated + there.injected
        == there.forwarded
        + there.dropped
        + there.loss_drops
        + there.tail_drops
        + there.overflowed
        + there.lost
        + there.held
        for there in path.directions
    )


def seen_at(inline: Inline, port: str, *events: Event, headers: str, frames: int = FRAMES) -> list[bytes]:
    """The changed frames that arrive on a port while a stream passes a path with these events."""
    inline.path(*events)
    inline.rig.target.captures.start(Capture("seen", (port,), frames=10_000))
    inline.send(headers, frames=frames)
    inline.rig.target.captures.stop("seen")
    octets = [frame.octets for frame in frames_of(inline.rig.target.captures.read("seen"))]
    inline.rig.target.captures.forget("seen")
    return octets


@pytest.mark.parametrize("checksum", list(ChecksumPolicy))
def test_a_field_is_rewritten(inline: Inline, checksum: ChecksumPolicy) -> None:
    rewrite = Rewrite(field=FieldPath("IP", "dst"), value="10.9.8.7", checksum=checksum)
    arrived = seen_at(inline, "p2", Event(action=rewrite, number=9), headers="Ether / IP / UDP")
    (frame,) = [octets for octets in arrived if Ether(octets)[IP].dst == "10.9.8.7"]
    rebuilt = Ether(frame)
    for layer in (rebuilt[IP], rebuilt[UDP]):
        layer.delfieldval("chksum")
    assert (bytes(rebuilt) == frame) == (checksum is ChecksumPolicy.REPAIR)
    assert inline.counters().events[0].fired == 1
    assert adds_up(inline.counters())


def test_a_field_of_another_header_is_not_rewritten(inline: Inline) -> None:
    inline.path(Event(action=Rewrite(field=FieldPath("TCP", "window"), value="0"), every=1))
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_corrupted, stream.rx_wrong_headers) == (FRAMES, 0, 0)
    (event,) = inline.counters().events
    assert (event.fired, event.missed) == (0, FRAMES)


def test_a_blackhole_swallows_a_direction_for_a_time(inline: Inline) -> None:
    inline.path(Event(action=Blackhole(duration=Duration(2 * 10**6)), number=20))
    stream = inline.send()  # for 8 ms
    path = inline.counters()
    (event,) = path.events
    assert event.fired == path.directions[0].dropped == FRAMES - stream.rx_packets
    (job,) = inline.rig.target.snapshot(["wan"]).jobs
    late = 50 * max(stream.worst_lateness_ns, job.worst_gap_ns(None)) // 10**6  # came together, or not at all
    assert abs(event.fired - 100) < 50 + late
    assert 0 < event.last_fired_ns - event.first_fired_ns < 2 * 10**6
    assert adds_up(path)


@pytest.mark.parametrize(
    ("packets", "passes"), [(Swallowed.ALL, False), (Swallowed.FLOW, True)], ids=["all", "flow"]
)
def test_a_blackhole_is_of_a_flow_or_of_all(inline: Inline, packets: Swallowed, passes: bool) -> None:
    blackhole = Blackhole(duration=Duration(3600 * 10**9), packets=packets)
    inline.path(Event(action=blackhole, flow=1, number=20))
    assert inline.send().rx_packets == 19
    assert inline.send("Ether / IP / UDP(sport=99)").rx_packets == (FRAMES if passes else 0)
    assert inline.send().rx_packets == 0
    assert adds_up(inline.counters())


def test_a_connection_is_reset_at_both_ends(inline: Inline) -> None:
    headers = "Ether / IP / TCP(sport=4000, dport=80, flags=A, seq=7000, ack=500)"
    arrived = seen_at(inline, "p2", Event(action=Reset(), every=FRAMES), headers=headers)
    path = inline.counters()
    there, back = path.directions
    assert (there.received, there.forwarded, there.dropped) == (FRAMES, FRAMES, 0)
    assert (back.received, back.injected, back.forwarded) == (0, 1, 1)
    assert adds_up(path)
    (reset,) = [packet for octets in arrived if "R" in (packet := Ether(octets))[TCP].flags]
    assert (reset[TCP].flags, reset[TCP].seq, reset[TCP].ack) == ("RA", 7000, 500)


def test_the_sender_is_told_of_a_reset(inline: Inline) -> None:
    headers = "Ether / IP / TCP(sport=4000, dport=80, flags=A, seq=7000, ack=500)"
    seen = seen_at(inline, "p1", Event(action=Reset(), every=FRAMES), headers=headers)
    (reset,) = [packet for octets in seen if (packet := Ether(octets)[TCP]).sport == 80]
    assert (reset.dport, reset.flags, reset.seq) == (4000, "R", 500)


def test_a_reset_passes_the_impairment_of_its_direction(inline: Inline) -> None:
    impaired = (Impairment(delay=PathDelay(mean=Duration(10**6)), heading=Heading.BACKWARD),)
    inline.rig.load(plan(inline.rig, Event(action=Reset(), every=FRAMES), impaired=impaired))
    inline.rig.target.start(["wan"])
    inline.send("Ether / IP / TCP(flags=A)")
    path = inline.counters()
    assert [direction.delayed for direction in path.directions] == [0, 1]
    assert adds_up(path)


@pytest.mark.parametrize("order", list(OrderPolicy))
def test_a_delayed_packet_comes_later(inline: Inline, order: OrderPolicy) -> None:
    inline.path(Event(action=Delay(delay=Duration(3 * 10**6), order=order), number=20))
    stream = inline.send()
    assert stream.rx_packets == FRAMES
    assert stream.latency.max_ns > 3 * 10**6
    assert stream.latency.min_ns < 3 * 10**6
    reordered = stream.rx_out_of_order
    assert reordered == (1 if order is OrderPolicy.ALLOW else 0)
    there, _ = inline.counters().directions
    assert (there.held, there.forwarded) == (0, FRAMES)
    assert there.delayed == 1 or order is OrderPolicy.PRESERVE
    assert adds_up(inline.counters())


def test_a_packet_is_reordered_by_count(inline: Inline) -> None:
    inline.path(Event(action=Reorder(packets=3, limit=Duration(10**9)), number=20))
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_out_of_order) == (FRAMES, 1)
    (event,) = inline.counters().events
    assert (event.fired, event.expired) == (1, 0)


def test_a_packet_that_nobody_follows_leaves_all_the_same(inline: Inline) -> None:
    inline.path(Event(action=Reorder(packets=3, limit=Duration(2 * 10**6)), number=FRAMES - 1))
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_out_of_order) == (FRAMES, 1), "one packet has passed it"
    (event,) = inline.counters().events
    assert (event.fired, event.expired, event.held_back) == (1, 1, 0)


def test_what_is_held_survives_changes_of_other_jobs(inline: Inline) -> None:
    inline.path(Event(action=Delay(delay=Duration(300 * 10**6)), number=1))
    other = Job("other", (Stream("other", "p2", "p1", FrameSize(128), Rate.parse("1 kpps")),))
    inline.send()
    for _ in range(5):
        inline.rig.target.load(
            compile_job(other, ports=inline.rig.ports, gateways={}, max_streams=1, first_id=7)
        )
        inline.rig.target.unload(["other"])
    deadline = time.monotonic() + 10
    while inline.counters().directions[0].held and time.monotonic() < deadline:
        time.sleep(0.05)
    there, _ = inline.counters().directions
    assert (there.forwarded, there.delayed, there.held) == (FRAMES, FRAMES, 0)


def test_what_is_held_at_a_stop_is_counted(inline: Inline) -> None:
    inline.path(Event(action=Delay(delay=Duration(60 * 10**9)), number=FRAMES - 9))
    assert inline.send().rx_packets == FRAMES - 10
    inline.rig.target.stop(["wan"])
    there, _ = inline.counters().directions
    assert (there.received, there.forwarded, there.held) == (FRAMES, FRAMES - 10, 10)
    assert adds_up(inline.counters())


def test_a_trace_says_what_was_held(inline: Inline) -> None:
    inline.path(
        Event(action=Delay(delay=Duration(10**6), order=OrderPolicy.ALLOW), number=20),
        Event(action=Reorder(packets=2, limit=Duration(10**9)), number=30),
    )
    inline.rig.target.captures.start(trace())
    inline.send()
    _, frames = inline.traced()
    held = {
        frame.sequence: (frame.traced.left_ns or frame.time_ns) - frame.time_ns
        for frame in frames
        if frame.traced and frame.traced.fate is Fate.HELD
    }
    assert held == {19: 10**6, 29: 0}


@pytest.mark.refused_by("fake", match=r"path 'wan': a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"path 'wan': a switch does not forward .* use a testerd")
def test_a_target_impairs_or_refuses_by_name(rig: Rig) -> None:
    impaired = (Impairment(delay=PathDelay(mean=Duration(10**6)), loss=Ratio(Fraction(1, 4))),)
    rig.load(plan(rig, between=("p1", "p2"), impaired=impaired))
    (path,) = rig.target.snapshot(["wan"]).paths
    assert [direction.loss_drops for direction in path.directions] == [0, 0]


def test_all_packets_of_a_direction_are_delayed(inline: Inline) -> None:
    inline.impair(Impairment(delay=PathDelay(mean=Duration(5 * 10**6)), heading=Heading.FORWARD))
    stream = inline.send()
    assert (stream.rx_packets, stream.rx_out_of_order) == (FRAMES, 0)
    assert stream.latency.min_ns >= 5 * 10**6
    there, back = inline.counters().directions
    assert (there.delayed, there.held, back.delayed) == (FRAMES, 0, 0)


@pytest.mark.parametrize("order", list(OrderPolicy))
def test_jitter_reorders_only_where_it_may(inline: Inline, order: OrderPolicy) -> None:
    delay = PathDelay(mean=Duration(10**6), jitter=Duration(10**6), order=order)
    inline.impair(Impairment(delay=delay))
    stream = inline.send()
    assert stream.rx_packets == FRAMES
    assert (stream.rx_out_of_order == 0) == (order is OrderPolicy.PRESERVE)
    assert adds_up(inline.counters())


def test_correlated_delays_are_those_of_the_seed(inline: Inline) -> None:
    delay = PathDelay(
        mean=Duration(10**6),
        jitter=Duration(10**6),
        order=OrderPolicy.ALLOW,
        correlation=Ratio(Fraction(3, 4)),
    )
    planned, _ = inline.impair(Impairment(delay=delay))
    law = planned.delay
    assert law is not None
    inline.rig.target.captures.start(trace())
    inline.send()
    _, frames = inline.traced()
    held = [(frame.traced.left_ns or 0) - frame.time_ns for frame in frames if frame.traced]
    normal, last, expected = NormalDist(), 0.0, []
    for k in range(FRAMES):
        fresh = normal.inv_cdf(((splitmix64(law.seed, k) >> 12) + 0.5) / 2**52)
        last = 0.75 * last + (1 - 0.75**2) ** 0.5 * fresh if k else fresh
        expected.append(2 * 10**6 * normal.cdf(last))
    assert held == [pytest.approx(ns, abs=1) for ns in expected]


def test_losses_are_those_of_the_seed(inline: Inline) -> None:
    there, _ = inline.impair(Impairment(loss=Ratio(Fraction(1, 10))))
    assert isinstance(there.loss, PlannedRatio)
    lost = sum(splitmix64(there.loss.seed, k) < there.loss.threshold for k in range(FRAMES))
    assert inline.send().rx_packets == FRAMES - lost
    assert inline.counters().directions[0].loss_drops == lost > 0
    assert adds_up(inline.counters())


def test_losses_in_bursts_are_those_of_the_seed(inline: Inline) -> None:
    probabilities = {"to_bad": 1, "to_good": 25, "loss_in_bad": 90, "loss_in_good": 1}
    bursts = GilbertElliott(**{name: Ratio(Fraction(part, 100)) for name, part in probabilities.items()})
    planned, _ = inline.impair(Impairment(loss=bursts))
    loss = planned.loss
    assert isinstance(loss, PlannedGilbertElliott)
    bad, lost = False, 0
    for k in range(FRAMES):
        lost += splitmix64(loss.seed, 2 * k) < (loss.loss_in_bad if bad else loss.loss_in_good)
        bad ^= splitmix64(loss.seed, 2 * k + 1) < (loss.to_good if bad else loss.to_bad)
    assert inline.send().rx_packets == FRAMES - lost
    assert inline.counters().directions[0].loss_drops == lost > 0


@pytest.mark.parametrize("queue", [{"queue_frames": 20}, {"queue_bytes": 20 * 128}], ids=["frames", "bytes"])
def test_a_rate_is_never_exceeded(inline: Inline, queue: dict[str, int]) -> None:
    frames, frame_ns = 4000, 128 * 8 * 100  # at 10 Mbps
    inline.impair(Impairment(shaping=Shaping(rate=Rate.parse("10 Mbps"), **queue)))
    inline.rig.target.captures.start(trace())
    stream = inline.send(frames=frames)  # 51 Mbps
    there, _ = inline.counters().directions
    assert there.tail_drops == frames - stream.rx_packets
    assert adds_up(inline.counters())
    _, arrived = inline.traced()
    gaps_ns = [after.time_ns - before.time_ns for before, after in pairwise(arrived)]
    assert stream.rx_packets <= 1.1 * sum(gaps_ns) / frame_ns + 21
    # The queue of 20 frames runs empty while the tester itself sends nothing for longer.
    assert stream.rx_packets > 0.8 * sum(min(gap_ns, 20 * frame_ns) for gap_ns in gaps_ns) / frame_ns


def test_a_rate_that_nobody_exceeds_drops_nothing(inline: Inline) -> None:
    inline.impair(Impairment(shaping=Shaping(rate=Rate.parse("10 Gbps L1"), queue_frames=1000)))
    assert inline.send().rx_packets == FRAMES
    assert inline.counters().directions[0].tail_drops == 0


def test_what_finds_no_memory_is_counted_by_name(inline: Inline) -> None:
    inline.impair(Impairment(delay=PathDelay(mean=Duration(500 * 10**6))), memory_mib=1)
    inline.send(frames=6000)  # of 4096 blocks
    deadline = time.monotonic() + 10
    while inline.counters().directions[0].held and time.monotonic() < deadline:
        time.sleep(0.05)
    there, _ = inline.counters().directions
    assert (there.delayed, there.overflowed) == (4096, 6000 - 4096)
    assert adds_up(inline.counters())


def test_a_trace_says_what_was_lost(inline: Inline) -> None:
    inline.impair(Impairment(loss=Ratio(Fraction(1, 10)), delay=PathDelay(mean=Duration(10**6))))
    inline.rig.target.captures.start(trace())
    inline.send()
    lost = inline.counters().directions[0].loss_drops
    counters, frames = inline.traced()
    fates = Counter(frame.traced.fate for frame in frames if frame.traced)
    assert fates == {Fate.LOST: lost, Fate.HELD: FRAMES - lost}
    assert counters.seen == FRAMES
    assert {
        (frame.traced.left_ns or 0) - frame.time_ns
        for frame in frames
        if frame.traced and frame.traced.fate is Fate.HELD
    } == {10**6}


def test_the_other_direction_is_another_one(inline: Inline) -> None:
    inline.path(Event(action=Drop(), every=1, heading=Heading.BACKWARD))
    assert inline.send().rx_packets == FRAMES


def test_a_trace_has_every_frame_and_what_became_of_it(inline: Inline) -> None:
    inline.path(
        Event(action=Drop(), number=20),
        Event(action=Mark(), number=30),
        Event(action=Corrupt(bit=3), number=30),
    )
    inline.rig.target.captures.start(trace())
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


def test_ports_of_a_path_are_its_own(inline: Inline) -> None:
    inline.path()
    stream = Stream("east", "p1", "q1", FrameSize(128), Rate.parse("1 kpps"))
    job = compile_job(Job("east", (stream,)), ports=inline.rig.ports, gateways={}, max_streams=1)
    with pytest.raises(
        PlanError, match=r'port "q1" is used by path "wan".*stop that path first .*or take other ports'
    ):
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
