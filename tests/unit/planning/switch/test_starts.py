# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts of clients on a switch: sources, edited fields, rows of flows that are over, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.plan.planned_end import PlannedEnd
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Clients, Reopen
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.allocation import LoopbackPorts
from TesterLibrary.planning.switch.chip import TOFINO, TOFINO_2, Chip
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.planning.switch.starts import GIVEN_UP, START, begins, ends, opening_rows, starts
from TesterLibrary.planning.switch.streams import place
from TesterLibrary.protocols.checker import load_protocol

_MACS = {"p1": bytes([2, 0, 0, 0, 0, 1]), "p2": bytes([2, 0, 0, 0, 0, 2])}
PORTS = {
    name: Port(name, Bandwidth(10**10), mac, 9000, ip_interface(f"198.18.0.{mac[-1] + 1}/16"))
    for name, mac in _MACS.items()
}


def plan(**given: Any) -> Plan:
    whole: dict[str, Any] = {
        "protocol": "http-get-client",
        "connections": 8,
        "rate": Frequency.parse("1000/s"),
        "target": Endpoints.parse("198.18.0.3:80"),
        **given,
    }
    clients = Clients(name="users", port="p1", **whole)
    macs = {("p1", address): _MACS["p2"] for address in clients.target.addresses}
    return compile_job(Job("job", ends=(clients,)), ports=PORTS, gateways={}, max_streams=1, neighbours=macs)


def _starts(**given: Any) -> Any:
    (end,) = plan(**given).ends
    return starts(end, TOFINO.edited_fields)


def test_a_start_looks_like_an_answer_of_the_target_to_the_first_source() -> None:
    packet = Ether(_starts(sources=Endpoints.parse("198.18.0.2:5000-5999"), first_source=7).frame)
    assert (packet[IP].src, packet[IP].dst) == ("198.18.0.3", "198.18.0.2")
    assert (packet[TCP].sport, packet[TCP].dport, int(packet[TCP].flags)) == (80, 5007, 0)


@pytest.mark.parametrize(
    ("sources", "connections", "first", "hosts", "ports"),
    [
        ("198.18.0.2:5000-5999", 8, 0, ("198.18.0.2", 1), (5000, 8)),
        ("198.18.0.2:5000-5999", 8, 999, ("198.18.0.2", 1), (5992, 8)),
        ("198.18.0.64-198.18.0.67:5000-5999", 8, 4, ("198.18.0.64", 4), (5001, 2)),
        ("198.18.0.64-198.18.0.67:5000-5999", 2, 3, ("198.18.0.66", 2), (5000, 1)),
    ],
)
def test_as_many_sources_are_used_as_connections(
    sources: str, connections: int, first: int, hosts: tuple[str, int], ports: tuple[int, int]
) -> None:
    found = _starts(sources=Endpoints.parse(sources), connections=connections, first_source=first)
    assert (str(ip_address(found.hosts.first)), found.hosts.count) == hosts
    assert (found.ports.first, found.ports.count) == ports


def test_ports_move_when_all_addresses_had_their_turn() -> None:
    edits = _starts(sources=Endpoints.parse("198.18.0.64-198.18.0.67:5000-5999")).edits
    assert [(edit.field, edit.bound, edit.cascaded) for edit in edits] == [
        ("IP.dst", 4, False),
        ("TCP.dport", 2, True),
    ]


def test_a_flood_draws_its_sequence_numbers() -> None:
    first, second = _starts(protocol="syn-flood", connections=1).edits
    assert (first.field, first.bound) == ("TCP.dport", 64_512)
    assert (second.field, second.random, second.bound) == ("TCP.seq", True, 1 << 32)


@pytest.mark.parametrize(
    ("reopen", "well", "badly"),
    [(Reopen.ENDED_WELL, 0, GIVEN_UP), (Reopen.ALWAYS, 0, 0), (Reopen.NEVER, GIVEN_UP, GIVEN_UP)],
)
def test_flows_that_are_over_go_where_they_are_opened_again_or_not(
    reopen: Reopen, well: int, badly: int
) -> None:
    rows = opening_rows(match_action(load_protocol("http-get-client")), reopen).entries
    over = [row for row in rows if ends(row)]
    assert {row.next_state for row in over if "closed" in row.counts} == {well}
    assert {row.next_state for row in over if {"refused", "reset"} & set(row.counts)} == {badly}
    assert {row.table for row in rows if begins(row)} == {START}


def test_a_flow_that_is_given_up_answers_as_a_closed_one_but_is_not_started() -> None:
    rows = opening_rows(match_action(load_protocol("http-get-client")), Reopen.ENDED_WELL).entries

    def of(state: int) -> list[Any]:
        return [
            (row.table, row.sends, [match for match in row.match if match.key != "state"])
            for row in rows
            if any(match.key == "state" and match.value == state for match in row.match)
        ]

    assert of(GIVEN_UP) == [row for row in of(0) if row[0] != START]
    assert len({row.priority for row in rows if row.table == "packet"}) == len(
        [row for row in rows if row.table == "packet"]
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"rate": None}, "'users': a switch opens connections at a rate, and none is given; give rate="),
        (
            {"connections": 6, "sources": Endpoints.parse("198.18.0.64-198.18.0.67:5000-5999")},
            "connections=6 from 4 addresses: .* take a multiple of 4",
        ),
        ({"total": 9}, "total=9 is more than its 8 connections"),
        (
            {"rate": Frequency.parse("900 k/s")},
            "900,000 starts each second of 8 connections: .* at most 800,000/s",
        ),
        (
            {"protocol": "syn-flood", "sources": Endpoints.parse("198.18.0.64/28")},
            r"fields that change from start to start: 3 needed, 2 there \(IP.dst, TCP.dport, TCP.seq",
        ),
        ({"protocol": "http-client"}, r"http-client.yaml: line \d+: not on tofino: tables over one another"),
        ({"protocol": "tcp-client"}, r"tcp.yaml: line \d+: not on tofino: timers: \d needed, 1 there"),
        ({"protocol": "http-client"}, r"line \d+: not on tofino: bytes of payload: 8,192 needed, 16 there"),
        ({"protocol": "dns-client"}, r"dns-client.yaml: line \d+: not on tofino: "),
    ],
)
def test_what_a_switch_cannot_open_is_refused_by_name(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        place(plan(**given), PORTS, {})


_SYN = "set: {TCP.seq: sequence, TCP.window: 65535}"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (_SYN, "set: {TCP.seq: sequence, TCP.window: 1, TCP.ack: sequence}", "sets TCP.ack to sequence"),
        ("do: [count: ignored]", "do: [count: ignored, send: syn]", "sets TCP.seq to"),
        ("options: [{mss: 1460}]", "options: [{mss: resets}]", "its option mss depends on the flow"),
        ("variables: {sequence: 32}", "variables: {sequence: 16}", "one number of 32 bits"),
    ],
)
def test_random_bits_and_options_that_depend_on_a_flow_are_refused(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    path = tmp_path / "flood.yaml"
    text = resource("protocols", "syn-flood").read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(PlanError, match=problem):
        place(plan(protocol=str(path)), PORTS, {})


_MANY = Endpoints.parse("198.18.0.64-198.18.0.67:5000-5999")


def test_on_a_tofino_2_a_flood_draws_behind_an_address_and_a_port() -> None:
    (end,) = place(plan(protocol="syn-flood", sources=_MANY), PORTS, {}, kind=TOFINO_2).ends
    assert end.starts is not None
    assert [(edit.field, edit.cascaded) for edit in end.starts.starts.edits] == [
        ("IP.dst", False),
        ("TCP.dport", True),
        ("TCP.seq", False),
    ]


def test_a_third_field_that_would_wait_for_the_second_is_refused() -> None:
    """An engine's target moves whenever the port of the source does."""
    given = plan(sources=_MANY, target=Endpoints.parse("198.18.0.3-198.18.0.4:80"))
    with pytest.raises(PlanError, match=r"3 needed, 2 there \(IP.dst, TCP.dport, IP.src, as answers"):
        place(given, PORTS, {}, kind=TOFINO_2)


@pytest.mark.parametrize("chip", [TOFINO, TOFINO_2], ids=lambda chip: chip.family)
def test_starts_are_as_many_as_the_port_that_recirculates_carries(chip: Chip) -> None:
    """A start has 84 bytes on the wire, so 148.8 million a second are 100 Gbps."""
    ends = [
        replace(plan(protocol="syn-flood", rate=Frequency.parse(rate)).ends[0], name=rate)
        for rate in ("100 M/s", "48 M/s", "1 M/s")
    ]

    def both(*ends: PlannedEnd) -> None:
        place(replace(plan(), ends=ends), PORTS, {}, chip=LoopbackPorts.of(chip))

    both(*ends[:2])
    said = (
        "100 M/s: start, 48 M/s: start, 1 M/s: start: 100.1 Gbps; the port that recirculates carries 100 Gbps"
    )
    with pytest.raises(PlanError, match=said):
        both(*ends)


def test_starts_have_a_loop_at_the_rate_of_the_openings() -> None:
    (end,) = place(plan(), PORTS, {}).ends
    assert end.starts is not None
    assert end.starts.loopback is not None
    assert abs(end.starts.staging.rate / 1000 - 1) < 1e-5
