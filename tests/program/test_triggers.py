# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers at random wait for frames at random: the fake chip and the program send and count the same."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.query import PacketFilter
from TesterLibrary.model.trigger import SentFrames, Trigger
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .test_frames import _load, frame_at_random
from .twins import Twins

_FILTERS = (
    "TCP.flags has S",
    "TCP.flags lacks S",
    "TCP.flags == SA",
    "TCP.flags != A",
    "TCP.sport == 7-81",
    "TCP.dport != 80",
    "IP.src == 198.18.0.0/30",
    "IP.dst != 198.18.0.77",
    "IP.ttl < 64",
    "TCP.window > 100",
)
_SEQ = ("TCP.ack", "7", "TCP.seq", '"TCP.seq - 1"')
_ACK = ("TCP.seq", '"TCP.seq + payload.length"', "0", '"TCP.ack + 5"', '"payload.length + TCP.seq + 1"')
_PAYLOADS = ("", ' / Raw(load="GET /1kB HTTP/1.0")', ' / Raw(load="hi")')


_RETURNED = (
    ("UDP.dport == 7-81 and UDP.sport == 1024-40000", "UDP"),
    ("UDP.dport == 80 and UDP.sport != 80 and IP.ttl == 64", "UDP"),
    ("ICMP.type == 8 and ICMP.code == 0 and IP.dst == 198.18.0.2", "ICMP(type=0)"),
    ("ICMP.type == 3", "ICMP(type=9, code=1)"),
)


def _returning(draw: Random) -> Trigger:
    waits, header = draw.choice(_RETURNED)
    return Trigger(
        name="back",
        port="p1",
        filter=PacketFilter.parse(waits),
        send=SentFrames.parse(f"Ether / IP / {header} / Raw(load=payload)"),
        out=draw.choice((None, "p2")),
        most=draw.choice((2, 10**6)),
        vlan=draw.choice((None, 7)),
    )


def _trigger(draw: Random, name: str) -> Trigger:
    conditions = draw.sample(_FILTERS, draw.randrange(1, 3))
    if not any(condition.startswith("TCP") for condition in conditions):
        conditions.append("TCP.sport != 9")
    # No trigger waits for a packet with the flag of URG, so none sets off another one.
    headers = f"TCP(flags=UE, seq={draw.choice(_SEQ)}, ack={draw.choice(_ACK)}, window={draw.randrange(90)})"
    if draw.random() < 0.3:
        conditions.append("TCP.dport == 81")
        headers = headers.replace("TCP(", "TCP(sport=81, ")
    address = draw.choice(("", "(dst='02:00:00:00:00:77')", "(src='02:00:00:00:00:78')"))
    return Trigger(
        name=name,
        port="p1",  # beside the responders of p2
        filter=PacketFilter.parse(" and ".join([*conditions, "TCP.flags lacks UC"])),
        send=SentFrames.parse(f"Ether{address} / IP(ttl=9) / {headers}{draw.choice(_PAYLOADS)}"),
        out=draw.choice((None, "p2")),
        vlan=draw.choice((None, 7)),
        most=draw.choice((3, 10**6)),
    )


_SURE = Trigger(
    name="sure",
    port="p1",
    filter=PacketFilter.parse("TCP.flags has C and TCP.flags lacks U"),
    send=SentFrames.parse("Ether / IP / TCP(flags=UE)"),
)
_SETS_IT_OFF = Ether() / IP(src="198.18.0.2", dst="198.18.0.3") / TCP(flags="C")


@pytest.mark.parametrize("seed", range(12))
def test_triggers_do_the_same_on_both(program: P4Program, seed: int) -> None:
    draw = Random(seed)
    twins = Twins(program)
    triggers = [_SURE, *(_trigger(draw, f"t{number}") for number in range(2)), _returning(draw)]
    loaded: list[str] = []

    def load(rig: SwitchRig) -> list[str]:
        plans: list[Plan] = []
        for trigger in triggers:
            with suppress(PlanError):  # one that would go off together with another one
                job = Job(trigger.name, ends=(trigger,))
                plan = compile_job(job, ports=rig.ports, gateways={}, max_streams=9, beside=plans)
                plans.append(rig.load(plan))
                rig.target.start([trigger.name])
        loaded[:] = [plan.job for plan in plans]
        return list(loaded)

    def read(rig: SwitchRig) -> Any:
        rig.pass_time(0.01)
        return rig.target.snapshot(loaded)

    twins.both(_load)
    twins.both(load)
    twins.arrive(0, bytes(_SETS_IT_OFF).ljust(60, b"\0"))
    known = [bytes.fromhex(octets) for _, _, octets in twins.sent]
    for _ in range(200):
        twins.arrive(
            0 if draw.random() < 0.9 else 4,
            draw.choice(known) if draw.random() < 0.1 else frame_at_random(draw),
        )
    twins.both(read)
    assert twins.rigs[0].target.snapshot(["sure"]).end("sure", "sure").tx_packets >= 1


@pytest.mark.parametrize("ack", ["7", "TCP.seq + 1", "TCP.ack - 1", "TCP.seq + payload.length"])
@pytest.mark.parametrize("seq", ["9", "TCP.seq - 1", "TCP.ack + 5"])
def test_sums_of_a_trigger_are_the_same_on_both(program: P4Program, seq: str, ack: str) -> None:
    draw, twins = Random(5), Twins(program)
    send = SentFrames.parse(f'Ether / IP / TCP(flags=UE, seq="{seq}", ack="{ack}")')

    def load(rig: SwitchRig) -> None:
        job = Job("sure", ends=(replace(_SURE, send=send),))
        rig.load(compile_job(job, ports=rig.ports, gateways={}, max_streams=9))
        rig.target.start(["sure"])

    twins.both(load)
    for _ in range(5):
        packet = _SETS_IT_OFF / Raw(bytes(draw.randrange(40)))
        packet[TCP].seq, packet[TCP].ack = draw.getrandbits(32), draw.getrandbits(32)
        twins.arrive(0, bytes(packet).ljust(60, b"\0"))
    assert len(twins.sent) == 5
