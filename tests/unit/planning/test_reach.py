# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_interface

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import FieldValues, RandomField, RandomPrefix, Sweep
from TesterLibrary.model.plan.edit import RandomBits
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.planning.reach import possible

from .bench import MAC1, MAC2, ROUTED, ROUTED6, compiled, stream
from .edits import edited, editor


def answered(plan: Plan, port: str) -> list[str]:
    return [str(n.address) for n in plan.neighbours if n.port == port]


def test_the_tester_answers_for_the_addresses_in_its_frames() -> None:
    plan = compiled(edited("Ether / IP / UDP", editor("IP.dst", Sweep("198.18.0.9", "198.18.0.11"))))
    assert answered(plan, "p1") == ["198.18.0.2"]
    assert answered(plan, "p2") == ["198.18.0.3", "198.18.0.9", "198.18.0.10", "198.18.0.11"]
    assert {n.mac for n in plan.neighbours if n.port == "p2"} == {MAC2}


def test_it_answers_only_where_it_is_asked() -> None:
    """Devices ask for addresses of the networks they are in; and for no group."""
    values = FieldValues(("198.19.1.9", "198.19.2.9", "224.0.0.5"))
    plan = compiled(edited("Ether / IP / UDP", editor("IP.dst", values)), ports=ROUTED)
    assert answered(plan, "p2") == ["198.19.1.2", "198.19.1.9"]


def test_it_never_answers_for_the_device_or_the_whole_network() -> None:
    """A device that probes its own address (RFC 5227, RFC 4862) has to get no answer."""
    sweep = edited("Ether / IP / UDP", editor("IP.src", Sweep("198.18.1.0", "198.18.1.255")))
    plan = compiled(sweep, ports=ROUTED)
    hosts = [f"198.18.1.{n}" for n in range(3, 255)]
    assert answered(plan, "p1") == ["198.18.1.2", *hosts]
    assert plan.remarks == (
        "port p1 does not answer ARP or neighbour discovery for 198.18.1.0 (network address), 198.18.1.1 "
        "(gateway of p1), 198.18.1.255 (broadcast address)",
    )
    back = edited("Ether / IP / UDP", editor("IP.dst", Sweep("198.19.1.1", "198.19.1.3")))
    assert answered(compiled(back, ports=ROUTED), "p2") == ["198.19.1.2", "198.19.1.3"]
    sixth = edited("Ether / IPv6 / UDP", editor("IPv6.src", Sweep("2001:2:0:1::", "2001:2:0:1::3")))
    plan = compiled(sixth, ports=ROUTED6)
    assert answered(plan, "p1") == ["2001:2:0:1::2", "2001:2:0:1::3"]
    assert "2001:2:0:1:: (subnet-router anycast address), 2001:2:0:1::1 (gateway of p1)" in plan.remarks[0]


def test_it_never_answers_for_the_gateway_as_a_fixed_source() -> None:
    plan = compiled(edited('Ether / IP(src="198.18.1.1") / UDP'), ports=ROUTED)
    assert answered(plan, "p1") == ["198.18.1.2"]


def test_both_addresses_of_a_point_to_point_network_are_hosts() -> None:
    ports = ROUTED | {"p1": replace(ROUTED["p1"], address=ip_interface("198.18.1.1/31"), gateway=None)}
    plan = compiled(edited('Ether / IP(src="198.18.1.0") / UDP'), ports=ports)
    assert (answered(plan, "p1"), plan.remarks) == (["198.18.1.1", "198.18.1.0"], ())


def test_it_answers_for_what_the_headers_say() -> None:
    plan = compiled(edited("Ether / Dot1Q / IPv6(src=2001:2::77) / UDP"))
    assert answered(plan, "p1") == ["198.18.0.2", "2001:2::77"]


def test_of_too_many_addresses_it_answers_for_none() -> None:
    inner = "Ether / IP / UDP / VXLAN / Ether / IP / UDP"
    plan = compiled(edited(inner, editor("IP.src", RandomPrefix.parse("198.18.0.0/19"))))
    assert answered(plan, "p1") == ["198.18.0.2"]
    plan = compiled(edited(inner, editor("IP.src", RandomPrefix.parse("10.1.0.0/20"))))
    assert len(answered(plan, "p1")) == 4097
    plan = compiled(edited(inner, editor("IP[2].src", RandomPrefix.parse("10.1.0.0/30"))))
    assert answered(plan, "p1") == ["198.18.0.2"]


@pytest.mark.parametrize(
    ("text", "values", "ports"),
    [
        ("Ether / IP / UDP", Sweep("198.19.0.0", "198.19.31.255"), ROUTED),
        ("Ether / IP / UDP", RandomPrefix.parse("198.19.0.0/19"), ROUTED),
        ("Ether / IP / UDP", Sweep("198.18.255.0", "198.19.255.255"), ROUTED),
        ("Ether / IPv6 / UDP", RandomPrefix.parse("2001:2:0:2::/115"), ROUTED6),
    ],
)
def test_more_destinations_beside_a_router_than_it_answers_for_are_refused(
    text: str, values: Sweep | RandomPrefix, ports: dict[str, Port]
) -> None:
    """The router asks for each, and drops the frames of those that do not answer."""
    field = "IPv6.dst" if "IPv6" in text else "IP.dst"
    many = edited(text, editor(field, values))
    with pytest.raises(
        PlanError, match=rf"^stream '\S+': {field} has more than 4,096 values, .* on port p2; "
    ):
        compiled(many, ports=ports)
    assert compiled(replace(many, answered=False), ports=ports)
    bridged = {name: replace(port, gateway=None) for name, port in ports.items()}
    assert compiled(many, ports=bridged)


def test_many_destinations_behind_a_router_are_none_of_its_neighbours() -> None:
    many = edited("Ether / IP / UDP", editor("IP.dst", RandomPrefix.parse("10.0.0.0/8")))
    assert answered(compiled(many, ports=ROUTED), "p2") == ["198.19.1.2"]


def test_streams_share_neighbours() -> None:
    one, two = (stream(name=name, rate="1 kpps") for name in ("north", "south"))
    assert len(compiled(one, two).neighbours) == 2


def test_a_bridge_learns_where_mac_addresses_are() -> None:
    macs = FieldValues(("02:00:00:00:00:02", "02:00:00:00:00:77", "01:00:5e:00:00:01"))
    plan = compiled(edited("Ether / IP / UDP", editor("Ether.dst", macs)))
    new = [Ether(learning.frame) for learning in plan.learning if learning.port == "p2"]
    assert [frame.src for frame in new] == ["02:00:00:00:00:02", "02:00:00:00:00:77"]
    assert (new[1].dst, len(new[1]) >= 60) == ("ff:ff:ff:ff:ff:ff", True)
    assert [Ether(learning.frame).src for learning in plan.learning if learning.port == "p1"] == [
        MAC1.hex(":")
    ]


@given(st.integers(0, 2**8 - 1), st.integers(0, 2**8 - 1))
def test_random_bits_can_be_whatever_their_mask_allows(base: int, mask: int) -> None:
    expected = [value for value in range(2**8) if (value ^ base) & ~mask == 0]
    assert list(possible(RandomBits(1, base, mask), len(expected))) == expected
    assert list(possible(RandomBits(1, base, mask), len(expected) - 1)) == []


def test_random_addresses_of_a_range_are_all_answered() -> None:
    plan = compiled(edited("Ether / IP / UDP", editor("IP.src", RandomField("10.0.0.1", "10.0.0.5"))))
    assert answered(plan, "p1")[1:] == [str(ip_address("10.0.0.0") + n) for n in range(1, 6)]
