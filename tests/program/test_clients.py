# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients and what answers them run on the fake chip and on the program: frame by frame the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_SERVICE = Endpoints.parse("198.18.0.3:80")
_OPENED = (
    ("http-get-client", "198.18.0.2", 1),
    ("http-get-client", "198.18.0.2", 100),
    ("http-get-client", "198.18.0.64-198.18.0.67:5000-5999", 8),
    ("http-get-client", "198.18.0.64-198.18.0.95:1024", 32),
    ("syn-flood", "198.18.0.2", 1),
    ("syn-flood", "198.18.0.64-198.18.0.95:1024", 1),
)
_MAC = bytes([2, 0, 0, 0, 0, 2])


@pytest.mark.parametrize("seed", range(12))
def test_clients_do_the_same_on_both(program: P4Program, seed: int) -> None:
    _compare(Twins(program), Random(seed), _OPENED)


@pytest.mark.parametrize("seed", range(4))
def test_clients_do_the_same_on_a_tofino_2(program2: P4Program, seed: int) -> None:
    flood = ("syn-flood", "198.18.0.64-198.18.0.67:5000-5999", 1)  # which changes three fields
    _compare(Twins(program2, "tofino2"), Random(seed), (_OPENED[seed], flood))


def _compare(twins: Twins, draw: Random, opened: Sequence[tuple[str, str, int]]) -> None:
    protocol, sources, connections = draw.choice(opened)
    users = Clients(
        name="users",
        port="p1",
        protocol=protocol,
        target=_SERVICE,
        sources=Endpoints.parse(sources),
        connections=connections,
        rate=Frequency.parse(f"{draw.choice((300, 1000, 7777))}/s"),
        reopen=draw.choice(list(Reopen)),
        first_source=draw.randrange(30),
        parameters={"wait": draw.choice(("3 ms", "20 ms"))} if protocol == "http-get-client" else {},
    )
    server = draw.choice(("http-get", "syn-reset", ""))
    vlan = draw.choice((None, 7))

    def run(rig: SwitchRig) -> Any:
        ends: tuple[Any, ...] = (replace(users, vlan=vlan),)
        if server:
            ends += (Responder(name="web", port="p2", protocol=server, servers=_SERVICE, vlan=vlan),)
        macs = {("p1", _SERVICE.addresses.first): _MAC}
        plan = compile_job(
            Job("job", ends=ends), ports=rig.ports, gateways={}, max_streams=9, neighbours=macs
        )
        rig.load(plan)
        rig.target.start(["job"])
        for _ in range(5):
            rig.pass_time(0.01)
            found = rig.target.snapshot(["job"])
        rig.target.stop(["job"])
        return found

    twins.both(run)
    assert twins.sent
