# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames at random on the fake switch of paths and on its program: bytes and numbers are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Corrupt, Drop, Event, Mark, PacketAction
from tests.contract.path_rig import SwitchPathRig, on_wire, plan, segment

from .path_pipelines import runs_paths
from .program import P4Program

_HEADERS = ("IP / TCP", "IP / TCP(dport=80)", "Dot1Q / IP / TCP", "IP / UDP", "IP(src=10.0.0.1) / UDP")
_PORTS = (4000, 4001)
_AGAIN = Event(action=Drop(), number=1, flow=1, headers=HeaderStack.parse("IP / TCP"), data_only=True)
_TRACE = Capture("trace", traced=TracedPath("wan", "wan"))


def _events(draw: Random) -> Iterator[Event]:
    """Events that a switch has, a few of each flow and direction."""
    headers = HeaderStack.parse(draw.choice(_HEADERS))
    for flow in (1, 2):
        data_only = draw.random() < 0.5
        for heading in draw.choice(((Heading.BOTH,), (Heading.FORWARD, Heading.BACKWARD))):
            event = Event(
                action=Drop(), number=1, flow=flow, headers=headers, heading=heading, data_only=data_only
            )
            for number in draw.sample(range(1, 9), 4):
                for iteration in draw.sample(range(1, 4), 2):
                    action: PacketAction = draw.choice((Drop(), Mark(), Corrupt(bit=draw.randrange(32))))
                    yield replace(event, action=action, number=number, iteration=iteration)


def _packet(draw: Random, *, back: bool) -> Packet:
    """A packet of a few flows, whose sequence numbers come again and again."""
    ends, sport, dport = ("10.0.0.1", "10.0.0.2"), draw.choice(_PORTS), 80
    if back != (draw.random() < 0.1):  # some come from the wrong side
        ends, sport, dport = ends[::-1], dport, sport
    payload = Raw(bytes(draw.choice((0, 0, 3, 4, 100))))
    if draw.random() < 0.3:
        return IP(src=ends[0], dst=ends[1]) / UDP(sport=sport, dport=dport) / payload
    options = draw.choice(([], [("NOP", None)] * 4, [("NOP", None)] * 12))
    sequence = (0xFFFFFF00 + 100 * draw.randrange(8)) % (1 << 32)
    flags = draw.choice(("A", "PA", "PA", "S", "SA", "FA"))
    tcp = TCP(sport=sport, dport=dport, flags=flags, seq=sequence, options=options)
    network = IPv6() if draw.random() < 0.05 else IP(src=ends[0], dst=ends[1], frag=draw.choice((0, 0, 0, 7)))
    return network / tcp / payload


def _frame(draw: Random, *, back: bool) -> bytes:
    frame = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    if draw.random() < 0.3:
        frame /= Dot1Q(vlan=draw.choice((5, 6)))
    octets = bytearray(bytes(frame / _packet(draw, back=back)).ljust(60, b"\0"))
    if draw.random() < 0.1:  # damaged on its way
        at = draw.randrange(len(octets))
        octets[at] ^= 1 << draw.randrange(8)
    return bytes(octets[: draw.choice((len(octets), len(octets), len(octets), 60))])


def _pass_by(rig: SwitchPathRig, frame: bytes) -> None:
    """A frame arrives at a port of no path."""
    rig.daemon.running.chip.arrive(rig.session.numbers["p3"], frame, rig.now_ns)
    assert not rig.hosts.arrived


def _numbers(rig: SwitchPathRig) -> dict[str, Any]:
    return {"counters": rig.target.snapshot().paths, **rig.daemon.running.store.numbers()}


def _traced(rig: SwitchPathRig) -> list[CapturedFrame]:
    """The frames of a trace, whose times depend on when they have come."""
    assert rig.target.captures.stop("trace").counters.dropped == 0
    return [replace(frame, time_ns=0) for frame in frames_of(rig.target.captures.read("trace"))]


def _happened(rig: SwitchPathRig) -> None:
    """Frames at random are no test of events that none of them meets."""
    path = rig.target.snapshot().path("wan", "wan")
    assert sum(event.fired for event in path.events) >= 1
    assert all(direction.received for direction in path.directions)


@pytest.mark.parametrize("seed", range(12))
def test_frames_do_the_same_on_both(paths: P4Program, seed: int) -> None:
    draw = Random(seed)
    events = tuple(_events(draw))
    rigs = SwitchPathRig(), SwitchPathRig(runs_paths(paths))
    for rig in rigs:
        rig.target.load(plan(rig, *events))
        if seed % 2:
            rig.target.captures.start(_TRACE)
        rig.target.start(["wan"])
    for _ in range(250):
        back = draw.random() < 0.3
        frame = _frame(draw, back=back)
        found, expected = (rig.pass_frames([frame], back=back) for rig in rigs)
        assert found == expected, frame.hex()
    for rig in rigs:
        rig.hosts.arrived.clear()
        _pass_by(rig, frame)
    found_numbers, expected_numbers = map(_numbers, rigs)
    assert found_numbers == expected_numbers
    if seed % 2:
        found_trace, expected_trace = map(_traced, rigs)
        assert found_trace == expected_trace
    _happened(rigs[0])


def test_segments_that_come_again_do_the_same_on_both(paths: P4Program) -> None:
    """Events of later transmissions have their packets here, and a flow shares the place of another one."""
    draw = Random(0)
    events = [
        replace(
            _AGAIN, action=draw.choice((Drop(), Mark(), Corrupt(bit=3))), number=number, iteration=iteration
        )
        for number in range(1, 5)
        for iteration in (2, 3, 4)
    ]
    rigs = SwitchPathRig(), SwitchPathRig(runs_paths(paths))
    for rig in rigs:
        rig.target.load(plan(rig, *events))
        rig.target.start(["wan"])
    sharing = IP(src="10.0.102.39", dst="10.0.0.2") / TCP(sport=4001, dport=80, flags="A")  # with the CRC-16
    again = draw.sample(range(1, 6), counts=[4] * 5, k=20)
    frames = [segment(number) for number in (1, 2, 3, 4, *again)]
    for frame in (*frames, on_wire(sharing)):
        found, expected = (rig.pass_frames([frame]) for rig in rigs)
        assert found == expected, frame.hex()
    found_numbers, expected_numbers = map(_numbers, rigs)
    assert found_numbers == expected_numbers
    path = rigs[0].target.snapshot().path("wan", "wan")
    assert path.untracked == 1
    assert all(event.fired for event in path.events)


def test_flows_that_share_a_place_do_the_same_on_both(paths: P4Program) -> None:
    """Only the upper halves of their checks differ."""
    rigs = SwitchPathRig(), SwitchPathRig(runs_paths(paths))
    ends = ("10.0.0.1", "10.0.0.2"), ("10.108.101.17", "10.0.143.2")
    frames = [on_wire(IP(src=source, dst=target) / TCP(sport=4000, dport=80)) for source, target in ends]
    for rig in rigs:
        rig.target.load(plan(rig, _AGAIN))
        rig.target.start(["wan"])
        rig.pass_frames(frames)
        path = rig.target.snapshot().path("wan", "wan")
        assert (path.flows, path.untracked) == (1, 1)
    found_numbers, expected_numbers = map(_numbers, rigs)
    assert found_numbers == expected_numbers
