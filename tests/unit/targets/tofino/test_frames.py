# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames as they leave a fake switch: their bytes, and when."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pytest
from scapy.layers.inet import TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, Mode, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake import Bridge
from TesterLibrary.targets.tofino.session.program import Program

from .rig import FOLDER, Bench, cabling

HEADERS = {
    "IPv4 and UDP": None,
    "a VLAN tag": "Ether / Dot1Q(vlan=7) / IP / UDP",
    "IPv6 and UDP": "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / UDP",
    "IPv4 and TCP": "Ether / IP / TCP(flags=A)",
    "IPv6 and TCP": "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / TCP(flags=A)",
}


class Tap(Bridge):
    """Keeps the frames that leave."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[tuple[int, bytes]] = []

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        self.frames.append((now_ns, frame))
        return super().forward(port, frame, now_ns, others)


def plan_of(rate: str, frame_size: int, **changes: Any) -> Plan:
    """A job of one stream."""
    stream = Stream("north", "p1", "p2", FrameSize(frame_size), Rate.parse(rate), **changes)
    ports = {port.port.name: port.port for port in cabling().front}
    return compile_job(Job("job", (stream,)), ports=ports, gateways={}, max_streams=9, first_id=1)


def sent(duration: Duration, rate: str, frame_size: int, **changes: Any) -> list[tuple[int, bytes]]:
    """Runs a stream of a port for so long; when each frame left, and its bytes without FCS."""
    return run(plan_of(rate, frame_size, **changes), duration)


def run(plan: Plan, duration: Duration) -> list[tuple[int, bytes]]:
    """The same of a plan."""
    tap = Tap()
    tester = Bench(wire=tap)
    target = TofinoTarget(
        tester.session(), Program.load(FOLDER), now_ns=lambda: tester.clock.now_ns, sleep=tester.clock.sleep
    )
    target.load(plan)
    tap.frames.clear()
    target.start(["job"], duration=duration)
    target.wait(["job"], timeout=Duration(60 * 10**9))
    return tap.frames


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS.keys())
@pytest.mark.parametrize("frame_size", [128, 129, 1518])
def test_checksums_are_right(headers: str | None, frame_size: int) -> None:
    changes: dict[str, Any] = {} if headers is None else {"headers": HeaderStack.parse(headers)}
    frames = sent(Duration(10**7), "1 kpps", frame_size, **changes)
    assert len(frames) == 10
    for _, octets in frames:
        frame: Packet = Ether(octets)
        layer = frame[TCP] if TCP in frame else frame[UDP]
        found = layer.chksum
        del layer.chksum
        assert Ether(bytes(frame))[type(layer)].chksum == found


ARP = "Ether / ARP(op=1, psrc=198.18.0.2, pdst=198.18.0.9)"


@pytest.mark.parametrize(
    ("headers", "field", "mode"),
    [
        (ARP, "ARP.psrc", Sweep("198.18.0.254", "198.18.1.20")),
        (ARP, "ARP.pdst", FieldValues(("10.0.0.9", "10.255.0.1", "1.2.3.4"))),
        ("Ether / Dot1Q(vlan=7) / ARP(op=2)", "ARP.pdst", Sweep("10.0.0.9", "10.0.0.1", "-2")),
        ("Ether / IP / TCP", "IP.ttl", Sweep("255", "1", "-2")),
        ("Ether / IP / UDP", "IP.tos", FieldValues(("0", "184", "72"))),
        ("Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / UDP", "IPv6.hlim", Sweep("250", count=6)),
        (
            "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / UDP",
            "IPv6.dst",
            Sweep("2001:db8::fff0", count=40),
        ),
        (
            "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / TCP",
            "IPv6.src",
            FieldValues(("2001:db8::ffff:7", "2001:db8::9")),
        ),
        ("Ether / IP / UDP", "Ether.dst", Sweep("02:00:00:00:ff:fe", count=7)),
        ("Ether / ARP(op=2)", "Ether.src", FieldValues(("02:01:ff:00:00:01", "02:01:00:00:00:ff"))),
        ("Ether / Dot1Q(vlan=7, prio=5) / IP / UDP", "Dot1Q.vlan", Sweep("4090", "4000", "-3")),
        ("Ether / Dot1Q(vlan=7, prio=5) / IP / UDP", "Dot1Q.vlan", FieldValues(("5", "1", "17"))),
    ],
)
def test_frames_have_the_fields_that_are_planned(headers: str, field: str, mode: Mode) -> None:
    """Byte by byte what plan.proto says frame k is, checksums included."""
    plan = plan_of(
        "1 kpps",
        128,
        headers=HeaderStack.parse(headers),
        signature=False,
        editors=(Editor(FieldPath.parse(field), mode),),
    )
    expected = FlowSpace.of(plan.streams[0])
    frames = [octets for _, octets in run(plan, Duration(3 * 10**7))]
    assert frames == [expected.frame(number) for number in range(30)]


@pytest.mark.parametrize("rate", [150, 200, 250, 777, 900, 1000, 5000])
def test_frames_of_a_slow_stream_leave_when_they_are_due(rate: int) -> None:
    """However short the trial, its rate is the one asked for, but for a few frames."""
    times = [at_ns for at_ns, _ in sent(Duration(2 * 10**9), f"{rate} pps", 128)]
    assert len(times) == 2 * rate
    early = [number - (at_ns - times[0]) * rate / 10**9 for number, at_ns in enumerate(times)]
    assert min(early) > -1
    assert max(early) < 4


@pytest.mark.parametrize(("rate", "limit"), [(50, 0.001), (150, 0.001), (200, 0.001), (250, 0.03)])
def test_a_short_trial_of_a_slow_stream_has_the_rate_that_was_asked_for(rate: int, limit: float) -> None:
    """Over 200 ms, from the first frame to the last, 50 pps were 62 and 200 pps were 210."""
    times = [at_ns for at_ns, _ in sent(Duration(2 * 10**8), f"{rate} pps", 128)]
    assert len(times) == rate // 5
    assert (len(times) - 1) * 10**9 / (times[-1] - times[0]) == pytest.approx(rate, rel=limit)
