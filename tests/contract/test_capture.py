# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures hold exactly what left and arrived, as far as it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.flows import flows_of
from TesterLibrary.model.capture import Capture, CaptureTrigger, Direction, Keep, TriggerKind
from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, Mode, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.flows import FlowSpace

from .rig import PATIENCE, Rig


class Capturing:
    """Captures of a target, which are forgotten after the test."""

    def __init__(self, rig: Rig) -> None:
        self._target = rig.target
        self.names: list[str] = []

    def start(self, name: str = "all", **wish: object) -> None:
        self._target.captures.start(Capture(name, **wish))  # type: ignore[arg-type]
        self.names.append(name)

    def stop(self, name: str = "all") -> list[CapturedFrame]:
        self._target.captures.stop(name)
        return list(frames_of(self._target.captures.read(name)))

    def forget(self) -> None:
        for name in self.names:
            with suppress(PlanError):
                self._target.captures.forget(name)


@pytest.fixture
def capturing(rig: Rig) -> Iterator[Capturing]:
    if rig.is_switch and os.environ.get("TESTER_SWITCH") == "model":
        pytest.skip("no port of the model leads copies to this machine")
    capturing = Capturing(rig)
    yield capturing
    capturing.forget()


def waits_for_none(trigger: str) -> pytest.MarkDecorator:
    """Marks a test about a trigger, which a switch refuses by name."""
    return pytest.mark.refused_by(
        "tofino", match=rf"capture 'all': trigger={trigger}; a switch waits for none"
    )


def sequences(frames: list[CapturedFrame], *, transmitted: bool) -> list[int | None]:
    return [frame.sequence for frame in frames if frame.transmitted is transmitted]


@waits_for_none("damage")
@pytest.mark.refused_by("fake", match=r"capture 'all': a fake tester shows no damaged frames")
def test_a_target_waits_for_damage_or_refuses_by_name(capturing: Capturing) -> None:
    capturing.start(trigger=CaptureTrigger(TriggerKind.DAMAGE))


@waits_for_none("latency")
def test_a_target_waits_for_a_late_frame(rig: Rig, capturing: Capturing) -> None:
    late = CaptureTrigger(TriggerKind.LATENCY, before=2, after=3, above=Duration(1))
    capturing.start(trigger=late, direction=Direction.RECEIVED)
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=50)
    frames = capturing.stop()
    assert [(frame.sequence, frame.fires) for frame in frames] == [
        (0, True),
        *((number, False) for number in (1, 2, 3)),
    ]


@waits_for_none("filter")
def test_a_target_waits_for_a_frame_or_refuses_by_name(rig: Rig, capturing: Capturing) -> None:
    trigger = CaptureTrigger(TriggerKind.FILTER, before=3, after=2, filter="greater 100")
    capturing.start(trigger=trigger, direction=Direction.RECEIVED)
    rig.load(rig.plan("small"))
    rig.load(rig.plan("large", frame_size=128, first_id=2))
    rig.run(["small"], packets=50)
    assert rig.target.snapshot().captures[0].running
    rig.run(["large"], packets=50)
    counted = rig.target.snapshot().captures[0]
    assert not counted.running
    assert counted.triggered
    frames = capturing.stop()
    assert [(f.original_length, f.sequence, f.fires) for f in frames] == [
        *((60, number, False) for number in (47, 48, 49)),
        (124, 0, True),
        *((124, number, False) for number in (1, 2)),
    ]


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ({"above": None}, "trigger=latency needs above="),
        ({"above": Duration(1), "filter": "udp"}, "trigger=latency takes no trigger_filter="),
        ({"above": Duration(1), "before": -1}, "before=-1, after=20; 0 frames or more"),
    ],
)
def test_a_trigger_has_what_it_needs(wish: dict[str, object], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        CaptureTrigger(TriggerKind.LATENCY, **wish)  # type: ignore[arg-type]


def test_a_trigger_that_an_engine_cannot_wait_for_changes_nothing(rig: Rig, capturing: Capturing) -> None:
    for trigger, wish, problem in (
        (CaptureTrigger(TriggerKind.GAP), {"direction": Direction.TRANSMITTED}, "trigger"),
        (CaptureTrigger(TriggerKind.FILTER, filter="udp prot 53"), {}, "trigger"),
        (CaptureTrigger(TriggerKind.GAP, before=10**9), {}, "snap length|trigger"),
    ):
        with pytest.raises(PlanError, match=problem):
            capturing.start(trigger=trigger, **wish)
    assert not rig.target.snapshot().captures


def test_every_frame_is_captured_where_it_leaves_and_where_it_arrives(rig: Rig, capturing: Capturing) -> None:
    capturing.start()
    plan = rig.load(rig.plan("north"))
    rig.run(["north"], packets=300)
    frames = capturing.stop()
    (stream,) = plan.streams
    assert sequences(frames, transmitted=True) == list(range(300))
    assert sequences(frames, transmitted=False) == list(range(300))
    assert {(f.port, f.transmitted, f.stream_id) for f in frames} == {
        ("p1", True, stream.id),
        ("p2", False, stream.id),
    }
    assert [f.time_ns for f in frames] == sorted(f.time_ns for f in frames)
    left = {f.sequence: f for f in frames if f.transmitted}
    for frame in frames:
        assert frame.octets == left[frame.sequence].octets
        assert frame.original_length == len(frame.octets) == 60
        assert frame.octets[:44] == FlowSpace.of(stream).frame(frame.sequence or 0)[:44]


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        (
            "Ether / IP / UDP",
            {
                "Ether.dst": Sweep("02:00:fe:00:00:fe", count=4),
                "Ether.src": Sweep("04:00:00:00:00:01", count=3),
            },
        ),
        (
            "Ether / MPLS(label=77, cos=5, ttl=9) / IP / UDP",
            {"MPLS.label": Sweep("1048574", count=4), "UDP.dport": Sweep("80", count=3)},
        ),
        (
            "Ether / Dot1Q(vlan=7) / MPLS(label=77, cos=5, ttl=9) / MPLS(label=78) / IPv6 / UDP",
            {"MPLS.ttl": Sweep("254", count=4), "IPv6.dst": FieldValues(("2001:db8::7", "2001:db8::9"))},
        ),
        (
            "Ether / MPLS(label=77, cos=5, ttl=9) / MPLS(label=78, cos=3, ttl=8) / IP / UDP",
            {"MPLS[2].label": Sweep("1048574", count=4), "MPLS.cos": Sweep("6", count=3)},
        ),
        (
            "Ether / Dot1Q(vlan=7) / MPLS(label=77) / MPLS(label=78, cos=3, ttl=8) / IPv6 / UDP",
            {"MPLS[2].ttl": Sweep("254", count=4)},
        ),
        (
            "Ether / MPLS(label=77) / IPv6 / UDP",
            {"MPLS.label": FieldValues(("16", "1048575", "17"))},
        ),
    ],
)
def test_fields_change_from_frame_to_frame(
    rig: Rig, capturing: Capturing, headers: str, fields: Mapping[str, Mode], counted: bool
) -> None:
    """As planned, whether flows are counted or not, and with right checksums."""
    editors = tuple(Editor(FieldPath.parse(field), mode) for field, mode in fields.items())
    stack = HeaderStack.parse(headers)
    capturing.start(direction=Direction.TRANSMITTED)
    plan = rig.load(rig.plan("north", frame_size=128, headers=stack, editors=editors, count_flows=counted))
    (north,) = rig.run(["north"], packets=24).streams
    assert (north.tx_packets, north.rx_packets) == (24, 24)
    frames = capturing.stop()
    (stream,) = plan.streams
    assert len(frames) == 24
    for number, frame in enumerate(frames):
        left, rebuilt = Ether(frame.octets), Ether(frame.octets)
        assert _headers(left) == _headers(Ether(FlowSpace.of(stream).frame(number)))
        for layer in (IP, UDP):
            if layer in rebuilt:
                del rebuilt[layer].chksum
        assert bytes(rebuilt) == frame.octets
    if counted:
        flows = flows_of(rig.target.flows.read("north", stream.id))
        assert {flow.received for flow in flows} == {24 // stream.flows}


def _headers(packet: Packet) -> list[tuple[str, Mapping[str, Any]]]:
    """All headers but the checksum of UDP, which covers the signature."""
    packet[UDP].chksum = 0
    layers: list[Packet] = list(packet.iterpayloads())
    return [(str(layer.name), layer.fields) for layer in layers if not isinstance(layer, Raw)]


def test_times_are_those_of_the_measurement(rig: Rig, capturing: Capturing) -> None:
    capturing.start()
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], packets=100).streams
    frames = capturing.stop()
    left = {f.sequence: f.time_ns for f in frames if f.transmitted}
    arrived = {f.sequence: f.time_ns for f in frames if not f.transmitted}
    assert sum(arrived[n] - left[n] for n in left) == counted.latency.sum_ns
    # A switch knows the mean of all times, and skips some ticks of 1.6 us now and then.
    step_ns = 5_000 if rig.is_switch else rig.target.capabilities().time_step_ns
    taken_ns, lasted_ns = max(left.values()) - min(left.values()), counted.last_tx_ns - counted.first_tx_ns
    assert abs(lasted_ns - taken_ns) <= step_ns
    # The signature has the time at which its frame left; that of a switch is behind UDP, by its own clock.
    at = 50 if rig.is_switch else 52
    stamps = [int.from_bytes(frame.octets[at : at + 6], "big") for frame in frames]
    apart = {(stamp - left[frame.sequence]) % 2**48 for stamp, frame in zip(stamps, frames, strict=True)}
    assert len(apart) == 1
    if not rig.is_switch:
        assert apart == {0}
        assert counted.first_tx_ns == min(left.values())


def test_counters_say_what_was_seen_matched_and_kept(rig: Rig, capturing: Capturing) -> None:
    capturing.start(direction=Direction.RECEIVED, ports=("p2",))
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=50)
    (running,) = rig.target.snapshot().captures
    assert running.running
    stopped = rig.target.captures.stop("all")
    counters = stopped.counters
    assert (counters.running, counters.captured) == (False, 50)
    assert [(p.port, p.seen, p.matched, p.dropped) for p in counters.ports] == [("p2", 50, 50, 0)]
    assert stopped.started_ns < stopped.stopped_ns
    assert stopped.clock_zero_unix_ns > 1_600_000_000 * 10**9
    assert rig.target.captures.stop("all") == stopped
    assert [sum(map(len, rig.target.captures.read("all"))) for _ in range(2)] == [50, 50]


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        (Direction.TRANSMITTED, {("p1", True)}),
        (Direction.RECEIVED, {("p2", False)}),
        (Direction.BOTH, {("p1", True), ("p2", False)}),
    ],
)
def test_a_direction_is_that_of_the_tester(
    rig: Rig, capturing: Capturing, direction: Direction, expected: set[tuple[str, bool]]
) -> None:
    capturing.start(direction=direction)
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=20)
    assert {(f.port, f.transmitted) for f in capturing.stop()} == expected


def test_the_first_frames_are_kept_and_then_it_is_complete(rig: Rig, capturing: Capturing) -> None:
    capturing.start(direction=Direction.TRANSMITTED, keep=Keep.FIRST, frames=10)
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=500)
    (counters,) = rig.target.snapshot().captures
    assert not counters.running
    assert (counters.seen, counters.matched, counters.dropped) == (10, 10, 0)
    assert sequences(capturing.stop(), transmitted=True) == list(range(10))


def test_the_last_frames_are_kept(rig: Rig, capturing: Capturing) -> None:
    capturing.start(direction=Direction.TRANSMITTED, keep=Keep.LAST, frames=10)
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=500)
    stopped = rig.target.captures.stop("all")
    assert (stopped.counters.captured, stopped.counters.matched) == (10, 500)
    assert sequences(capturing.stop(), transmitted=True) == list(range(490, 500))


def test_a_filter_lets_pass_what_it_says(rig: Rig, capturing: Capturing) -> None:
    capturing.start("arp", filter="arp")
    capturing.start("long", filter="udp and greater 100")
    capturing.start("dst", filter=f"ether dst {':'.join(f'{b:02x}' for b in rig.ports['p2'].mac)} and ip")
    for number, (job, size) in enumerate([("short", 64), ("long", 200)]):
        rig.load(rig.plan(job, frame_size=size, first_id=1 + number))
    rig.run(["short", "long"], packets=30)
    rig.target.frames.inject(
        [LearningFrame("p1", b"\xff" * 6 + rig.ports["p1"].mac + b"\x08\x06" + bytes(46))]
    )
    rig.pass_time(0.05)
    assert len(capturing.stop("arp")) == 2
    assert {f.original_length for f in capturing.stop("long")} == {196}
    assert len(capturing.stop("dst")) == 120
    counted = {c.name: c for c in rig.target.snapshot().captures}
    assert (counted["long"].seen, counted["long"].matched) == (122, 60)


def test_frames_that_are_no_streams_are_captured_too(rig: Rig, capturing: Capturing) -> None:
    capturing.start()
    frame = b"\xff" * 6 + rig.ports["p1"].mac + b"\x12\x34" + b"hello"
    rig.target.frames.inject([LearningFrame("p1", frame)])
    rig.pass_time(0.05)
    frames = capturing.stop()
    assert [(f.port, f.transmitted, f.stream_id, f.sequence) for f in frames] == [
        ("p1", True, 0, None),
        ("p2", False, 0, None),
    ]
    assert all(f.octets == frame.ljust(60, b"\0") for f in frames)


def test_a_stream_is_captured_by_name_even_if_it_is_loaded_later(rig: Rig, capturing: Capturing) -> None:
    capturing.start("north only", streams=("north",))
    capturing.start()
    rig.load(rig.plan("north", first_id=7))
    rig.load(rig.plan("south", first_id=8, back=True))
    rig.run(["north", "south"], packets=25)
    rig.target.unload(["north"])  # captured frames are not forgotten with it
    stopped = rig.target.captures.stop("north only")
    assert stopped.streams == {7: "north", 8: "south"}
    assert {f.stream_id for f in capturing.stop("north only")} == {7}
    frames = capturing.stop()
    assert len(frames) == 100
    assert {(f.port, f.transmitted, f.stream_id) for f in frames} == {
        ("p1", True, 7),
        ("p2", False, 7),
        ("p2", True, 8),
        ("p1", False, 8),
    }


def test_a_stream_without_signature_is_known_where_it_leaves(rig: Rig, capturing: Capturing) -> None:
    plan = rig.plan("opaque")
    plan = replace(plan, streams=(replace(plan.streams[0], signature=False, payload_offset=0),))
    capturing.start()
    rig.load(plan)
    rig.target.start(["opaque"], packets=5)
    rig.target.wait(["opaque"], timeout=PATIENCE)
    rig.pass_time(0.05)
    frames = capturing.stop()
    numbers = [None] * 5 if rig.is_switch else list(range(5))  # a switch sends copies of one template
    assert sequences(frames, transmitted=True) == numbers
    assert sequences(frames, transmitted=False) == [None] * 5
    assert {f.stream_id for f in frames if f.transmitted} == {plan.streams[0].id}
    assert {f.stream_id for f in frames if not f.transmitted} == {0}


@pytest.mark.parametrize(("snap_length", "kept"), [(14, 14), (60, 60), (2000, 196), (0, 196)])
def test_frames_are_cut_to_the_snap_length(
    rig: Rig, capturing: Capturing, snap_length: int, kept: int
) -> None:
    capturing.start(snap_length=snap_length)
    rig.load(rig.plan("north", frame_size=200))
    rig.run(["north"], packets=5)
    frames = capturing.stop()
    assert len(frames) == 10
    assert {(len(f.octets), f.original_length) for f in frames} == {(kept, 196)}


def test_a_capture_may_begin_and_end_while_traffic_runs(rig: Rig, capturing: Capturing) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    rig.pass_time(0.05)
    capturing.start(direction=Direction.TRANSMITTED)
    rig.pass_time(0.05)
    frames = capturing.stop()
    rig.pass_time(0.05)
    rig.target.stop(["north"])
    (counted,) = rig.settled(["north"]).streams
    numbers = [f.sequence or 0 for f in frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[0] > 0
    assert numbers[-1] < counted.tx_packets - 1
    assert counted.rx_packets == counted.tx_packets


def test_the_version_of_frames_is_that_of_their_interval(rig: Rig, capturing: Capturing) -> None:
    plan = rig.load(rig.plan("north"))
    version = plan.streams[0].version
    assert version
    capturing.start(direction=Direction.TRANSMITTED)
    rig.target.start(["north"])
    rig.pass_time(0.02)
    rig.target.snapshot()  # by the copies that have come a switch's clock is known
    flipped = rig.target.flip(["north"])
    rig.pass_time(0.02)
    rig.target.stop(["north"])
    frames = capturing.stop()
    bits = [f.octets[version.bit_offset // 8] >> 7 - version.bit_offset % 8 & 1 for f in frames]
    assert set(bits) == {0, 1}
    assert bits == sorted(bits)
    assert all(f.time_ns < flipped.at_ns for f, bit in zip(frames, bits, strict=True) if not bit)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"filter": "udp port nowhere man"}, "udp port nowhere man"),
        ({"filter": "((("}, "syntax error"),
        ({"filter": "ip" + " or ip" * 2000}, "4096"),
        ({"ports": ("p1", "p9")}, "p9"),
        ({"frames": 0}, "at least 1"),
        ({"frames": 2**31}, "snap length"),
        ({"frames": -1}, "at least 1"),
        ({"snap_length": -1}, "0 .all. or more"),
    ],
    ids=str,
)
def test_what_cannot_be_captured_is_refused(
    rig: Rig, capturing: Capturing, wish: dict[str, object], said: str
) -> None:
    with pytest.raises(PlanError, match=said) as refused:
        capturing.start("odd", **wish)
    assert "odd" in str(refused.value)
    assert not rig.target.snapshot().captures


def test_names_are_unique_and_unknown_ones_are_refused(rig: Rig, capturing: Capturing) -> None:
    capturing.start()
    with pytest.raises(PlanError, match="all"):
        capturing.start()
    with pytest.raises(PlanError, match="not stopped"):
        list(rig.target.captures.read("all"))
    for call in (rig.target.captures.stop, rig.target.captures.forget):
        with pytest.raises(PlanError, match="nobody"):
            call("nobody")
    rig.target.captures.forget("all")
    assert not rig.target.snapshot().captures
    capturing.start()


def test_a_tester_holds_so_many_captures_and_no_more(rig: Rig, capturing: Capturing) -> None:
    for number in range(8):
        capturing.start(f"capture {number}", frames=10)
    with pytest.raises(PlanError, match="ninth"):
        capturing.start("ninth")
    assert len(rig.target.snapshot().captures) == 8
