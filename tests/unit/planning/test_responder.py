# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from ipaddress import IPv4Address, ip_address, ip_interface
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.l2 import ARP, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.model.endpoints import AddressRange, Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.plan.planned_end import Accept, Series
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Clients, End, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.ends import asked_for

SPEED = Bandwidth(10**9)
BRIDGED = {
    f"p{n}": Port(f"p{n}", SPEED, bytes([2, 0, 0, 0, 0, n]), 1518, ip_interface(f"198.18.0.{n}/24"))
    for n in (1, 2)
}
ROUTED = {
    f"p{n}": Port(
        f"p{n}",
        SPEED,
        bytes([2, 0, 0, 0, 0, n]),
        1518,
        ip_interface(f"198.{17 + n}.1.2/16"),
        ip_address(f"198.{17 + n}.1.1"),
    )
    for n in (1, 2)
}
GATEWAYS = {"p1": b"\2\0\0\0\1\1", "p2": b"\2\0\0\0\1\2"}
SERVER = int(IPv4Address("198.18.0.2"))


def planned(
    *ends: End,
    ports: Mapping[str, Port] = BRIDGED,
    macs: bool = True,
    gateways: Mapping[str, bytes] | None = None,
) -> Plan:
    neighbours = {(s.port.name, a): b"\2\0\0\0\0\2" for end in ends for s, a in asked_for(end, ports) if macs}
    given = GATEWAYS if gateways is None else gateways
    return compile_job(
        Job("job", ends=ends), ports=ports, gateways=given, max_streams=0, neighbours=neighbours
    )


def responder(protocol: str = "http-server", **given: Any) -> Responder:
    return Responder(**{"name": "web", "port": "p2", "protocol": protocol, **given})


def clients(protocol: str = "http-client", **given: Any) -> Clients:
    target = Endpoints.parse("198.18.0.2:80")
    return Clients(**{"name": "users", "port": "p1", "protocol": protocol, "target": target, **given})


def test_a_responder_has_the_address_of_its_port_and_all_ports_of_tcp() -> None:
    plan = planned(responder(parameters={"rto": "50 ms", "body": 7}))
    (end,) = plan.ends
    assert end.accepts == (Accept("IP.dst", SERVER, 1),)
    assert (end.flow_capacity, end.vlan, end.opening) == (65_536, None, None)
    assert (end.parameters["rto"], end.parameters["body"], end.parameters["listen"]) == (50_000, 7, 1)
    assert [str(neighbour.address) for neighbour in plan.neighbours] == ["198.18.0.2"]
    assert len(plan.learning) == 1


def test_servers_are_answered_for_where_they_are_asked_for() -> None:
    servers = Endpoints.parse("198.19.1.10-198.19.1.12:80-81")
    plan = planned(responder(servers=servers), ports=ROUTED)
    assert plan.ends[0].accepts[1] == Accept("TCP.dport", 80, 2)
    assert [str(neighbour.address) for neighbour in plan.neighbours] == [
        "198.19.1.10",
        "198.19.1.11",
        "198.19.1.12",
    ]
    elsewhere = planned(responder(servers=Endpoints.parse("10.0.0.1:80")), ports=ROUTED)
    assert elsewhere.neighbours == ()


def test_sources_of_clients_leave_out_the_addresses_of_the_device() -> None:
    sources = Endpoints.parse("198.18.1.1-198.18.1.3")
    plan = planned(clients(sources=sources), ports=ROUTED)
    assert [str(neighbour.address) for neighbour in plan.neighbours] == ["198.18.1.2", "198.18.1.3"]
    assert [Ether(learning.frame)[ARP].psrc for learning in plan.learning] == ["198.18.1.2"]
    assert plan.remarks == (
        "port p1 does not answer ARP or neighbour discovery for 198.18.1.1 (gateway of p1)",
    )


def test_clients_go_through_their_addresses_and_then_their_ports() -> None:
    sources = Endpoints.parse("198.18.0.100-198.18.0.103:2000-2009")
    target = Endpoints.parse("198.18.0.2-198.18.0.3:80-82")
    rate = Frequency(Fraction(1000))
    (end,) = planned(clients(sources=sources, target=target, connections=40, rate=rate)).ends
    opening = end.opening
    assert opening
    assert opening.addresses == (
        Series("IP.src", int(IPv4Address("198.18.0.100")), 4),
        Series("IP.dst", SERVER, 2, every=4),
        Series("TCP.sport", 2000, 10, every=4),
        Series("TCP.dport", 80, 3, every=8),
    )
    assert (opening.flows, opening.connections, end.flow_capacity) == (40, 40, 41)
    assert (opening.rate, opening.reopen, opening.total) == (Fraction(1, 10**6), Reopen.ENDED_WELL, 0)
    assert len({tuple(address.value(f) for address in opening.addresses) for f in range(40)}) == 40
    assert end.parameters["listen"] == 0
    assert {accept.field for accept in end.accepts} == {"IP.src", "IP.dst", "TCP.sport", "TCP.dport"}


def test_clients_send_to_the_gateway_or_to_the_neighbour() -> None:
    for ports, mac in ((ROUTED, GATEWAYS["p1"]), (BRIDGED, b"\2\0\0\0\0\2")):
        opening = planned(clients(), ports=ports).ends[0].opening
        assert opening
        assert (opening.source_mac, opening.destination_mac) == (ports["p1"].mac, mac)


def test_a_tester_keeps_so_many_flows_and_no_more() -> None:
    sources = Endpoints.parse("198.18.0.0/20")
    (end,) = planned(clients(connections=(1 << 23) - 1, sources=sources)).ends
    assert end.flow_capacity == 1 << 23
    assert planned(responder(flows=1 << 23)).ends[0].flow_capacity == 1 << 23


def test_a_protocol_that_keeps_no_flows_needs_no_room() -> None:
    (flood,) = planned(clients("syn-flood", total=9)).ends
    assert flood.opening
    assert (flood.flow_capacity, flood.opening.connections, flood.opening.total) == (0, 0, 9)
    assert planned(responder("udp-echo")).ends[0].flow_capacity == 0


def test_arp_is_answered_with_the_mac_address_of_the_port() -> None:
    plan = planned(responder("arp", answers_for=AddressRange.parse("10.0.0.0/30")))
    assert {Accept("ARP.op", 1, 1), Accept("ARP.pdst", 0x0A000001, 2)} < set(plan.ends[0].accepts)
    assert plan.ends[0].parameters == {"first": 0x0A000001, "last": 0x0A000002, "mac": 0x020000000002}
    assert plan.neighbours == ()


@pytest.mark.parametrize(
    ("end", "role"),
    [
        (responder("arp", answers_for=AddressRange.parse("198.19.1.0/24")), "198.19.1.1 (gateway of p2)"),
        (
            responder("arp", answers_for=AddressRange.parse("198.18.0.0/15")),
            "198.18.1.1 (gateway of p1), 198.19.1.1 (",
        ),
        (
            responder("arp", parameters={"first": "198.19.1.1", "last": "198.19.1.1"}),
            "198.19.1.1 (gateway of p2)",
        ),
    ],
)
def test_arp_is_never_answered_for_the_device(end: End, role: str) -> None:
    with pytest.raises(PlanError, match=re.escape(f"the tester does not answer for {role}")):
        planned(end, ports=ROUTED)
    assert planned(
        responder("arp", answers_for=AddressRange.parse("198.19.1.2-198.19.1.9")), ports=ROUTED
    ).ends


def test_solicitations_are_never_answered_for_the_device() -> None:
    ports = {
        "p2": replace(
            ROUTED["p2"], address=ip_interface("2001:2:0:2::2/64"), gateway=ip_address("2001:2:0:2::1")
        )
    }
    for addresses, role in (
        ("2001:2:0:2::/120", "gateway of p2"),
        ("2001:2:0:2::-2001:2:0:2::", "subnet-router"),
    ):
        with pytest.raises(PlanError, match=role):
            planned(responder("nd", answers_for=AddressRange.parse(addresses)), ports=ports)
    assert planned(responder("nd", answers_for=AddressRange.parse("2001:2:0:2::10")), ports=ports).ends


def test_members_of_groups_hear_all_queries_and_speak_from_their_port() -> None:
    (end,) = planned(responder("igmp-host", answers_for=AddressRange.parse("239.1.1.1-239.1.1.3"))).ends
    assert end.accepts == ()
    assert end.parameters["address"] == int(ip_address("198.18.0.2"))
    (end,) = planned(responder("mld-host", answers_for=AddressRange.parse("ff0e::1"))).ends
    assert end.parameters["address"] == int(ip_address("fe80::ff:fe00:2"))


def test_what_is_for_all_hosts_of_a_port_has_no_tag() -> None:
    with pytest.raises(PlanError, match=r"packets of igmp-host are for all hosts of a port, .* leave vlan="):
        planned(responder("igmp-host", answers_for=AddressRange.parse("239.1.1.1"), vlan=5))


@pytest.mark.parametrize(
    ("addresses", "accepts"),
    [
        ("2001:2::10-2001:2::13", (Accept("ICMPv6ND_NS.tgt", 0x20010002 << 96 | 0x10, 4),)),
        ("2001:2::/64", ()),  # more than a target compares with
        ("2001:2:0:0:ffff:ffff:ffff:ffff-2001:2:0:1::", ()),
    ],
)
def test_neighbours_are_taken_by_the_address_that_is_asked_for(
    addresses: str, accepts: tuple[Accept, ...]
) -> None:
    plan = planned(responder("nd", answers_for=AddressRange.parse(addresses)))
    assert plan.ends[0].accepts == accepts


def test_segments_fit_the_port() -> None:
    short = {"p2": Port("p2", SPEED, b"\2\0\0\0\0\2", 1400, ip_interface("198.18.0.2/24"))}
    assert planned(responder(), ports=short).ends[0].parameters["mss"] == 1342
    assert planned(responder(vlan=7), ports=short).ends[0].parameters["mss"] == 1338
    assert planned(responder(parameters={"mss": 500}), ports=short).ends[0].parameters["mss"] == 500


def test_each_end_has_random_numbers_of_its_own() -> None:
    plan = planned(responder(), clients())
    assert plan.ends[0].seed != plan.ends[1].seed
    assert plan == planned(responder(), clients())


@pytest.mark.parametrize(
    ("parameter", "given", "value"),
    [
        ("body", "100 kB", 100_000),
        ("body", "100kB", 100_000),
        ("body", "1 MiB", 1 << 20),
        ("body", "1,000 bytes", 1000),
        ("body", "0x10", 16),
        ("body", 7, 7),
        ("flight", "64 KiB", 1 << 16),
        ("rto", "50ms", 50_000),
        ("rto", "1 min 30 s", 90_000_000),
        ("window", "32,768", 32_768),
    ],
)
def test_parameters_take_units_as_all_of_the_library(parameter: str, given: Any, value: int) -> None:
    (end,) = planned(responder(parameters={parameter: given})).ends
    assert end.parameters[parameter] == value


OTHERS = Endpoints.parse("198.18.0.2")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (
            responder("arp", servers=Endpoints.parse("198.18.0.50")),
            "responder 'web': arp has no IP header, so servers= means nothing; leave it out, and give first= "
            "and last=, the addresses that it answers for, or call Start ARP Responder",
        ),
        (responder(port="p9"), "responder 'web': port='p9' is no port of this tester; it has p1, p2"),
        (responder("htp-server"), "responder 'web': .*htp-server"),
        (responder(parameters={"bdy": 1}), "responder 'web': http-server: there is no parameter 'bdy'"),
        (
            responder(parameters={"rto": 50}),
            "http-server: rto: '50' is not a time: it has no unit",
        ),
        (responder(parameters={"rto": "0,5 ms"}), "rto: .* for a decimal write '0.5 ms'"),
        (responder(parameters={"rto": "1 kB"}), "rto: '1 kB' is not a time; write a number with ns"),
        (responder(parameters={"rto": "1500 ns"}), "rto: '1500 ns' is no whole number of microseconds"),
        (responder(parameters={"body": "5 ms"}), "body: '5 ms' is not an amount of data; write a whole"),
        (responder(parameters={"body": "0.5 B"}), "body: '0.5 B' is not an amount of data"),
        (
            responder(parameters={"window": "32 kB"}),
            "window: '32 kB' has a unit; write a number without one, as its default 65535 has none",
        ),
        (responder(parameters={"window": "5 ms"}), "window: '5 ms' has a unit"),
        (responder(parameters={"window": "1.5"}), "window: '1.5' is not a whole number"),
        (responder(parameters={"window": 70_000}), "window: 70000 does not fit 16 bits"),
        (
            responder("icmp-echo", servers=Endpoints.parse("[2001:2::2]:80")),
            "speaks IPv4, so 2001:2::2 cannot be",
        ),
        (responder("arp", servers=OTHERS), "arp has no IP header, so servers="),
        (responder("icmp-echo", servers=Endpoints.parse("198.18.0.2:7")), "icmp-echo has no ports"),
        (responder("udp-echo", answers_for=OTHERS.addresses), "udp-echo is not about addresses"),
        (responder(servers=Endpoints.parse("10.0.0.0/8:80")), "16,777,214 addresses; the tester answers"),
        (clients("udp-echo"), "udp-echo only answers: no row of it is for the event 'start'"),
        (clients(target=OTHERS), "target=198.18.0.2 has no port; write 198.18.0.2:80"),
        (clients(connections=70_000), "connections=70,000 are too many for 64,512 different sources 198"),
        (
            clients(connections=1 << 25, sources=Endpoints.parse("10.0.0.0/16")),
            "connections=33,554,432 are too many for a tester, which keeps 8,388,607",
        ),
        (
            clients(connections=1 << 23, sources=Endpoints.parse("10.0.0.0/16")),
            "connections=8,388,608 are too many for a tester, which keeps 8,388,607",
        ),
        (
            clients(connections=20, total=21, reopen=Reopen.NEVER),
            "with reopen=never each of connections=20 is opened once, and never total=21; give as many",
        ),
        (responder(flows=(1 << 23) + 1), "flows=8,388,609 are too many for a tester, which keeps 8,388,608"),
        (clients(target=Endpoints.parse("198.18.0.0/24:80")), "254 addresses; without a gateway 64 at most"),
    ],
)
def test_what_cannot_be_is_refused_by_name(end: End, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        planned(end)


def test_next_hops_have_to_be_known_and_one() -> None:
    with pytest.raises(PlanError, match=r"the gateway of port 'p1', is not known; resolve it"):
        planned(clients(), ports=ROUTED, gateways={})
    with pytest.raises(PlanError, match=r"without a gateway the addresses 198\.18\.0\.2 are not known"):
        planned(clients(), macs=False)
    two = clients(target=Endpoints.parse("198.18.0.2-198.18.0.3:80"))
    macs = {("p1", ip_address(f"198.18.0.{n}")): bytes([2, 0, 0, 0, 0, n]) for n in (2, 3)}
    with pytest.raises(PlanError, match="several MAC addresses; use clients for each"):
        compile_job(Job("job", ends=(two,)), ports=BRIDGED, gateways={}, max_streams=0, neighbours=macs)


def test_names_are_not_repeated() -> None:
    with pytest.raises(PlanError, match="job 'job' has more than one responder or clients named 'web'"):
        planned(responder(), clients(name="web"))
    with pytest.raises(PlanError, match="job 'job' has no stream, responder, clients, path or stamps"):
        planned()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: responder(vlan=4095), "responder 'web': VLAN 4095 is not within 1 to 4094"),
        (lambda: responder(flows=0), "responder 'web': 0 flows are too few"),
        (lambda: clients(connections=0), "clients 'users': connections=0 is too few"),
        (lambda: clients(total=0), "clients 'users': total=0 is too few"),
    ],
)
def test_ends_that_make_no_sense_are_refused(make: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        make()


def test_clients_of_a_job_that_would_open_the_same_flows_are_refused() -> None:
    with pytest.raises(
        PlanError, match=r"clients 'b' of job 'job' and clients 'a' of job 'job' .* port 'p1'"
    ):
        planned(clients(name="a"), clients("tcp-client", name="b"))
    apart = planned(clients(name="a"), clients(name="b", port="p2", sources=Endpoints.parse("198.18.0.2")))
    assert len(apart.ends) == 2


def test_clients_of_ipv6_say_what_is_the_same(tmp_path: Path) -> None:
    shipped = Path(paths.resource("protocols", "syn-flood")).read_text()
    (tmp_path / "six.yaml").write_text(
        shipped.replace("IP.", "IPv6.").replace("IP(flags=DF)", "IPv6").replace("IP /", "IPv6 /")
    )
    target = Endpoints.parse("[2001:2::9]:80")
    common = {"protocol": str(tmp_path / "six.yaml"), "target": target}
    sources = [Endpoints.parse(f"[2001:2::10-2001:2::{last}]") for last in ("12", "11")]
    ends = [clients(name=name, sources=given, **common) for name, given in zip("ab", sources, strict=True)]
    with pytest.raises(PlanError, match=r"\[2001:2::10-2001:2::11\]:1024-65535 to \[2001:2::9\]:80"):
        planned(*ends)


@pytest.mark.parametrize(
    ("servers", "address"),
    [(None, "2001:2:0:1::2"), (Endpoints.parse("[2001:2:0:1::9]:80"), "2001:2:0:1::9")],
)
def test_a_table_has_the_ip_version_of_its_addresses(servers: Endpoints | None, address: str) -> None:
    ports = {"p2": replace(BRIDGED["p2"], address=ip_interface("2001:2:0:1::2/64"))}
    plan = planned(responder(servers=servers), ports=ports)
    (end,) = plan.ends
    assert str(end.protocol.stack) == "Ether / IPv6 / TCP"
    assert end.accepts[0] == Accept("IPv6.dst", int(ip_address(address)), 1)
    assert end.parameters["mss"] == 1440
    assert [str(one.address) for one in plan.neighbours] == [address]


def test_clients_have_the_ip_version_of_their_target() -> None:
    ports = {"p1": replace(BRIDGED["p1"], address=ip_interface("2001:2::1/64"))}
    (end,) = planned(clients(target=Endpoints.parse("[2001:2::9]:80")), ports=ports).ends
    assert str(end.protocol.stack) == "Ether / IPv6 / TCP"


def test_a_responder_that_no_device_can_reach_is_refused() -> None:
    ports = {"p2": replace(BRIDGED["p2"], address=ip_interface("2001:2:0:1::2/64"))}
    servers = Endpoints.parse("198.18.0.10:80")
    message = (
        r"^responder 'web': http-server speaks IPv4, and port 'p2' has only the IPv6 address "
        r"2001:2:0:1::2/64, so it would serve nobody; use a port with an IPv4 address$"
    )
    with pytest.raises(PlanError, match=message):
        planned(responder(servers=servers), ports=ports)
    with pytest.raises(PlanError, match="http-get-ipv6 speaks IPv6, and port 'p2' has only the IPv4 address"):
        planned(responder("http-get-ipv6"))
    with pytest.raises(PlanError, match=r"http-client speaks IPv6, and .* so it would reach nobody"):
        planned(clients(target=Endpoints.parse("[2001:2::9]:80")))
    assert planned(responder(servers=servers), ports={"p2": replace(BRIDGED["p2"], address=None)}).ends
