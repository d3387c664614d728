# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers in a fake switch: their frames byte by byte, their room, and what a refusal leaves as it was."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from random import Random

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.protocols.interpreter import Interpreter
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.driver.job import SwitchJob
from TesterLibrary.targets.tofino.fake import Bridge
from TesterLibrary.targets.tofino.reading.resets import Resets
from TesterLibrary.targets.tofino.session.schema import Schema
from tests.contract.rig import SwitchRig
from tests.unit.planning.test_trigger import trigger

from ..jobs import KNOWN, PORTS, PROFILES, PROGRAM, SCHEMAS, written

QUEUES_LEFT = 2  # of 16, by the protocols of the shipped program
ARRIVES = 0  # the device port of p1
SENT = "Ether / IP / TCP(flags=R, seq=TCP.ack)"
FRAMES = (
    SENT,
    "Ether(src='02:00:00:00:00:55') / IP(ttl=3, flags=DF) / TCP(seq=7, ack='TCP.seq + payload.length')",
    "Ether / IP / TCP(seq='TCP.ack - 1', ack='TCP.seq + payload.length + 1') / Raw(load='GET /1kB')",
    "Ether / IP(tos=8) / TCP(seq=TCP.seq, ack=TCP.ack, window=9, urgptr=3) / Raw(load='of an odd length')",
)


class Tap(Bridge):
    """A wire that keeps what leaves the switch."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[bytes] = []

    def forward(
        self,
        port: int,  # noqa: ARG002 - as `Bridge` has it
        frame: bytes,
        now_ns: int,  # noqa: ARG002
        others: Collection[int],  # noqa: ARG002
    ) -> Iterator[tuple[int, int, bytes]]:
        self.left.append(frame)
        return iter(())


def planned(rig: SwitchRig, name: str, filter: str, send: str) -> Plan:  # noqa: A002
    job = Job(name, ends=(trigger(filter, send, name),))
    return compile_job(job, ports=rig.ports, gateways={}, max_streams=1)


LINK = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:01") / IP(src="10.0.0.9", dst="10.0.0.1")


def compare(filter: str, send: str, packets: Iterable[Packet]) -> None:  # noqa: A002
    """Has packets arrive at the fake switch and at the reference: both send the same, and not nothing."""
    tap = Tap()
    rig = SwitchRig(tap)
    assert rig.ports["p1"].mac.hex(":") == LINK.dst
    plan = rig.load(planned(rig, "t", filter, send))
    rig.target.start(["t"])
    reference = Interpreter(plan.ends[0].protocol)
    for packet in packets:
        octets = bytes(packet).ljust(60, b"\0")
        rig.daemon.running.chip.arrive(ARRIVES, octets, rig.now_ns)
        rig.pass_time(1e-5)
        rig.daemon.running.chip.run(rig.now_ns)
        expected = [frame.ljust(60, b"\0") for frame in reference.receive(octets, now=0)]
        assert [frame.hex() for frame in tap.left] == [frame.hex() for frame in expected]
        assert expected
        tap.left.clear()


def segments(draw: Random) -> Iterator[Packet]:
    for size in (0, 1, 15, 16, 17, 900):
        numbers = {"seq": draw.getrandbits(32), "ack": draw.getrandbits(32)}
        options = draw.choice(([], [("MSS", 1460)]))
        segment = TCP(sport=80, dport=2000, flags="SA", options=options, **numbers)
        yield LINK / segment / Raw(bytes(size))


@pytest.mark.parametrize("send", FRAMES)
def test_frames_are_those_of_the_reference_byte_by_byte(send: str) -> None:
    compare("TCP.flags == SA", send, segments(Random(send)))


@pytest.mark.parametrize(
    ("filter", "send", "upper"),
    [
        (
            "UDP.dport == 7 and UDP.sport == 2000",
            "Ether / IP / UDP / Raw(load=payload)",
            UDP(sport=2000, dport=7),
        ),
        (
            "ICMP.type == 8 and ICMP.code == 0",
            "Ether / IP / ICMP(type=0) / Raw(load=payload)",
            ICMP(type=8, id=7),
        ),
    ],
)
def test_packets_that_are_sent_back_are_those_of_the_reference(filter: str, send: str, upper: Packet) -> None:  # noqa: A002
    # Padding would come back as it arrived, where the reference takes it off.
    compare(filter, send, (LINK / upper / Raw(Random(size).randbytes(size)) for size in (18, 19, 40, 901)))


def test_one_trigger_too_many_is_refused_with_what_makes_room_and_nothing_changes() -> None:
    rig = SwitchRig(Tap())
    for number in range(QUEUES_LEFT):
        rig.load(planned(rig, f"t{number}", f"TCP.flags == SA and TCP.sport == {number}", SENT))
    stored = rig.daemon.running.store
    tables = (
        "internal.InternalIngress.responder.efsm.rows",
        "internal.InternalIngress.template_loop.templates",
    )
    before = [stored.entries(table) for table in tables]
    with pytest.raises(PlanError) as refused:
        rig.load(planned(rig, "more", "TCP.flags == SA and TCP.sport == 99", SENT))
    assert str(refused.value) == (
        "trigger 'more': queues of templates: 16 there, 14 of protocols that the program was built with, "
        "2 of triggers, so none is left; stop a trigger, or build a program with fewer protocols: "
        "tester p4 build tofino --protocol arp"
    )
    assert [stored.entries(table) for table in tables] == before
    rig.target.unload(["t1"])
    rig.load(planned(rig, "more", "TCP.flags == SA and TCP.sport == 99", SENT))


def test_a_trigger_that_a_switch_cannot_have_is_refused_before_anything_is_written() -> None:
    rig = SwitchRig(Tap())
    with pytest.raises(PlanError, match=r"^trigger 't': not on a switch: it sends Ether / IP / UDP"):
        rig.load(planned(rig, "t", "UDP.dport == 7 and UDP.sport != 7", "Ether / IP / UDP"))
    assert not rig.daemon.running.store.entries("external.ExternalIngress.reply_rows.rows")
    assert not rig.target.snapshot().ends


def test_a_frame_that_its_port_does_not_take_is_refused() -> None:
    short = {name: replace(port, max_frame_size=1518) for name, port in KNOWN.items()}

    def job(payload: int) -> SwitchJob:
        send = f"Ether / IP / TCP(flags=R) / Raw(load='{'x' * payload}')"
        ends = (trigger("TCP.flags == SA", send),)
        plan = compile_job(Job("job", ends=ends), ports=short, gateways={}, max_streams=1)
        return switch_job(plan, replace(PORTS, known=short), PROGRAM)

    assert len(job(1460).packets[0].octets) == 5 + 1514
    with pytest.raises(
        PlanError, match=r"^trigger 't': its frame has 1,519 bytes, and port 'p1' takes 1,518 at"
    ):
        job(1461)


@pytest.mark.parametrize("schema", SCHEMAS, ids=PROFILES)
def test_tables_of_each_chip_hold_triggers(schema: Schema) -> None:
    ends = (
        trigger("TCP.flags == SA and TCP.dport == 2000-2999", SENT, "request"),
        trigger("UDP.dport == 7 and UDP.sport == 9", "Ether / IP / UDP / Raw(load=payload)", "echo"),
        trigger("ICMP.type == 8 and ICMP.code == 0", "Ether / IP / ICMP(type=0) / Raw(load=payload)", "pong"),
    )
    plan = compile_job(Job("job", ends=ends), ports=KNOWN, gateways={}, max_streams=1)
    job = switch_job(plan, PORTS, PROGRAM)
    tables = written(schema, job)
    tables.write(Resets.of([job]).entries)
    assert len(tables.entries("external.ExternalIngress.reply_rows.rows")) == 8 + 1 + 1


def test_entries_are_gone_when_a_trigger_stops() -> None:
    rig = SwitchRig(Tap())
    rig.load(planned(rig, "t", "TCP.flags == SA and TCP.dport == 2000-2999", SENT))
    rows = "external.ExternalIngress.reply_rows.rows"
    assert not rig.daemon.running.store.entries(rows), "until it starts"
    rig.target.start(["t"])
    assert len(rig.daemon.running.store.entries(rows)) == 8
    rig.target.stop(["t"])
    assert not rig.daemon.running.store.entries(rows)
