# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what a router learns of its neighbours.

It hears only the first so many addresses: the set in which the kernel keeps them is the truth.
"""

from __future__ import annotations

import json
import random
from ipaddress import ip_address

from TesterLibrary.methodology.learning import LearningResult, all_learned, capacity_above, find_capacity
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.running.procedures.announcement import Announcement, Neighbours
from TesterLibrary.running.procedures.neighbours import NeighbourMeasurer

from ..case import Case
from .lab import IPV6_NEIGHBOURS, NEIGHBOURS, Lab, judge_at

_RATE = Frequency.parse("10 k/s")
_HEARD = {
    4: """
  set known {{ type ipv4_addr; size {room}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    add @known {{ arp saddr ip }} accept
    drop
  }}
""",
    6: """
  set known {{ type ipv6_addr; size {room}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    icmpv6 type != {{ nd-neighbor-solicit, nd-neighbor-advert }} accept
    add @known {{ ip6 saddr }} accept
    drop
  }}
""",
}
_FAMILIES = {4: "arp", 6: "ip6"}
_TAKES = {4: "net.ipv4.conf.p1.arp_accept", 6: "net.ipv6.conf.p1.accept_untracked_na"}
_NETWORKS = {4: ("198.18.64.0/18", "198.18.128.0/17"), 6: ("2001:2:0:1::/64",)}


def _heard(lab: Lab, addresses: AddressRange) -> int:
    """How many of them the device has let in."""
    family = _FAMILIES[addresses.first.version]
    shown = json.loads(lab.inside("nft", "-j", "list", "set", family, "truth", "known"))
    (known,) = (entry["set"] for entry in shown["nftables"] if "set" in entry)
    return sum(ip_address(element) in addresses for element in known.get("elem", []))


def _prepare(draw: random.Random, lab: Lab, most: int, version: int) -> AddressRange:
    """Addresses that the device does not know."""
    number = draw.randint(64, 250)
    first = f"198.18.{number}.1" if version == 4 else f"2001:2:0:1::{number:x}:1"
    for network in _NETWORKS[version]:
        lab.inside("ip", "neigh", "flush", "to", network)
    lab.tester.air.asked.clear()  # what it has asked for is forgotten
    return AddressRange(ip_address(first), most)


def _learned(draw: random.Random, lab: Lab, version: int) -> Case:
    count = draw.randint(2, 300)
    room = draw.choice([count // 2 + 3, count + draw.randint(-2, 6), count + 50])
    takes = draw.random() < 0.8
    addresses = _prepare(draw, lab, count, version)
    lab.inside("sysctl", "-q", "-w", f"{_TAKES[version]}={int(takes)}")
    try:
        with lab.rules(_FAMILIES[version], _HEARD[version].format(room=max(3, room))):
            measurer = NeighbourMeasurer(lab.tester, Neighbours(addresses, "p1", "p2", _RATE, _RATE))
            trial = measurer.measure(count)
            heard = _heard(lab, addresses) if takes else 0
    finally:
        lab.inside("sysctl", "-q", "-w", f"{_TAKES[version]}=1")
    verdict = all_learned(LearningResult("neighbours", (), trial))
    about = f"{count} from {addresses.first}, {room=}, {takes=}, heard {heard}; {trial}"
    return Case("all_learned", heard == count, verdict, "", about)


def _capacity(draw: random.Random, lab: Lab, version: int, kind: Announcement) -> Case:
    room = draw.randint(8, 200)
    addresses = _prepare(draw, lab, 2 * room, version)
    with lab.rules(_FAMILIES[version], _HEARD[version].format(room=room)):
        measurer = NeighbourMeasurer(lab.tester, Neighbours(addresses, "p1", "p2", _RATE, _RATE, kind))
        result = find_capacity(measurer, "neighbours", max(1, room - 6), 2 * room)
        heard = _heard(lab, addresses)
    bound = max(1, draw.choice([heard, heard + 1, heard - 1, heard // 2, 2 * heard, 3 * room]))
    about = f"bound {bound}; {room=}, heard {heard} from {addresses.first}; {result}"
    return Case("capacity_above", heard >= bound, capacity_above(result, bound), "", about)


@judge_at(NEIGHBOURS, slow=True)
def learned(draw: random.Random, lab: Lab) -> Case:
    return _learned(draw, lab, 4)


@judge_at(NEIGHBOURS, slow=True)
def capacity(draw: random.Random, lab: Lab) -> Case:
    return _capacity(draw, lab, 4, Announcement.REPLY)


@judge_at(IPV6_NEIGHBOURS, slow=True)
def learned_over_ipv6(draw: random.Random, lab: Lab) -> Case:
    return _learned(draw, lab, 6)


@judge_at(IPV6_NEIGHBOURS, slow=True)
def capacity_over_ipv6(draw: random.Random, lab: Lab) -> Case:
    return _capacity(draw, lab, 6, draw.choice([Announcement.REQUEST, Announcement.ANSWER]))
