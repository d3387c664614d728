# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans for a switch of two ports, and the switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_interface
from typing import Any

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.allocation import LoopbackPort
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.driver.job import SwitchJob
from TesterLibrary.targets.tofino.session.ports import SwitchPorts
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.tables import Tables

PROFILES = ("tofino", "tofino2")
PROGRAM = Program.load(shipped("tofino"))
SCHEMAS = [Schema.load(shipped(name) / "bf-rt.json") for name in PROFILES]
MACS = {"p1": bytes.fromhex("020000000001"), "p2": bytes.fromhex("020000000002")}
KNOWN = {
    name: Port(name, Bandwidth(10**10), MACS[name], 9000, ip_interface(address))
    for name, address in (("p1", "198.18.1.2/16"), ("p2", "198.18.2.2/16"))
}
PORTS = SwitchPorts(
    front={"p1": 132, "p2": 140},
    loopback={LoopbackPort(j, k): 128 + 256 * j + 4 * k for j in range(2) for k in range(16)},
    cpu=192,
    known=KNOWN,
)

FAST = replace(PORTS, known={name: replace(port, speed=Bandwidth(10**11)) for name, port in KNOWN.items()})


def planned(
    streams: list[Stream],
    ends: list[Responder] | None = None,
    *,
    job: str = "job",
    first: int = 1,
    ports: Mapping[str, Port] = KNOWN,
) -> Plan:
    """Compiled for the two ports."""
    whole = Job(job, tuple(streams), ends=tuple(ends or ()))
    return compile_job(whole, ports=ports, gateways={}, max_streams=100, first_id=first)


def switched(plan: Plan, **options: Any) -> SwitchJob:
    """The job of a plan for the shipped program."""
    return switch_job(plan, PORTS, PROGRAM, **options)


def written(schema: Schema, *jobs: SwitchJob) -> Tables:
    """A switch that holds jobs."""
    tables = Tables(schema)
    for job in jobs:
        tables.write([*job.entries, *job.answering])
    return tables
