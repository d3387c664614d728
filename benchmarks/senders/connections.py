# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine as both ends of HTTP: clients on one port, servers on the other, a ring between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Interface

from TesterLibrary.measurement.snapshot import EndCounters
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.responder import Neighbours, plan_end
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from ..harness.machine import UNDISTURBED, sending_cpu

BODY = 1024  # bytes of a response
USERS = "users"
_JOB = "benchmark"
_MEMORY_MIB = 512
_CLIENT, _SERVER = IPv4Interface("10.0.0.1/8"), IPv4Interface("10.0.0.2/8")


@contextmanager
def http(connections: int, *, hold: bool = False) -> Iterator[EngineTarget]:
    """An engine with so many connections open at once, each of one request, and a new one for each that ends.

    Args:
        connections: How many are open at once.
        hold: Whether each stays open for a minute without a request, instead.
    """
    process = EngineProcess.launch(
        ports={"p1": "loop:x", "p2": "loop:x"},
        cpus=[sending_cpu()],
        memory_mib=_MEMORY_MIB,
        command_prefix=UNDISTURBED,
    )
    target = process.target()
    try:
        target.load(_plan(target, connections, hold=hold))
        target.start([_JOB])
        yield target
    finally:
        target.close()


def users(target: EngineTarget) -> EndCounters:
    """Counters of the clients."""
    return target.snapshot().end(_JOB, USERS)


def _plan(target: EngineTarget, connections: int, *, hold: bool) -> Plan:
    ports = {
        info.name: Port(info.name, Bandwidth(10**10), info.mac, info.max_frame_size, address)
        for info, address in zip(target.capabilities().ports, (_CLIENT, _SERVER), strict=True)
    }
    macs: Neighbours = {("p1", _SERVER.ip): ports["p2"].mac}
    ends = [
        plan_end(end, number, 1, ports=ports, gateways={}, neighbours=macs).end
        for number, end in enumerate(_ends(connections, hold=hold))
    ]
    return Plan(_JOB, 1, (), ends=tuple(ends))


def _ends(connections: int, *, hold: bool) -> list[End]:
    asks, answers = ("tcp-client", "tcp-server") if hold else ("http-client", "http-server")
    parameters = {"size": 0, "hold": "60 s"} if hold else {"size": BODY}
    target = Endpoints.parse(f"{_SERVER.ip}:80")
    return [
        Responder(name="web", port="p2", protocol=answers, servers=target, flows=connections + 1024),
        Clients(
            name=USERS,
            port="p1",
            protocol=asks,
            target=target,
            sources=Endpoints.parse("10.1.0.1-10.1.0.100"),
            connections=connections,
            parameters={"linger": 0, **parameters},
        ),
    ]
