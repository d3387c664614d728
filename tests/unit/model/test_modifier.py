# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from ipaddress import ip_address, ip_interface

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.rip import RIP, RIPEntry
from scapy.layers.snmp import SNMP

from TesterLibrary.errors import PlanError
from TesterLibrary.model.modifier import Modifier, Modifiers
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, FrameSize

PORT = Port("p1", Bandwidth(10**9), bytes(6), 1518, ip_interface("198.18.1.2/16"), ip_address("198.18.1.1"))
ALL = Modifiers(tuple(Modifier))


def beside(*chosen: Modifier, port: Port = PORT, frames: int = 1000) -> list[Stream]:
    return list(Modifiers(chosen).beside(port, Fraction(frames)))


def test_one_frame_of_a_hundred_goes_to_all() -> None:
    (broadcast,) = beside(Modifier.BROADCAST)
    assert (broadcast.rate.value, str(broadcast.frame_size)) == (10, "64 bytes")
    assert "ff:ff:ff:ff:ff:ff" in str(broadcast.headers)


@given(st.integers(64, 1518))
def test_the_frames_and_one_broadcast_of_a_hundred_are_the_load(size: int) -> None:
    part = Modifiers((Modifier.BROADCAST,)).part_of(Stream("north", "p1", "p2", frame_size=FrameSize(size)))
    frames = part * PORT.speed.frames_per_second(size)
    assert frames * (size + 20) * 8 + frames / 100 * 84 * 8 == PORT.speed.bps


def test_the_query_asks_the_gateway_for_its_uptime() -> None:
    (query,) = beside(Modifier.MANAGEMENT)
    assert "198.18.1.1" in str(query.headers)
    asked = SNMP(query.payload.data)
    assert asked.community.val == b"public"
    assert [binding.oid.val for binding in asked.PDU.varbindlist] == ["1.3.6.1.2.1.1.3.0"]
    assert bytes(asked) == query.payload.data
    assert len(query.payload.data) + 46 == query.frame_size.mean


def test_the_update_has_routes_to_other_networks() -> None:
    (update,) = beside(Modifier.ROUTING)
    read = RIP(update.payload.data)
    assert (read.cmd, read.version) == (2, 2)
    entries = [entry for entry in read.iterpayloads() if isinstance(entry, RIPEntry)]
    assert [(entry.addr, entry.metric) for entry in entries[:2]] == [("10.240.0.0", 1), ("10.240.1.0", 1)]
    assert len(entries) == 25


def test_filters_send_nothing() -> None:
    assert beside(Modifier.FILTERS) == []
    assert not Modifiers((Modifier.FILTERS,)).sends
    assert str(ALL) == (
        "1 % broadcast frames, a management query each second, routing updates, filters in the device"
    )


def test_what_has_no_sense_is_refused() -> None:
    bridged = Port("p1", Bandwidth(10**9), bytes(6), 1518, ip_interface("198.18.1.2/16"))
    with pytest.raises(PlanError, match="port 'p1' has no gateway that could be asked for its uptime; give"):
        beside(Modifier.MANAGEMENT, port=bridged)
    ipv6 = Port("p1", Bandwidth(10**9), bytes(6), 1518, ip_interface("2001:2::2/64"), ip_address("2001:2::1"))
    with pytest.raises(PlanError, match="the management query is sent over IPv4, and 2001:2::1 is IPv6"):
        beside(Modifier.MANAGEMENT, port=ipv6)
    with pytest.raises(PlanError, match="the modifier broadcast is sent over IPv4, and port 'p1' has 2001"):
        beside(Modifier.BROADCAST, port=ipv6)
