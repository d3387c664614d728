# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine as both ends of HTTP: clients on one port, servers on the other, a ring between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
def http(connections: int, *, hold: bool = False, cpus: Sequence[int] = ()) -> Iterator[EngineTarget]:
    """An engine with so many connections open at once, each of one request, and a new one for each that ends.

    Args:
        connections: How many are open at once, at each lcore.
        hold: Whether each stays open for a minute without a request, instead.
        cpus: Of its lcores, each of which is both ends of connections of its own; by default one that sends.
    """
    cpus = cpus or [sending_cpu()]
    pairs = [(f"p{number}", f"q{number}") for number in range(len(cpus))]
    process = EngineProcess.launch(  # an lcore serves each len(cpus)-th port
        ports={
            port: f"loop:{number}"
            for place in range(2)
            for number, port in enumerate(p[place] for p in pairs)
        },
        cpus=cpus,
        memory_mib=_MEMORY_MIB * len(cpus),
        command_prefix=UNDISTURBED,
    )
    target = process.target()
    try:
        jobs = [f"{_JOB} {client}" for client, _ in pairs]
        for job, pair in zip(jobs, pairs, strict=True):
            target.load(_plan(job, target, pair, connections, hold=hold))
        target.start(jobs)
        yield target
    finally:
        target.close()


def users(target: EngineTarget) -> EndCounters:
    """Counters of the clients of the first lcore."""
    return target.snapshot().end(f"{_JOB} p0", USERS)


def ended(target: EngineTarget) -> int:
    """Connections of all clients that have ended."""
    return sum(end.flows_ended or 0 for end in target.snapshot().ends if end.name == USERS)


def _plan(job: str, target: EngineTarget, pair: tuple[str, str], connections: int, *, hold: bool) -> Plan:
    infos = [target.capabilities().port(name) for name in pair]
    ports = {
        info.name: Port(info.name, Bandwidth(10**10), info.mac, info.max_frame_size, address)
        for info, address in zip(infos, (_CLIENT, _SERVER), strict=True)
    }
    client, server = pair
    macs: Neighbours = {(client, _SERVER.ip): ports[server].mac}
    ends = [
        plan_end(end, number, 1, ports=ports, gateways={}, neighbours=macs).end
        for number, end in enumerate(_ends(client, server, connections, hold=hold))
    ]
    return Plan(job, 1, (), ends=tuple(ends))


def _ends(client: str, server: str, connections: int, *, hold: bool) -> list[End]:
    asks, answers = ("tcp-client", "tcp-server") if hold else ("http-client", "http-server")
    parameters = {"size": 0, "hold": "60 s"} if hold else {"size": BODY}
    target = Endpoints.parse(f"{_SERVER.ip}:80")
    return [
        Responder(name="web", port=server, protocol=answers, servers=target, flows=connections + 1024),
        Clients(
            name=USERS,
            port=client,
            protocol=asks,
            target=target,
            sources=Endpoints.parse("10.1.0.1-10.1.0.100"),
            connections=connections,
            parameters={"linger": 0, **parameters},
        ),
    ]
