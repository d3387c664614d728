# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients whose flows a responder of the same switch cannot tell apart: their verdicts are INCONCLUSIVE."""

from __future__ import annotations

from fractions import Fraction
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.session_trial import objections
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.driver.shared_states import shared_states
from TesterLibrary.targets.tofino.session.program import Program
from tests.contract.ipv6_build import ipv6_build

from ..jobs import KNOWN, MACS, PORTS, switched

SERVICE = "198.18.1.10:80"


def asking(sources: str, connections: int) -> Clients:
    return Clients(
        name="users",
        port="p1",
        protocol="http-get-client",
        target=Endpoints.parse(SERVICE),
        sources=Endpoints.parse(sources),
        connections=connections,
        rate=Frequency.parse("100/s"),
    )


def found(sources: str, connections: int, **server: Any) -> dict[str, str]:
    web = Responder(
        **{"name": "web", "port": "p2", "protocol": "http-get", "servers": Endpoints.parse(SERVICE), **server}
    )
    users = asking(sources, connections)
    return shared_states(switched(_compiled(web, users)).ends)


def _compiled(*ends: End) -> Plan:
    macs = {("p1", ip_address("198.18.1.10")): MACS["p2"]}
    return compile_job(Job("job", ends=ends), ports=KNOWN, gateways={}, max_streams=100, neighbours=macs)


def test_clients_with_equal_ports_at_several_addresses_share_states_of_a_responder() -> None:
    assert found("198.18.1.100-198.18.1.119", 20) == {
        "users": "connections of clients 'users' may have mixed up one another's states: responder 'web' of "
        "the same switch numbers connections by 16 bits of the port and 0 of the address, so it tells 1 of "
        "these 20 apart; give one address with more ports as sources="
    }


@pytest.mark.parametrize(
    ("sources", "connections", "server"),
    [
        ("198.18.1.100:2000-2019", 20, {}),
        ("198.18.1.100-198.18.1.103:5000-5999", 8, {"flows": 64}),
        ("198.18.1.100-198.18.1.119", 20, {"servers": Endpoints.parse("198.18.1.11:80")}),
        ("198.18.1.100-198.18.1.119", 20, {"vlan": 7}),
        ("198.18.1.100-198.18.1.119", 20, {"protocol": "syn-reset"}),
    ],
    ids=["ports", "few flows", "another server", "another VLAN", "nothing is kept"],
)
def test_others_do_not(sources: str, connections: int, server: dict[str, Any]) -> None:
    assert found(sources, connections, **server) == {}


def test_clients_of_ipv4_share_no_state_of_a_server_of_ipv6(tmp_path: Path) -> None:
    server = Endpoints.parse("[2001:db8::10]:80")
    web = Responder(name="web", port="p2", protocol="http-get-ipv6", servers=server)
    plan = _compiled(web, asking("198.18.1.100-198.18.1.119", 20))
    assert not shared_states(switch_job(plan, PORTS, Program.load(ipv6_build(tmp_path))).ends)


@pytest.mark.parametrize(("established", "said"), [(20, []), (12, ["mixed"])])
def test_it_is_an_objection_where_not_all_went_well(established: int, said: list[str]) -> None:
    statistics = SessionStatistics(
        name="users",
        duration_ns=10**9,
        counters={"t.established": established, "t.answered": established},
        openings=20,
        ended=established,
        failed=0,
        concurrent=20 - established,
        opens=True,
        untimed=True,
    )
    before, after = Snapshot(0), Snapshot(10**9, mixed={"users": "mixed"})
    reasons = objections(statistics, Fraction(20), before, after, (), EvidenceLimits(), job="users")
    assert list(reasons) == said
