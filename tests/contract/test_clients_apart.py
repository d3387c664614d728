# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients of one port beside each other: those that would open each other's flows are refused."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.tester import Tester

from .rig import Rig

SERVICE = Endpoints.parse("198.18.0.3:80")

pytestmark = pytest.mark.refused_by("tofino", match="not on tofino: tables over one another")


@pytest.fixture
def ends(rig: Rig, tmp_path: Path) -> Iterator[Connections]:
    """Connections with a server that is started."""
    target, progress = rig.target, Console(stream=StringIO())
    tester = Tester(
        target, target.capabilities(), rig.ports, {}, Recorder(tmp_path), progress, clock=rig.clock
    )
    ends = Connections(tester)
    ends.start(Responder(name="web", port="p2", protocol="tcp-server"))
    yield ends
    for kind in (Clients, Responder):
        ends.stop([], kind)


def users(name: str, sources: str = "", protocol: str = "tcp-client", **given: Any) -> Clients:
    ends = {"target": SERVICE, "sources": Endpoints.parse(sources) if sources else None}
    values = {} if protocol == "syn-flood" else {"size": 100, "linger": 0}
    return Clients(
        **{
            "name": name,
            "port": "p1",
            "protocol": protocol,
            "parameters": values,
            "total": 5,
            **ends,
            **given,
        }
    )


def test_the_same_flows_are_refused_and_the_first_clients_go_on(ends: Connections, rig: Rig) -> None:
    ends.start(users("one", "198.18.0.100-198.18.0.103:2000-2009"))
    with pytest.raises(PlanError) as refused:
        ends.start(users("two", "198.18.0.103-198.18.0.109:2005-2020"))
    assert str(refused.value) == (
        "clients 'two' of job 'two' and clients 'one' of job 'one' would open the same flows on port 'p1', "
        "198.18.0.103:2005-2009 to 198.18.0.3:80, and an answer would reach one of them only; give one of "
        "them other sources= or another target=, or stop 'one' first"
    )
    for _ in range(100):
        if ends.statistics("one").completed == 5:
            break
        rig.pass_time(0.02)
    assert (ends.statistics("one").completed, ends.statistics("one").failed) == (5, 0)


@pytest.mark.parametrize("protocol", ["tcp-server", "http-server"])
def test_responders_of_the_same_servers_are_refused(ends: Connections, protocol: str) -> None:
    ends.start(
        Responder(name="other", port="p2", protocol=protocol, servers=Endpoints.parse("198.18.0.4:80"))
    )
    with pytest.raises(PlanError) as refused:
        ends.start(Responder(name="second", port="p2", protocol=protocol, servers=SERVICE))
    assert str(refused.value) == (
        "responders 'second' and 'web' would both serve 198.18.0.3 on port 'p2', and one of them would "
        "serve all; give one of them other servers=, or stop 'web' first"
    )


def test_a_flood_from_the_port_s_own_address_is_refused_beside_clients_from_there(ends: Connections) -> None:
    ends.start(users("one"))
    with pytest.raises(PlanError, match=r"'flood'.*198\.18\.0\.2:1024-65535 to 198\.18\.0\.3:80"):
        ends.start(users("flood", protocol="syn-flood"))


def test_others_take_their_place_when_clients_are_stopped(ends: Connections) -> None:
    ends.start(users("one"))
    ends.stop(["one"], Clients)
    ends.start(users("two"))
    ends.again(users("two", total=3))
    assert ends.clients("two").total == 3


@pytest.mark.parametrize(
    "other",
    [
        {"sources": "198.18.0.101"},
        {"sources": "198.18.0.100:3000-3010"},
        {"sources": "198.18.0.100:2000", "target": Endpoints.parse("198.18.0.3:81")},
        {"sources": "198.18.0.100:2000", "vlan": 7},
        {"sources": "198.18.0.100:2000", "protocol": "dns-client", "parameters": {}},
    ],
    ids=["address", "ports", "service", "vlan", "protocol"],
)
def test_others_that_differ_in_something_are_beside_them(
    ends: Connections, rig: Rig, other: dict[str, Any]
) -> None:
    ends.start(users("one", "198.18.0.100:2000-2009"))
    ends.start(users("two", **other))
    rig.pass_time(0.02)
    assert ends.statistics("two").openings > 0
