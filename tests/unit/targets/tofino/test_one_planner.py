# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester plan --target tofino` and the driver accept the same jobs and refuse the same ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job, JobFile
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.port_pattern import PortPattern, over_ports
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream, VersionField
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.plan import switch_plan
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.session.program import Program

from .rig import FOLDER, Bench, cabling

PORTS = {
    port.port.name: replace(port.port, address=ip_interface(f"198.18.{number}.2/16"))
    for number, port in enumerate(cabling().front, 1)
}
LONG = FrameSize(256)
VXLAN = "Ether / IP / UDP(dport=4789) / VXLAN(vni=77, flags=8) / Ether / IP / UDP"
SERVERS = Endpoints(AddressRange.parse("198.18.1.10-198.18.1.11"), PortRange(80))


def headers(text: str) -> dict[str, Any]:
    return {"headers": HeaderStack.parse(text), "frame_size": LONG}


def stream(**changes: Any) -> Stream:
    return Stream("s", "p1", "p2", **{"rate": Rate.parse("1 kpps"), **changes})


def version(path: str, bit: int | None = None, **changes: Any) -> Stream:
    return stream(version=VersionField(FieldPath.parse(path), bit), **changes)


def edited(*paths: str) -> Stream:
    first = {"IP.src": "10.0.0.1", "IP.dst": "10.0.1.1", "ARP.psrc": "10.0.0.1"}
    first |= {"Ether.dst": "02:00:00:00:00:01", "Ether.src": "02:00:00:00:01:01"}
    editors = (Editor(FieldPath.parse(path), Sweep(first.get(path, "1"), count=4)) for path in paths)
    return stream(editors=tuple(editors))


BEHIND = (
    r"'s': a switch signs right behind the outermost UDP or TCP, where this stream has {} bytes of headers"
)
JOBS: dict[str, tuple[Stream | Responder, str]] = {
    "plain": (stream(), ""),
    "ipv6": (stream(**headers("Ether / IPv6 / UDP")), ""),
    "tagged": (stream(**headers("Ether / Dot1Q(vlan=7) / IP / UDP")), ""),
    "two fields": (edited("IP.src", "UDP.dport"), ""),
    "both addresses of Ethernet": (replace(edited("Ether.dst", "Ether.src"), count_flows=True), ""),
    "unsigned tcp": (stream(**headers("Ether / IP / TCP"), signature=False), ""),
    "unsigned vxlan": (stream(**headers(VXLAN), signature=False), ""),
    "the program's version": (version("IP.id"), ""),
    "the program's version, by its bit": (version("IP.id", 15), ""),
    "imix": (stream(frame_size=parse_frame_sizes("imix")), ""),
    "unsigned imix": (
        stream(frame_size=parse_frame_sizes("imix"), signature=False),
        "3 different frames without a signature; a switch could not tell its templates apart",
    ),
    "imix whose flows are counted": (
        replace(edited("IP.src"), count_flows=True, frame_size=parse_frame_sizes("imix")),
        "3 different frames whose flows are counted; on a switch each size goes through the flows by itself",
    ),
    "phase": (stream(phase=Fraction(1, 2)), ""),
    "phase of a late one": (stream(phase=Fraction(1, 2), start_after=Duration(10**9)), ""),
    "late": (stream(start_after=Duration(10**9)), ""),
    "hardly late": (
        stream(start_after=Duration(10**6), rate=Rate.parse("400 pps")),
        r"whole ones: give 2\.5\d* ms, or leave",
    ),
    "a port of a mesh": (
        replace(over_ports(stream(), PortPattern.MESH, ("p1", "p2", "p3"))[1], rx="p2"),
        "",
    ),
    "no checksum": (stream(**headers("Ether / IP / UDP(chksum=0)")), "UDP without a checksum"),
    "flows": (replace(edited("IP.src"), count_flows=True), ""),
    "more flows than counters": (
        stream(
            editors=(Editor(FieldPath.parse("IP.src"), Sweep("10.0.0.1", count=40_000)),), count_flows=True
        ),
        "counters of flows: 40,000 needed, 32,768 there, 7,232 too many \\(s 40,000\\); let fields",
    ),
    "signed tcp": (stream(**headers("Ether / IP / TCP")), ""),
    "signed icmp": (stream(**headers("Ether / IP / ICMP")), "a switch signs behind UDP, or TCP"),
    "signed vxlan": (stream(**headers(VXLAN)), BEHIND.format(50)),
    "signed geneve": (
        stream(**headers("Ether / IP / UDP(dport=6081) / GENEVE(vni=9) / Ether / IP / UDP")),
        BEHIND.format(50),
    ),
    "signed gtp-u": (
        stream(**headers("Ether / IP / UDP(dport=2152) / GTPHeader(teid=9) / IP / UDP")),
        BEHIND.format(36),
    ),
    "version in a tag": (
        version("Dot1Q.prio", **headers("Ether / Dot1Q(vlan=7) / IP / UDP")),
        r"version is bit 112 of the frame; a switch writes the highest bit of IP\.id",
    ),
    "version elsewhere in IP.id": (
        version("IP.id", 3),
        r"bit 156 of the frame; .* the highest bit of IP\.id",
    ),
    "version elsewhere in IPv6": (
        version("IPv6.fl", 2, **headers("Ether / IPv6 / UDP")),
        r"a switch writes the highest bit of IPv6\.fl",
    ),
    "version where there is none": (
        version("Dot1Q.dei", **headers("Ether / Dot1Q(vlan=7) / ARP"), signature=False),
        "none into a frame in which it finds no IP header",
    ),
    "the bit is taken": (
        stream(**headers("Ether / IP(id=0x8001) / UDP")),
        r"the highest bit of IP\.id is 1 in its headers; a switch writes its version there",
    ),
    "three fields": (edited("IP.src", "IP.dst", "UDP.dport"), "3 fields change"),
    "a field behind a tunnel's header": (
        replace(edited("IPv6.hlim"), signature=False, **headers("Ether / IP / IPv6 / UDP")),
        "IPv6.hlim: a switch does not find its header",
    ),
    "a field behind two tags": (
        replace(
            edited("ARP.psrc"), signature=False, **headers("Ether / Dot1Q(vlan=7) / Dot1Q(vlan=8) / ARP")
        ),
        "ARP.psrc: a switch does not find its header",
    ),
    "a field that it does not edit": (edited("IP.id"), "a switch does not edit it"),
    "unsigned, nothing to know it by": (
        stream(**headers("Ether / IPv6 / UDP"), signature=False),
        "",  # ports of UDP
    ),
    "http": (Responder(name="r", port="p1", protocol="http-get", servers=SERVERS), ""),
    "http with a tag": (
        Responder(name="r", port="p1", protocol="http-get", vlan=4, servers=SERVERS),
        "",
    ),
    "gtp-u": (Responder(name="r", port="p1", protocol="gtpu-echo"), "response sets GTPU.seq to GTPU.seq"),
    "dns at another port": (
        Responder(name="r", port="p1", protocol="dns-one", servers=Endpoints.parse("198.18.1.10:5353")),
        r"'r': packets of dns-one are for port 53 of UDP, and servers= begin at 5353; give :53, or no port",
    ),
    "dns at its port": (
        Responder(name="r", port="p1", protocol="dns-one", servers=Endpoints.parse("198.18.1.10:53")),
        "",
    ),
    "dns": (Responder(name="r", port="p1", protocol="dns-one", vlan=4), ""),
}


def refusal(job: Job) -> tuple[str, str]:
    """The refusals by the plan command and by the driver; empty where they accept the job."""
    said = []
    for run in (_planned, _driven):
        try:
            run(job)
            said.append("")
        except PlanError as problem:
            said.append(str(problem))
    return said[0].removeprefix("job.yaml: "), said[1]


def _planned(job: Job) -> None:
    switch_plan(JobFile(Path("job.yaml"), job, PORTS, {}))


def _driven(job: Job) -> None:
    tester = Bench()
    folded = tester.session(loopbacks=())  # all of a folded switch, which is what a plan is for
    target = TofinoTarget(folded, Program.load(FOLDER))
    target.load(compile_job(job, ports=PORTS, gateways={}, max_streams=256))


@pytest.mark.parametrize("name", JOBS)
def test_the_plan_command_and_the_driver_agree(name: str) -> None:
    what, why = JOBS[name]
    job = Job("job", (what,)) if isinstance(what, Stream) else Job("job", (), ends=(what,))
    planned, driven = refusal(job)
    assert planned == driven
    if why:
        with pytest.raises(PlanError, match=why):
            _driven(job)
    else:
        assert driven == ""
