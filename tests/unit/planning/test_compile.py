# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.plan.plan import Plan, PlannedNeighbour
from TesterLibrary.model.ports import Forwarding

from .bench import BRIDGED, MAC1, MAC2, ROUTED, compiled, port, stream


def test_a_plan_is_a_function_of_its_arguments() -> None:
    both = stream(), stream(name="south", tx="p2", rx="p1")
    plan = compiled(*both, first_id=41, seed=3)
    assert plan == compiled(*both, first_id=41, seed=3)
    assert (plan.job, plan.seed) == ("job", 3)
    assert [(s.id, s.name, s.tx_port, s.rx_port, s.signature) for s in plan.streams] == [
        (41, "north", "p1", "p2", True),
        (42, "south", "p2", "p1", True),
    ]


def test_every_address_is_answered_once() -> None:
    plan = compiled(stream(), stream(name="south", tx="p2", rx="p1"), ports=ROUTED)
    assert plan.neighbours == (
        PlannedNeighbour("p2", IPv4Address("198.19.1.2"), MAC2),
        PlannedNeighbour("p1", IPv4Address("198.18.1.2"), MAC1),
    )


def test_ports_without_addresses_get_their_own_of_the_benchmark_range() -> None:
    ports = {name: port(name, bytes([2, 0, 0, 0, 0, i])) for i, name in enumerate(["c", "a", "b"], 1)}
    forth = compiled(stream(tx="a", rx="c"), ports=ports)
    back = compiled(stream(tx="c", rx="b"), ports=ports)
    known = {n.port: str(n.address) for n in (*forth.neighbours, *back.neighbours)}
    assert known == {"a": "198.18.0.2", "b": "198.18.0.3", "c": "198.18.0.4"}


def test_a_port_without_an_address_follows_its_peer_s_ip_version() -> None:
    ports = {"p1": port("p1", MAC1), "p2": port("p2", MAC2, "2001:2::99/64")}
    plan = compiled(stream(frame_size=128), ports=ports)
    assert {n.address for n in plan.neighbours} == {IPv6Address("2001:2::99"), IPv6Address("2001:2::2")}


def test_a_device_may_translate_between_ip_versions() -> None:
    ports = {"p1": port("p1", MAC1, "2001:2::1/64"), "p2": port("p2", MAC2, "192.0.2.1/24")}
    headers = HeaderStack.parse("Ether / IPv6(dst='64:ff9b::192.0.2.1') / UDP")
    plan = compiled(stream(headers=headers, frame_size=128), ports=ports)
    assert {str(n.address) for n in plan.neighbours} == {"2001:2::1", "192.0.2.1"}
    with pytest.raises(PlanError, match="both must be IPv4 or both IPv6"):
        compiled(stream(headers=headers, frame_size=128, forwarding=Forwarding.ROUTED), ports=ports)


def test_a_port_may_send_to_itself() -> None:
    plan = compiled(stream(rx="p1"))
    assert len(plan.learning) == len(plan.neighbours) == 1


@pytest.mark.parametrize(
    ("change", "ports", "message"),
    [
        (
            {},
            {"p1": port("p1", MAC1, "10.0.0.1/24"), "p2": port("p2", MAC2, "10.0.0.1/24")},
            "stream 'north': ports 'p1' and 'p2' both have the address 10.0.0.1",
        ),
        (
            {"headers": HeaderStack.parse("Ether / IP(src=10.0.0.1, dst=10.0.0.1) / UDP")},
            BRIDGED,
            "source and destination of its IP header are both 10.0.0.1",
        ),
        (
            {"headers": HeaderStack.parse("Ether / IPv6 / UDP"), "frame_size": 128},
            ROUTED,
            "its frames are IPv6, and the testbed knows the router at port 'p1' by IPv4 only",
        ),
    ],
)
def test_what_no_device_forwards_is_refused(change: Any, ports: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        compiled(stream(**change), ports=ports)


@pytest.mark.parametrize(
    ("planning", "message"),
    [
        (
            lambda: compiled(),
            "job 'job' has no stream, responder, clients, path or stamps; it needs at least one",
        ),
        (lambda: compiled(stream(), stream()), "job 'job' has more than one stream named 'north'"),
        (
            lambda: compiled(stream(), name=""),
            "'' is not a job name; it has 1 to 128 printable ASCII characters",
        ),
        (lambda: compiled(stream(name="")), "'' is not a stream name; it has 1 to 64 printable characters"),
        (lambda: compiled(stream(name="a\nb")), "'a\\nb' is not a stream name"),
        (lambda: compiled(stream(name="a\x07")), "'a\\x07' is not a stream name"),
        (lambda: compiled(stream(name="x" * 65)), f"'{'x' * 64}…' is not a stream name"),
        (lambda: compiled(stream(), name="a\n"), "'a\\n' is not a job name"),
        (lambda: compiled(stream(), name="x" * 129), "is not a job name"),
        (
            lambda: compiled(stream(), stream(name="b"), max_streams=1),
            "job 'job' has 2 streams; the tester holds at most 1",
        ),
        (
            lambda: compiled(stream(), stream(name="b"), first_id=65_535),
            "job 'job': stream ids 65535 to 65536 are not within 1 to 65535",
        ),
        (lambda: compiled(stream(), first_id=0), "job 'job': stream ids 0 to 0 are not within 1 to 65535"),
        (
            lambda: compiled(stream(tx="p9")),
            "stream 'north': tx='p9' is no port of this tester; it has p1, p2",
        ),
        (
            lambda: compiled(stream(rx="p9")),
            "stream 'north': rx='p9' is no port of this tester; it has p1, p2",
        ),
        (
            lambda: compiled(
                stream(), ports=BRIDGED | {"p1": port("p1", MAC1, gateway="198.18.0.1")}, gateways={}
            ),
            "port 'p1' has the gateway 198.18.0.1 but no address; it needs both",
        ),
        (
            lambda: compiled(stream(), ports=ROUTED, gateways={}),
            "stream 'north': the MAC address of 198.18.1.1, the gateway of port 'p1', is not known",
        ),
        (
            lambda: compiled(
                stream(),
                ports={"p1": port("p1", MAC1, "192.0.2.1/24"), "p2": port("p2", MAC2, "2001:2::1/64")},
            ),
            "stream 'north': port 'p1' has the address 192.0.2.1/24 and port 'p2' 2001:2::1/64; "
            "both must be IPv4 or both IPv6, unless the device translates (forwarding: translated) and the "
            "stream's headers give a destination",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(planning: Callable[[], Plan], message: str) -> None:
    with pytest.raises(PlanError) as error:
        planning()
    assert message in str(error.value)


def test_the_tester_answers_for_routed_ports_at_which_copies_are_expected() -> None:
    """A bridge needs no answer there: it floods, or knows its members."""
    mac, address = b"\2\0\0\0\0\3", "198.19.2.2"
    routed = {**ROUTED, "p3": port("p3", mac, f"{address}/24", "198.19.2.1")}
    plan = compiled(stream(copies=("p3",)), ports=routed)
    assert PlannedNeighbour("p3", IPv4Address(address), mac) in plan.neighbours
    plan = compiled(stream(copies=("p3",)), ports={**BRIDGED, "p3": port("p3", mac)})
    assert {neighbour.port for neighbour in plan.neighbours} == {"p1", "p2"}
