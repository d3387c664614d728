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
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.running.neighbours import NeighbourMeasurer, Neighbours

from ..case import Case
from .lab import NEIGHBOURS, Lab, judge_at

_RATE = Frequency.parse("10 k/s")
_HEARD = """
  set known {{ type ipv4_addr; size {room}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    add @known {{ arp saddr ip }} accept
    drop
  }}
"""


def _heard(lab: Lab, addresses: AddressRange) -> int:
    """How many of them the device has let in."""
    shown = json.loads(lab.inside("nft", "-j", "list", "set", "arp", "truth", "known"))
    (known,) = (entry["set"] for entry in shown["nftables"] if "set" in entry)
    each = [ip_address(element) for element in known.get("elem", [])]
    return sum(addresses.first <= address <= addresses.last for address in each)


def _prepare(draw: random.Random, lab: Lab, most: int) -> AddressRange:
    """Addresses that the device does not know."""
    addresses = AddressRange(ip_address(f"198.18.{draw.randint(64, 250)}.1"), most)
    lab.inside("ip", "neigh", "flush", "to", "198.18.64.0/18")
    lab.inside("ip", "neigh", "flush", "to", "198.18.128.0/17")
    lab.tester.asked.clear()  # what it has asked for is forgotten
    return addresses


@judge_at(NEIGHBOURS)
def learned(draw: random.Random, lab: Lab) -> Case:
    count = draw.randint(2, 300)
    room = draw.choice([count // 2 + 3, count + draw.randint(-2, 6), count + 50])
    takes = draw.random() < 0.8
    addresses = _prepare(draw, lab, count)
    lab.inside("sysctl", "-q", "-w", f"net.ipv4.conf.p1.arp_accept={int(takes)}")
    try:
        with lab.rules("arp", _HEARD.format(room=max(3, room))):
            measurer = NeighbourMeasurer(lab.tester, Neighbours(addresses, "p1", "p2", _RATE, _RATE))
            trial = measurer.measure(count)
            heard = _heard(lab, addresses) if takes else 0
    finally:
        lab.inside("sysctl", "-q", "-w", "net.ipv4.conf.p1.arp_accept=1")
    verdict = all_learned(LearningResult("neighbours", (), trial))
    about = f"{count} from {addresses.first}, {room=}, {takes=}, heard {heard}; {trial}"
    return Case("all_learned", heard == count, verdict, "", about)


@judge_at(NEIGHBOURS)
def capacity(draw: random.Random, lab: Lab) -> Case:
    room = draw.randint(8, 200)
    addresses = _prepare(draw, lab, 2 * room)
    with lab.rules("arp", _HEARD.format(room=room)):
        measurer = NeighbourMeasurer(lab.tester, Neighbours(addresses, "p1", "p2", _RATE, _RATE))
        result = find_capacity(measurer, "neighbours", max(1, room - 6), 2 * room)
        heard = _heard(lab, addresses)
    bound = max(1, draw.choice([heard, heard + 1, heard - 1, heard // 2, 2 * heard, 3 * room]))
    about = f"bound {bound}; {room=}, heard {heard} from {addresses.first}; {result}"
    return Case("capacity_above", heard >= bound, capacity_above(result, bound), "", about)
