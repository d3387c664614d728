# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ports and jobs for the planner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_interface

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job

MAC1, MAC2 = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
GATEWAY = bytes.fromhex("0200000000fe")


def port(name: str, mac: bytes, address: str = "", gateway: str = "", speed: str = "10 Gbps") -> Port:
    return Port(
        name=name,
        speed=Bandwidth.parse(speed),
        mac=mac,
        max_frame_size=1518,
        address=ip_interface(address) if address else None,
        gateway=ip_address(gateway) if gateway else None,
    )


BRIDGED = {"p1": port("p1", MAC1), "p2": port("p2", MAC2)}
ROUTED = {
    "p1": port("p1", MAC1, "198.18.1.2/24", "198.18.1.1"),
    "p2": port("p2", MAC2, "198.19.1.2/24", "198.19.1.1"),
}
ROUTED6 = {
    "p1": port("p1", MAC1, "2001:2:0:1::2/64", "2001:2:0:1::1"),
    "p2": port("p2", MAC2, "2001:2:0:2::2/64", "2001:2:0:2::1"),
}
NORTH = Stream("north", "p1", "p2")


def stream(**changes: object) -> Stream:
    """`NORTH`, changed; rate and frame size as texts."""
    parse = {"rate": Rate.parse, "frame_size": FrameSize.parse}
    return replace(NORTH, **{k: parse[k](v) if k in parse else v for k, v in changes.items()})  # type: ignore[arg-type]


def compiled(
    *streams: Stream,
    ports: Mapping[str, Port] = BRIDGED,
    seed: int = 1,
    first_id: int = 1,
    max_streams: int = 16,
    gateways: Mapping[str, bytes] | None = None,
    name: str = "job",
) -> Plan:
    known = {p.name: GATEWAY for p in ports.values() if p.gateway} if gateways is None else gateways
    job = Job(name, streams, seed)
    return compile_job(job, ports=ports, gateways=known, max_streams=max_streams, first_id=first_id)
