# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames leave a device as the job's bursts, messages, gaps and captures say, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet
from scapy.utils import wrpcap

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.departures import CaptureReplay, Messages, PacketTrain, Shape, TimePattern
from TesterLibrary.model.pattern import Burst, Pattern
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.sending import send, send_burst
from tests.dissection import wrong_checksums

from .capture import captured, frames, sequence, stream_id
from .test_pages import examples

MINUTE = Duration(60 * 10**9)
NORTH = Stream("north", "p1", "p2", FrameSize(128), Rate.parse("80 pps"))
CAPTURED = [
    Ether(src="02:aa:00:00:00:01", dst="02:aa:00:00:00:02") / packet
    for packet in (
        IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=5000, dport=6000) / (b"a" * 100),
        IP(src="10.0.0.2", dst="10.0.0.1") / TCP(sport=80, dport=5000, flags="A") / (b"b" * 900),
        Dot1Q(vlan=7) / IP(src="10.0.0.1", dst="10.0.0.3") / ICMP(),
        IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP() / (b"c" * 33),
        IPv6(src="2001:db8::2", dst="2001:db8::1") / ICMPv6EchoRequest(data=b"d" * 64),
    )
]


def sent(
    bed: OpenTestbed, stream: Stream, path: Path, packets: int | None = None
) -> tuple[Trial, list[tuple[int, bytes]]]:
    """The trial, and (time, octets) of each of its frames on the far side."""
    with captured(bed, "p2", path / "out.pcap"):
        trial = send(bed.tester, [stream], packets=packets, timeout=MINUTE)
    number = trial.streams[0].counters.id
    return trial, [(at, frame) for at, frame in frames(path / "out.pcap") if stream_id(frame) == number]


def test_bursts_can_be_seen(bed: OpenTestbed, tmp_path: Path) -> None:
    """Four frames 5 ms apart, then nothing for 35 ms; 20 ms tell them apart."""
    shaped = replace(NORTH, shaping=Pattern.of(Burst(4, Fraction("2.5"))))
    trial, arrived = sent(bed, shaped, tmp_path, 40)
    assert (trial.sent, trial.lost, len(arrived)) == (40, 0, 40)
    pauses = [after - before > 20_000_000 for (before, _), (after, _) in pairwise(arrived)]
    assert pauses == ([False] * 3 + [True]) * 9 + [False] * 3


def test_a_time_pattern_can_be_seen(bed: OpenTestbed, tmp_path: Path) -> None:
    """A square of 100 frames/s for half a second, and nothing for another half."""
    square = TimePattern(Shape.SQUARE, Rate.parse("100 pps"), Duration(10**9))
    _, arrived = sent(bed, replace(NORTH, shaping=square, rate=square.average), tmp_path, 150)
    gaps = [after - before for (before, _), (after, _) in pairwise(arrived)]
    assert [place for place, gap in enumerate(gaps, 1) if gap > 250_000_000] == [50, 100]


def test_a_burst_is_exactly_so_many_frames(bed: OpenTestbed, tmp_path: Path) -> None:
    with captured(bed, "p2", tmp_path / "out.pcap"):
        trial = send_burst(bed.tester, NORTH, packets=1000, timeout=MINUTE)
    assert (trial.sent, trial.received) == (1000, 1000)
    number = trial.streams[0].counters.id
    arrived = [frame for _, frame in frames(tmp_path / "out.pcap") if stream_id(frame) == number]
    assert [sequence(frame) for frame in arrived] == list(range(1000))


def test_messages_are_sent_packet_by_packet(bed: OpenTestbed, tmp_path: Path) -> None:
    messages = Messages(
        (
            PacketTrain(5, Duration(10**6), Duration(20_000), FrameSize(96)),
            PacketTrain(1, Duration(0), frame_size=FrameSize(1518)),
            PacketTrain(3, Duration(50_000)),
        ),
        repeat=True,
    )
    _, arrived = sent(bed, replace(NORTH, shaping=messages, rate=messages.average), tmp_path, 200)
    assert [sequence(frame) for _, frame in arrived] == list(range(200))
    sizes = ([96] * 5 + [1518] + [128] * 3) * 23
    assert [len(frame) + 4 for _, frame in arrived] == sizes[:200]
    assert [wrong_checksums(frame) for _, frame in arrived] == [[]] * 200


@pytest.mark.parametrize("rewrites", [{}, {"10.0.0.1": "198.18.7.1", "2001:db8::1": "2001:2::77"}])
def test_a_capture_leaves_as_it_was_but_for_what_is_rewritten(
    bed: OpenTestbed, tmp_path: Path, rewrites: Mapping[str, str]
) -> None:
    for number, frame in enumerate(CAPTURED):
        frame.time = 1_700_000_000 + number / 1000
    wrpcap(str(tmp_path / "in.pcap"), CAPTURED)
    pairs = tuple((ip_address(old).packed, ip_address(new).packed) for old, new in rewrites.items())
    capture = CaptureReplay(str(tmp_path / "in.pcap"), repetitions=3, rewrites=pairs)
    with captured(bed, "p2", tmp_path / "out.pcap"):
        trial = send(bed.tester, [replace(NORTH, shaping=capture)], packets=None, timeout=MINUTE)
    assert (trial.sent, trial.received) == (15, 15)
    to = ":".join(f"{octet:02x}" for octet in bed.tester.ports["p2"].mac)
    expected = [bytes(_rewritten(frame, to, rewrites)).ljust(60, b"\0") for frame in CAPTURED]
    arrived = [frame for _, frame in frames(tmp_path / "out.pcap") if frame[6:12] == expected[0][6:12]]
    assert arrived == expected * 3


def _rewritten(frame: Packet, to: str, rewrites: Mapping[str, str]) -> Packet:
    """The frame as Scapy builds it anew with other addresses, all checksums included."""
    changed = frame.copy()
    changed[Ether].dst = to
    for layer in (IP, IPv6):
        if layer in changed:
            changed[layer].src = rewrites.get(changed[layer].src, changed[layer].src)
            changed[layer].dst = rewrites.get(changed[layer].dst, changed[layer].dst)
    return changed


@pytest.mark.long
def test_the_examples_of_the_page_about_traffic(tmp_path: Path) -> None:
    for number, frame in enumerate(CAPTURED):
        frame.time = 1_700_000_000 + number / 10
    wrpcap(str(tmp_path / "capture.pcap"), CAPTURED)
    assert examples("traffic.md", tmp_path, f"CAPTURE:{tmp_path / 'capture.pcap'}") == 12
