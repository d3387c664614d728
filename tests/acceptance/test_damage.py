# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a real device sends on in pieces, damaged, or with another length, and what it says of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.methodology.verdicts.judging import loss_below, throughput_above
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.ports import Forwarding
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import FrameSize, Rate, Ratio
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.verdict import Outcome

from .defects import device_that, sent
from .forwarder import HEADERS
from .lab import Lab, users
from .opened import opened
from .robots import quick_or_long

_QUICK = {"UDP length", "EtherType"}


@pytest.fixture
def router(tmp_path: Path) -> Iterator[OpenTestbed]:
    with closing(opened("embedded/l3-router", tmp_path)) as bed:
        yield bed


def north(size: int = 1024, headers: str = "") -> Stream:
    return Stream(
        "north",
        tx="p1",
        rx="p2",
        frame_size=FrameSize(size),
        rate=Rate.parse("2 kpps"),
        headers=HeaderStack.parse(headers) if headers else None,
    )


def _inside(bed: OpenTestbed, *command: str) -> None:
    subprocess.run([*bed.testbed.dut_prefix, *command], check=True)


def test_frames_in_pieces_are_lost(router: OpenTestbed) -> None:
    """The kernel's router, with an MTU of 600 bytes behind it."""
    _inside(router, "ip", "link", "set", "p2", "mtu", "600")
    trial = sent(router, north(), 4000)
    assert (trial.sent, trial.received, trial.lost) == (4000, 0, 4000)
    (stream,) = trial.streams
    assert stream.counters.rx_fragments == 4000
    assert trial.foreign.fragments == 4000
    verdict = loss_below([trial], Ratio.parse("0"))
    assert verdict.outcome is Outcome.FAIL
    assert "4,000 arrived in pieces" in str(verdict)
    assert "4,000 arrived in pieces" in str(trial)
    assert throughput_above(trial, Rate.parse("1 kpps")).outcome is Outcome.FAIL


def test_a_router_that_may_not_cut_says_so(router: OpenTestbed) -> None:
    _inside(router, "ip", "link", "set", "p2", "mtu", "600")
    _inside(router, "sysctl", "-q", "-w", "net.ipv4.icmp_ratelimit=0", "net.ipv4.icmp_msgs_per_sec=100000")
    trial = sent(router, north(headers="Ether / IP(flags='DF') / UDP"), 200)
    assert trial.lost == 200
    assert trial.order.misrouted == 0
    assert "ICMP errors arrived: fragmentation needed (ICMP type 3 code 4)" in str(trial)


def test_each_way_of_damage_is_told_apart(bed: OpenTestbed) -> None:
    with device_that(bed, corrupt_every=100, shorten_every=150, lengthen_every=250):
        trial = sent(bed, north(128), 2000)
    order = trial.order
    assert (trial.sent, order.corrupted, order.wrong_length, order.fragments) == (2000, 20, 10, 0)
    assert (order.lost, order.duplicated, order.reordered) == (30, 0, 0)
    text = str(loss_below([trial], Ratio.parse("0")))
    assert "20 arrived with another content" in text
    assert "10 arrived with another length" in text


# Each part is found by tests/contract/test_forged.py, which forges the frames itself.
@pytest.mark.parametrize("part", [quick_or_long(part, long=part not in _QUICK) for part in HEADERS])
def test_a_bridge_leaves_headers_as_they_are(bed: OpenTestbed, part: str) -> None:
    with device_that(bed, headers_every=10, part=part):
        trial = sent(bed, north(128), 2000)  # in a second: one that is 10 ms late at its end is judged
    assert (trial.sent, trial.lost, trial.order.wrong_headers) == (2000, 200, 200)
    verdict = loss_below([trial], Ratio.parse("0"))
    assert verdict.outcome is Outcome.FAIL
    assert "200 arrived with headers that are not those that were sent (" in str(verdict)
    assert part.partition(" without")[0] in str(verdict)


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        pytest.param("ip daddr set 198.19.1.77", "IP addresses", marks=pytest.mark.long),
        ("udp dport set 77", "UDP ports"),
        pytest.param("udp checksum set 0x1234", "UDP checksum", marks=pytest.mark.long),
        ("ip checksum set 0x1234", "IPv4 checksum"),
        pytest.param("ip ttl set 0", "TTL or hop limit", marks=pytest.mark.long),
        pytest.param("ip dscp set cs5", "", marks=pytest.mark.long),
        pytest.param("ether saddr set 02:00:00:00:00:77", "", marks=pytest.mark.long),
        ("ip ttl set 7", ""),
    ],
)
def test_a_router_changes_what_routers_change(router: OpenTestbed, statement: str, part: str) -> None:
    """Frames on their way out of the kernel's router, as nftables change them."""
    rule = f"table netdev d {{ chain out {{ type filter hook egress device p2 priority 0; {statement}; }}; }}"
    if statement.startswith("ether"):
        rule = rule.replace(statement, f"ip protocol udp {statement}")
    _inside(router, "nft", rule)
    trial = sent(router, north(128), 200)
    lost = 200 if part else 0
    assert (trial.sent, trial.lost, trial.order.wrong_headers) == (200, lost, lost)
    assert trial.order.wrong_header_parts == ((part,) if part else ())


def test_a_translator_changes_addresses(router: OpenTestbed) -> None:
    _inside(
        router, "nft", "table ip nat { chain o { type nat hook postrouting priority 100; masquerade; }; }"
    )
    trial = sent(router, replace(north(128), forwarding=Forwarding.TRANSLATED), 200)
    assert (trial.sent, trial.lost, trial.order.damage) == (200, 0, "")
    trial = sent(router, north(128), 200)
    assert (trial.lost, trial.order.wrong_header_parts) == (200, ("IP addresses",))


def test_a_tagged_frame_is_what_was_sent(bed: OpenTestbed) -> None:
    """Tags are the device's to change."""
    with device_that(bed, tag=7):
        trial = sent(bed, north(64), 1000)
    assert (trial.received, trial.lost, trial.order.damage) == (1000, 0, "")
    assert "frames of north arrived 4 bytes longer than they were sent" in str(trial)


@pytest.mark.long
def test_clients_name_malformed_answers(lab: Lab) -> None:
    """A veth device leaves checksums to hardware that it has not; nobody but its own peer kernel knows."""
    listener = "import socket; s = socket.create_server(('', 8080)); [s.accept() for _ in range(99)]"
    process = lab.begin(sys.executable, "-c", listener)
    try:
        lab.await_listening(8080)
        lab.run("ethtool", "-K", "p1", "tx", "on")
        lab.start(users(8080, rate=Frequency.parse("20/s"), parameters={"requests": 1}))
        counted = lab.until("users", lambda s: (s.malformed or 0) >= 20, seconds=20)
    finally:
        process.kill()
        process.wait()
    assert counted.established == 0
    assert "frames were malformed (wrong checksum or length: transmit offload of the device?)" in str(counted)
