# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.measurement.foreign import Foreign, name_of
from TesterLibrary.measurement.octets import OctetBalance
from TesterLibrary.measurement.order import Order
from TesterLibrary.measurement.snapshot import IcmpErrorCounters, PortCounters, Snapshot
from tests.counted import port_counters, session_statistics, stream_counters


def snapshot(*ports: PortCounters) -> Snapshot:
    return Snapshot(0, ports=ports)


def test_kinds_of_foreign_frames_are_what_came_between_two_snapshots() -> None:
    needed, exceeded = IcmpErrorCounters(4, 3, 4, 7), IcmpErrorCounters(4, 11, 0, 2)
    before = snapshot(
        port_counters("p1"), port_counters("p2", rx_foreign=5, rx_stale=1, rx_icmp_errors=(needed,))
    )
    p2 = port_counters(
        "p2",
        rx_foreign=100,
        rx_stale=31,
        rx_malformed=4,
        rx_fragments=3,
        rx_icmp_errors=(replace(needed, frames=10), exceeded),
    )
    found = Foreign.between(before, snapshot(port_counters("p1", rx_foreign=9), p2), {"p2"})
    assert (found.frames, found.stale, found.malformed, found.fragments) == (95, 30, 4, 3)
    assert found.icmp_errors == (IcmpErrorCounters(4, 3, 4, 3), exceeded)
    assert found.others == 53
    assert str(found) == (
        "30 frames of an earlier trial still arrived (a loop?); "
        "3 ICMP errors arrived: fragmentation needed (ICMP type 3 code 4); "
        "2 ICMP errors arrived: time to live exceeded (ICMP type 11 code 0); "
        "4 malformed frames arrived (wrong length or checksum; transmit offload of a virtual device?); "
        "3 pieces of IP packets arrived without a signature"
    )


def test_one_error_is_no_errors() -> None:
    found = Foreign(1, 0, 0, 0, (IcmpErrorCounters(4, 3, 0, 1),))
    assert str(found) == "1 ICMP error arrived: network unreachable (ICMP type 3 code 0)"


def test_what_is_not_told_apart_is_none() -> None:
    before, after = snapshot(PortCounters("p2")), snapshot(PortCounters("p2", rx_foreign=3))
    assert Foreign.between(before, after, {"p2"}) == Foreign(3, None, None, None, None)
    assert str(Foreign(3, None, None, None, None)) == ""
    assert Foreign(3, None, None, None, None).others == 3


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ((4, 3, 9), "destination unreachable (ICMP type 3 code 9)"),
        ((6, 2, 0), "packet too big (ICMPv6 type 2 code 0)"),
        ((6, 0, 0), "another error (ICMPv6 type 0 code 0)"),
    ],
)
def test_an_icmp_error_has_a_name(kind: tuple[int, int, int], name: str) -> None:
    assert name_of(IcmpErrorCounters(*kind, 1)) == name


def test_damage_is_told_by_its_ways() -> None:
    assert Order(sent=10, received=10).damage == ""
    damaged = Order(sent=10, received=4, corrupted=3, wrong_length=2, fragments=1)
    assert damaged.damage == (
        "3 arrived with another content; 2 arrived with another length; 1 arrived in pieces (IP fragments)"
    )
    assert damaged.lost == 6
    assert damaged.kept is False
    assert str(damaged) == "6 lost, 3 corrupted, 2 with another length, 1 in pieces of 10 frames"


def test_a_frame_that_comes_twice_arrives_once() -> None:
    assert Order(sent=1000, received=1000, duplicated=500).first_arrivals == 500
    assert Order(sent=1000, received=1000, duplicated=None, behind=40).first_arrivals == 960


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"rx_packets": 100, "rx_bytes": 6400}, ""),
        (
            {"rx_packets": 50, "rx_bytes": 3400},
            "frames of north arrived 4 bytes longer than they were sent",
        ),
        (
            {"rx_packets": 100, "rx_bytes": 6240},
            "frames of north arrived 160 bytes shorter in all than they were sent: "
            "40 of 100, if each of them by a tag",
        ),
        (
            {"rx_packets": 100, "rx_bytes": 6401},
            "frames of north arrived 1 bytes longer in all than they were sent",
        ),
        (
            {"rx_packets": 100, "rx_bytes": 2400},
            "frames of north arrived 40 bytes shorter than they were sent",
        ),
    ],
)
def test_bytes_received_are_those_that_were_due(counts: dict[str, int], text: str) -> None:
    counted = stream_counters(tx_packets=100, tx_bytes=6400, **counts)
    balance = OctetBalance.of("north", 64, counted)
    assert balance.text == text
    assert balance.objection == "", "the tester has looked at each length"
    unchecked = OctetBalance.of("north", 64, replace(counted, rx_wrong_length=None))
    assert ("does not check the length" in unchecked.objection) is ("40 bytes" in text)


def test_bytes_of_several_sizes_are_due_together() -> None:
    counted = stream_counters(tx_packets=3, tx_bytes=700, rx_packets=3, rx_bytes=700)
    assert OctetBalance.of("north", 233, counted).due == 700
    assert OctetBalance.of("north", 233, replace(counted, rx_packets=2)).due is None


def test_malformed_frames_are_in_the_line_of_clients() -> None:
    users = session_statistics("users", 10**9, {}, {}, rx_packets=48, malformed=48)
    said = "48 frames were malformed (wrong checksum or length: transmit offload of the device?)"
    assert said in str(users)
    assert users.all_malformed.startswith("all 48 frames that arrived were malformed")
    assert replace(users, rx_packets=49).all_malformed == ""
    assert "malformed" not in str(replace(users, malformed=0))
