# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps around a device on every target: `Stamps` of `proto/tester/v1/inline.proto`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.snapshot import StampDirectionCounters, StreamCounters
from TesterLibrary.measurement.stamps import packets_of
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Drop, Event, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stamps import Kept, LoadedPath, StampMode, Stamps
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import Rig

# From p1 a cable to q1, a path to q2, the device, which is a cable, to r1, a path to r2, and a cable to p2.
PORTS = {
    name: f"loop:{cable}" for name, cable in zip(("p1", "q1", "q2", "r1", "r2", "p2"), "xxyyzz", strict=True)
}
FRAMES = 400
MODES = pytest.mark.parametrize("mode", list(StampMode), ids=lambda mode: mode.value)


def stamps(**changes: Any) -> Stamps:
    return Stamps(
        name="load", paths=(LoadedPath("before", "before"), LoadedPath("behind", "behind")), **changes
    )


def planned(rig: Rig, *given: Stamps, job: str = "stamps") -> Plan:
    return compile_job(Job(job, stamps=given), ports=rig.ports, gateways={}, max_streams=1)


@pytest.mark.refused_by("fake", match=r"stamps 'load': a fake tester does not forward .* use a testerd")
@pytest.mark.refused_by("tofino", match=r"stamps 'load': a switch does not forward .* use a testerd")
def test_a_target_stamps_or_refuses_by_name(rig: Rig) -> None:
    if rig.target.capabilities().max_stamps:
        for name, ports in (("before", ("p1", "p2")),):
            path = Path(name, ports)
            rig.load(compile_job(Job(name, paths=(path,)), ports=rig.ports, gateways={}, max_streams=1))
        with pytest.raises(PlanError, match=r'no path "behind" of a job "behind"; load it first'):
            rig.target.load(planned(rig, stamps()))
        return
    rig.load(planned(rig, stamps()))


def test_a_target_without_stamps_has_no_records(rig: Rig) -> None:
    with pytest.raises(PlanError, match=r"use a testerd|no job"):
        list(part_of(rig.target, "stamps").read("stamps", "load", Heading.FORWARD))


class Device:
    """An engine with a path before a device and one behind it; the device is a cable."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    def start(self, *events: Event, **changes: Any) -> None:
        paths = (Path("before", ("q1", "q2")), Path("behind", ("r1", "r2"), events))
        for path in paths:
            plan = compile_job(
                Job(path.name, paths=(path,)), ports=self.rig.ports, gateways={}, max_streams=1
            )
            self.rig.load(plan)
        self.rig.load(planned(self.rig, stamps(**changes)))
        for job in ("stamps", "before", "behind"):
            self.rig.target.start([job])

    def send(
        self, headers: str = "Ether / IP / TCP", *, size: int = 128, back: bool = False
    ) -> StreamCounters:
        ends = ("p2", "p1") if back else ("p1", "p2")
        stream = Stream(
            "north", *ends, FrameSize(size), Rate.parse("50 kpps"), headers=HeaderStack.parse(headers)
        )
        job = compile_job(Job("north", (stream,)), ports=self.rig.ports, gateways={}, max_streams=1)
        self.rig.target.load(job)
        try:
            self.rig.target.start(["north"], packets=FRAMES)
            self.rig.target.wait(["north"], timeout=Duration(10**10))
            return self.rig.settled(["north"]).streams[0]
        finally:
            self.rig.target.unload(["north"])

    @property
    def counters(self) -> tuple[StampDirectionCounters, ...]:
        return self.rig.target.snapshot(["stamps"]).stamped("stamps", "load").directions

    def captured(self, **changes: Any) -> list[CapturedFrame]:
        """The frames that p2 receives while a burst is sent."""
        self.rig.target.captures.start(Capture("seen", ports=("p2",), frames=FRAMES))
        self.send(**changes)
        self.rig.target.captures.stop("seen")
        frames = list(frames_of(self.rig.target.captures.read("seen")))
        self.rig.target.captures.forget("seen")
        return frames


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineProcess]:
    process = EngineProcess.launch(ports=PORTS)
    yield process
    process.stop()


@pytest.fixture
def around(engine: EngineProcess) -> Iterator[Device]:
    device = Device(Rig(engine.target()))
    yield device
    device.rig.clear()


@MODES
@pytest.mark.parametrize(
    "headers",
    [
        "Ether / IP / TCP",
        "Ether / IPv6 / UDP",
        "Ether / Dot1Q(vlan=5) / IP / UDP",
        "Ether / IP / UDP / VXLAN / Ether / IP / TCP",
        "Ether / IP / UDP / GTP_U_Header / IP / UDP",
    ],
)
def test_packets_arrive_as_they_were_sent(around: Device, mode: StampMode, headers: str) -> None:
    around.start(mode=mode, headers=HeaderStack.parse(headers))
    stream = around.send(headers, size=200)
    assert (stream.rx_packets, stream.rx_corrupted, stream.rx_wrong_headers) == (FRAMES, 0, 0)
    there, back = around.counters
    assert (there.heading, there.sent, there.received, there.flows) == ("forward", FRAMES, FRAMES, 1)
    assert (there.unstamped, there.duplicated, there.reordered, there.ambiguous) == (0, 0, 0, 0)
    assert there.delay.count == sum(there.delay.buckets.values()) == FRAMES
    assert there.delay.min_ns <= packets_of(there).delay.mean <= there.delay.max_ns
    assert (back.heading, back.sent, back.unstamped) == ("backward", 0, 0)


@MODES
def test_both_directions_are_stamped(around: Device, mode: StampMode) -> None:
    around.start(mode=mode)
    assert around.send(back=True).rx_packets == FRAMES
    there, back = around.counters
    assert (there.sent, back.sent, back.received) == (0, FRAMES, FRAMES)


@MODES
def test_what_a_device_loses_is_found(around: Device, mode: StampMode) -> None:
    """The device is a cable, so what is lost is what left to it while nobody forwards behind it."""
    around.start(mode=mode, headers=HeaderStack.parse("IP / TCP"))
    around.send()
    around.rig.target.stop(["behind"])
    around.send()
    around.rig.target.start(["behind"])
    assert around.send().rx_packets == FRAMES
    (there, _) = around.counters
    assert (there.sent, there.received) == (3 * FRAMES, 2 * FRAMES)
    flows, intervals = next(part_of(around.rig.target, "stamps").read("stamps", "load", Heading.FORWARD))
    assert [(flow.sent, flow.received) for flow in flows] == [(3 * FRAMES, 2 * FRAMES)]
    chunks = list(part_of(around.rig.target, "stamps").read("stamps", "load", Heading.FORWARD))
    intervals = tuple(interval for _, some in chunks for interval in some)
    assert sum(interval.sent for interval in intervals) == 3 * FRAMES
    assert sum(interval.received for interval in intervals) == 2 * FRAMES
    assert [interval.begin_ns for interval in intervals] == [n * 10**8 for n in range(len(intervals))]


def test_stamps_come_before_the_events_of_the_path_behind(around: Device) -> None:
    """A packet that the tester itself drops there was received."""
    around.start(Event(action=Drop(), every=2))
    assert around.send().rx_packets == FRAMES // 2
    assert around.counters[0].received == FRAMES


def test_a_stamp_that_stays_is_an_option_with_two_times(around: Device) -> None:
    around.start(headers=HeaderStack.parse("IP / TCP"), remove=False, heading=Heading.FORWARD)
    frames = around.captured()
    assert len(frames) == FRAMES
    first = Ether(frames[0].octets)
    assert len(frames[0].octets) == 128 - 4 + 16
    stamp = bytes(first[TCP])[20:36]
    assert (stamp[:2], first[TCP].dataofs) == (b"\x0f\x10", 9)
    left, came = int.from_bytes(stamp[2:8], "big"), int.from_bytes(stamp[10:], "big")
    assert 0 < came - left < 10**9
    for layer in (IP, TCP):
        copy = Ether(frames[0].octets)
        del copy[layer].chksum
        assert Ether(bytes(copy))[layer].chksum == first[layer].chksum


def test_a_packet_that_does_not_fit_passes_as_it_is(around: Device) -> None:
    around.start(headers=HeaderStack.parse("IP / TCP"), mtu=110)
    assert around.send().rx_packets == FRAMES
    (there, _) = around.counters
    assert (there.sent, there.too_long, there.unstamped) == (0, FRAMES, FRAMES)


def test_packets_that_look_alike_are_counted_and_not_guessed(around: Device) -> None:
    """By the identification alone, which is the same in all of them."""
    around.start(mode=StampMode.MATCH, kept=(Kept.IDENTIFICATION,))
    assert around.send().rx_packets == FRAMES
    (there, _) = around.counters
    assert there.sent == there.received == FRAMES
    assert there.delay.count + there.ambiguous <= FRAMES


def test_nothing_is_stamped_after_a_stop(around: Device) -> None:
    around.start(headers=HeaderStack.parse("IP / TCP"))
    around.rig.target.stop(["stamps"])
    assert around.send().rx_packets == FRAMES
    (there, _) = around.counters
    assert (there.sent, there.unstamped) == (0, FRAMES)
    around.rig.target.start(["stamps"])
    around.send()
    assert around.counters[0].received == FRAMES


def test_a_path_has_one_group_of_stamps(around: Device) -> None:
    around.start()
    with pytest.raises(PlanError, match=r'path "before" has the stamps "load" already'):
        around.rig.target.load(planned(around.rig, stamps(), job="more"))


def test_both_paths_are_of_one_worker() -> None:
    process = EngineProcess.launch(ports=PORTS, cpus=(0, 1))
    try:
        rig = Rig(process.target())
        for name, ports in (("before", ("p1", "q2")), ("behind", ("q1", "r1"))):
            path = Path(name, ports)
            rig.load(compile_job(Job(name, paths=(path,)), ports=rig.ports, gateways={}, max_streams=1))
        with pytest.raises(PlanError, match=r"different workers.*one CPU"):
            rig.target.load(planned(rig, stamps()))
    finally:
        process.stop()
