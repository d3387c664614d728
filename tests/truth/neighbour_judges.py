# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbours of the tester: odd advertisements, addresses of the device, and when they are forgotten."""

from __future__ import annotations

import random
from ipaddress import IPv4Interface, IPv6Address, ip_address

from scapy.layers.inet6 import (
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptMTU,
    IPv6,
)
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.ageing import measure_ageing
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Clients
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.frame import question
from TesterLibrary.targets.tofino.neighbours.discovery import advertised
from TesterLibrary.verdict import Outcome, Verdict
from tests.unit.methodology.test_ageing import SECOND, SimulatedTable

from .case import Case, judge


@judge
def ageing(draw: random.Random) -> Case:
    """A table that forgets each address after another time, some of them never within the timeout."""
    cycles, gap_ns, way_ns = draw.randint(1, 4), draw.choice([10**6, 10**7, 10**8]), draw.randint(0, 10**6)
    times = [draw.randint(1, 20 * SECOND) for _ in range(cycles)]
    fault, learns = draw.random() < 0.08, draw.random() < 0.9
    objections = ("a worker did not run for 90 ms",) if fault else ()
    table = SimulatedTable(times, gap_ns, way_ns, learns, objections)
    timeout = draw.choice([15, 30]) * SECOND
    result = measure_ageing(table, "at p1", cycles=cycles, timeout=Duration(timeout))
    above = draw.random() < 0.5
    worst = min(times) if above else max(times)
    bound = max(1, worst + draw.choice([0, 1, -1, gap_ns, -gap_ns, SECOND, -SECOND, 20 * SECOND]))
    verdict = (result.verdict_above if above else result.verdict_below)(Duration(bound))
    excuse = "the tester" if fault else "" if learns else "it was not learned"
    if abs(bound - worst) <= 3 * gap_ns + way_ns:
        excuse = excuse or "within the gap between two frames"
    if max(worst, bound) > timeout - 3 * gap_ns:
        excuse = excuse or "it was not watched for so long"
    truth = (worst >= bound if above else worst <= bound) if learns else None
    about = f"{'above' if above else 'below'} {bound} ns; {times=} {gap_ns=} {way_ns=} {timeout=}"
    return Case("ageing_time", truth, verdict, excuse, about)


_OURS, _DEVICE = IPv6Address("2001:db8::3"), IPv6Address("2001:db8::1")
_OUR_MAC, _DEVICE_MAC = bytes.fromhex("020000000002"), bytes.fromhex("02ff00000001")
_DEVICE_TEXT = "02:ff:00:00:00:01"


@judge
def advertisement(draw: random.Random) -> Case:
    """A device that hears multicast questions only answers with or without its link-layer address.

    An answer is heeded if RFC 4861 §7.1.2 lets it, and if it has an address (§7.2.5).
    """
    asked = Ether(question(_OUR_MAC, _OURS, _DEVICE))
    hears = asked.dst.startswith("33:33:") and ICMPv6ND_NS in asked
    has_address, hops = draw.random() < 0.6, draw.choice([255, 255, 255, 64, 254])
    code, damaged = draw.choice([0, 0, 0, 1]), draw.random() < 0.15
    flags = {flag: draw.randint(0, 1) for flag in "RSO"}
    answer = (
        Ether(src=_DEVICE_TEXT, dst=asked.src)
        / IPv6(src=str(_DEVICE), dst=str(_OURS), hlim=hops)
        / ICMPv6ND_NA(tgt=str(_DEVICE), code=code, **flags)
    )
    options = [ICMPv6NDOptMTU()] * draw.randint(0, 1)
    if has_address:
        options.insert(draw.randint(0, len(options)), ICMPv6NDOptDstLLAddr(lladdr=_DEVICE_TEXT))
    for option in options:
        answer = answer / option
    octets = bytearray(bytes(answer))
    if damaged:
        octets[draw.randrange(58, len(octets))] ^= 1 << draw.randrange(8)
    heard = advertised(bytes(octets)) if hears else None
    truth = hears and has_address and hops == 255 and code == 0 and not damaged
    known = heard == (_DEVICE, _DEVICE_MAC)
    outcome = Outcome.PASS if known else Outcome.FAIL
    about = f"{has_address=} {hops=} {code=} {damaged=} {flags} {len(options)} options; {heard}"
    return Case("advertisement of a device", truth, Verdict(outcome, "gateway", str(heard), "its"), "", about)


@judge
def defended(draw: random.Random) -> Case:
    """Clients whose sources may hold addresses of the device and of the network: nobody else has these."""
    length = draw.choice([24, 28, 30, 31])
    network = IPv4Interface(f"198.18.1.{draw.choice([0, 16, 64])}/{length}").network
    hosts = list(network)
    gateway, ours = draw.sample(hosts if length == 31 else hosts[1:-1], 2)
    port = Port("p1", Bandwidth(10**9), _OUR_MAC, 1518, IPv4Interface(f"{ours}/{length}"), gateway=gateway)
    first = draw.randrange(len(hosts))
    last = draw.randrange(first, len(hosts))
    target = Endpoints.parse("198.19.1.10:80")
    sources = Endpoints.parse(f"{hosts[first]}-{hosts[last]}")
    users = Clients(name="users", port="p1", protocol="http-client", target=target, sources=sources)
    not_ours = {gateway} | (set() if length == 31 else {network[0], network[-1]})
    try:
        plan = compile_job(
            Job("job", ends=(users,)), ports={"p1": port}, gateways={"p1": _DEVICE_MAC}, max_streams=0
        )
        answered = {ip_address(str(neighbour.address)) for neighbour in plan.neighbours}
        wrong, said = answered & not_ours, bool(plan.remarks)
    except PlanError as refusal:
        answered, wrong, said = set(), set(), str(refusal) != ""
    swept = set(hosts[first : last + 1])
    # The truth is that nobody else is answered for, and that it is told where some are left out.
    told = said == bool(swept & not_ours)
    outcome = Outcome.FAIL if wrong or not told else Outcome.PASS
    about = (
        f"{hosts[first]}-{hosts[last]} of {network}, {gateway=}: {len(answered)} answered, {wrong=} {said=}"
    )
    return Case("addresses of the device", True, Verdict(outcome, "answers", str(wrong), "none"), "", about)
