# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as the program of a switch has them, and what it refuses by name."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import Impairment, PathDelay
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
    Part,
    Path,
    Reorder,
    Reset,
    Rewrite,
    Truncate,
)
from TesterLibrary.model.plan.planned_path import PlannedPath
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.p4 import sources
from TesterLibrary.planning.inline import plan_path
from TesterLibrary.planning.switch import inline
from TesterLibrary.planning.switch.inline import FollowedFlow, SwitchPath, switch_path

PORTS = {name: Port(name, Bandwidth(10**9), bytes(6), 1518) for name in ("p1", "p2")}
TCP = HeaderStack.parse("IP / TCP")
ROCE = HeaderStack.parse("IP / UDP(dport=4791) / BTH")
EVENT = Event(action=Drop(), number=3, flow=1, headers=TCP, heading=Heading.FORWARD, data_only=True)
MS = Duration(10**6)


def planned(*events: Event, impaired: tuple[Impairment, ...] = ()) -> PlannedPath:
    return plan_path(Path("wan", ("p1", "p2"), events, 16, impaired), 0, 1, ports=PORTS)


def switched(*events: Event) -> SwitchPath:
    return switch_path(planned(*events))


def watch(headers: str) -> Any:
    return switched(replace(EVENT, headers=HeaderStack.parse(headers))).watch


def test_a_direction_has_a_place_and_a_slot_for_each_packet_that_is_sent_again() -> None:
    path = switched(EVENT, replace(EVENT, iteration=2), replace(EVENT, number=5, iteration=3))
    assert path.followed == (FollowedFlow(1, 0, 1, 0, 0),)
    found = {(p.event, p.number, p.iteration, p.slot) for p in path.packets}
    assert found == {(0, 3, 1, 1), (1, 3, 2, 1), (None, 5, 1, 2), (2, 5, 3, 2)}
    assert len(path.packets) == 2 * len(found)  # with payload and without


def test_both_directions_have_a_place_each_and_one_tally() -> None:
    path = switched(replace(EVENT, heading=Heading.BOTH, data_only=False))
    assert {(f.direction, f.data, f.place, f.tally) for f in path.followed} == {
        (0, 0, 0, 0),
        (0, 1, 0, 0),
        (1, 0, 1, 0),
        (1, 1, 1, 0),
    }


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ("IP / TCP", {"vlan_valid": (0, 1), "tcp_valid": (1, 1), "ipv4_proto": (6, 255)}),
        ("Ether / IP / UDP(dport=53)", {"udp_valid": (1, 1), "udp_dport": (53, 0xFFFF)}),
        ("Dot1Q(vlan=5) / IP / TCP", {"vlan_valid": (1, 1), "vlan": (5, 0xFFF)}),
        ("Dot1Q / IP(src=10.0.0.1) / TCP", {"vlan_valid": (1, 1), "ipv4_src": (0x0A000001, 0xFFFFFFFF)}),
    ],
)
def test_headers_are_the_keys_of_a_table(headers: str, key: dict[str, tuple[int, int]]) -> None:
    assert key.items() <= watch(headers).items()


@pytest.mark.parametrize("headers", ["IP", "IPv6 / TCP", "IP / ICMP", "Dot1AD / IP / TCP", "IP(proto=6)"])
def test_headers_whose_flows_a_switch_does_not_number_are_refused(headers: str) -> None:
    with pytest.raises(PlanError, match=r"path 'wan': event '1: .*': a switch numbers flows of TCP and UDP"):
        watch(headers)


def test_an_event_without_headers_is_refused() -> None:
    with pytest.raises(PlanError, match="it has to see no others; give headers=IP / TCP"):
        switched(replace(EVENT, headers=None))


@pytest.mark.parametrize("headers", ["IP(ttl=9) / TCP", "Ether(dst='02:00:00:00:00:09') / IP / TCP"])
def test_other_fields_are_refused(headers: str) -> None:
    with pytest.raises(PlanError, match=r"a switch compares vlan of Dot1Q, .* in byte \d+ of the frame"):
        watch(headers)


@pytest.mark.parametrize(
    ("action", "named"),
    [
        (Delay(delay=MS), "delay"),
        (Reorder(packets=3, limit=MS), "reorder"),
        (Rewrite(field=FieldPath("IP", "ttl"), value="1"), "rewrite"),
        (Blackhole(duration=MS), "blackhole"),
        (LinkDown(duration=Duration(10**9)), "link down"),
        (Reset(), "reset"),
        (Duplicate(), "duplicate"),
        (Truncate(64), "truncate"),
    ],
)
def test_other_actions_are_refused(action: PacketAction, named: str) -> None:
    with pytest.raises(PlanError, match=rf"drops, marks and corrupts single packets, and has no {named};"):
        switched(replace(EVENT, action=action))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"number": None, "every": 3}, "selects packets by their number, not by every=3"),
        ({"number": None, "ratio": Ratio(Fraction(1, 4))}, "selects packets by their number, not by a ratio"),
        ({"number": None, "byte": 0}, "selects packets by their number, not by a byte"),
        ({"number": None, "sequence": 0}, "selects packets by their number, not by a sequence number"),
        ({"number": None, "pattern": (True,)}, "selects packets by their number, not by a pattern"),
        ({"flow": None}, "numbers the packets of each flow, not of all together; give flow"),
        ({"flow": 65_535}, "counts up to flow=65,534, and flow is 65,535"),
        ({"number": 1 << 32}, "counts up to number=4,294,967,295"),
        ({"iteration": 256}, "counts up to iteration=255, and iteration is 256"),
        (
            {"iteration": 2, "headers": ROCE},
            "knows a packet of TCP again when it is sent again, and none of UDP",
        ),
        ({"headers": ROCE}, "takes acknowledgements of RoCEv2 for data packets"),
        ({"action": Corrupt(bit=32)}, "inverts bits 0 to 31 of a payload, not bit 32 of payload"),
        ({"action": Corrupt(part=Part.NETWORK)}, "inverts bits 0 to 31 of a payload, not bit 0 of network"),
        ({"action": Corrupt(checksum=ChecksumPolicy.REPAIR)}, "keeps the checksum of what it corrupts"),
    ],
)
def test_what_the_program_has_not_is_refused_by_name(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(PlanError, match=rf"path 'wan': event '1: .*': a switch {why}.*use a testerd"):
        switched(replace(EVENT, **changes))


def test_impairments_are_refused() -> None:
    path = planned(impaired=(Impairment(delay=PathDelay(mean=MS), heading=Heading.BACKWARD),))
    with pytest.raises(PlanError, match="holds no packets, so it impairs none of direction backward"):
        switch_path(path)


def test_flows_are_numbered_among_one_kind_of_headers() -> None:
    with pytest.raises(PlanError, match="look at 2 different headers, and a switch numbers the flows of 1"):
        switched(EVENT, replace(EVENT, number=4, headers=HeaderStack.parse("IP / UDP")))


def test_one_thing_happens_to_a_packet() -> None:
    with pytest.raises(PlanError, match="are about the same transmission, and a switch does one thing to it"):
        switched(replace(EVENT, action=Mark()), replace(EVENT, action=Corrupt()))


@pytest.mark.parametrize("changes", [{"heading": Heading.BOTH}, {"data_only": False}])
def test_a_packet_is_counted_once(changes: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=r"data packets of flow 1 forward and about .* counts each packet"):
        switched(EVENT, replace(EVENT, number=4, **changes))


def test_four_packets_of_a_direction_are_known_again() -> None:
    events = [replace(EVENT, number=number, iteration=2) for number in range(1, 6)]
    assert len(switched(*events[:4]).packets) == 16
    with pytest.raises(PlanError, match="of data packets of flow 1 forward 4 are known again"):
        switched(*events)


def test_a_thousand_events_fit_and_four_thousand_do_not() -> None:
    events = [replace(EVENT, number=number) for number in range(1, 4097)]
    assert switched(*events[:1000]).capacity()[2].needed == 2000
    with pytest.raises(
        PlanError, match="entries of first transmissions: 8,192 needed, 4,096 there, 4,096 too many"
    ):
        switched(*events)


def test_flows_run_out_by_name() -> None:
    events = [replace(EVENT, flow=flow) for flow in range(1, 1026)]
    with pytest.raises(PlanError, match="followed directions of flows: 1,025 needed, 1,024 there"):
        switched(*events)


def test_sizes_of_the_program_are_the_planners() -> None:
    text = (sources.root() / "include" / "path_sizes.p4").read_text(encoding="utf-8")
    sizes = {
        words[2]: int(words[4].rstrip(";"))
        for line in text.splitlines()
        if (words := line.split())[:1] == ["const"]
    }
    for name in ("FOLLOWED", "FOLLOWED_FLOWS", "EVENTS", "TRANSMISSIONS"):
        assert sizes[name] == getattr(inline, name)
    assert sizes["PATH_PORTS"] // 6 == inline.PATHS
    pipeline = (sources.root() / "path_pipeline.p4").read_text(encoding="utf-8")
    assert pipeline.count("    PathTransmission() ") == inline.SLOTS
