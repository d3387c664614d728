# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address

from TesterLibrary._generated.tester.v1 import control_pb2, plan_pb2
from TesterLibrary.model.plan.edit import (
    Checksum,
    ChecksumKind,
    Coverage,
    Distribution,
    PlannedEditor,
    RandomBits,
    RandomRange,
    Step,
    Values,
)
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame, Plan, PlannedNeighbour, PlannedStream
from TesterLibrary.targets.engine import convert

V4, V6 = IPv4Address("198.18.0.2"), IPv6Address("2001:2::2")
MAC = bytes.fromhex("020000000001")

RATE = Fraction(2**63, 2**64 - 1)


def test_a_plan_loses_nothing_on_the_wire() -> None:
    plan = Plan(
        job="j",
        seed=9,
        streams=(
            PlannedStream(7, "north", "p1", "p2", (bytes(range(60)),), True, even(RATE)),
            PlannedStream(8, "south", "p2", "p1", (bytes(70),), False, even(Fraction(1, 672))),
        ),
        neighbours=(
            PlannedNeighbour("p2", V4, MAC),
            PlannedNeighbour("p1", V4, MAC),
            PlannedNeighbour("p2", V6, MAC),
        ),
    )
    job = convert.job_message(plan)
    assert job.name == "j"
    north, south = job.streams
    assert (north.id, north.name, north.tx_port, north.rx_port) == (7, "north", "p1", "p2")
    assert (list(north.frames), north.signature) == ([bytes(range(60))], True)
    tick = north.departures.steady.tick
    assert Fraction(tick.packets, tick.nanoseconds) == Fraction(2**63, 2**64 - 1)
    assert not south.signature
    assert [(r.port, [(n.address, n.mac) for n in r.neighbours]) for r in job.neighbour_responders] == [
        ("p1", [(V4.packed, MAC)]),
        ("p2", [(V4.packed, MAC), (V6.packed, MAC)]),
    ]


EDITORS = (
    PlannedEditor("IP.src", 208, 32, 1, Step(5, -3, 7), (Coverage(0, 1), Coverage(1, -1))),
    PlannedEditor("UDP.dport", 288, 16, 7, Values((1, 2))),
    PlannedEditor("IP.id", 144, 16, 1, RandomBits(1, 2, 3)),
    PlannedEditor("IP.tos", 120, 8, 1, RandomRange(4, 5, 6)),
    PlannedEditor("UDP.sport", 272, 16, 1, Distribution(8, (1, 2), (9, 2**64 - 1))),
)
CHECKSUMS = (
    Checksum(ChecksumKind.INTERNET, 24),
    Checksum(ChecksumKind.INTERNET_NOT_ZERO, 40),
    Checksum(ChecksumKind.CRC32C, 50, begin=42, tail=16),
)


def test_a_stream_of_many_frames_loses_nothing_on_the_wire() -> None:
    """Each field of a message is named like that of the value it is made of."""
    frames = (bytes(60), bytes(range(100)))
    stream = PlannedStream(
        *(7, "north", "p1", "p2", frames, True, even(Fraction(1, 672))),
        order=(0, 1, 0),
        editors=EDITORS,
        checksums=CHECKSUMS,
        flows=9,
    )
    (message,) = convert.job_message(Plan(job="j", seed=9, streams=(stream,))).streams
    assert (tuple(message.frames), tuple(message.order), message.flows) == (frames, (0, 1, 0), 9)
    for editor, sent in zip(EDITORS, message.editors, strict=True):
        assert (sent.bit_offset, sent.bits, sent.every) == (editor.bit_offset, editor.bits, editor.every)
        assert tuple(Coverage(c.checksum, c.weight) for c in sent.coverage) == editor.coverage
        source = getattr(sent, sent.WhichOneof("source"))
        assert type(source).__name__ == type(editor.source).__name__
        for field in source.DESCRIPTOR.fields:
            value, planned = getattr(source, field.name), getattr(editor.source, field.name)
            assert (tuple(value) if isinstance(planned, tuple) else value) == planned
    kinds = plan_pb2.Checksum.Kind
    assert [(kinds.Name(c.kind), c.offset, c.begin, c.tail) for c in message.checksums] == [
        ("KIND_INTERNET", 24, 0, 0),
        ("KIND_INTERNET_NOT_ZERO", 40, 0, 0),
        ("KIND_CRC32C", 50, 42, 16),
    ]


def test_frames_are_injected_in_order_and_not_too_many_at_once() -> None:
    ports = ["a", "a", "a", "b", "a"]
    frames = [LearningFrame(port, bytes([number]) * 14) for number, port in enumerate(ports)]
    requests = list(convert.inject_messages(frames, 2))
    assert [(r.port, [f[0] for f in r.frames]) for r in requests] == [
        ("a", [0, 1]),
        ("a", [2]),
        ("b", [3]),
        ("a", [4]),
    ]


def test_capabilities_say_why_a_driver_was_chosen() -> None:
    info = control_pb2.GetInfoResponse(version="1.2", dpdk_version="DPDK 22.11.4", worker_cpus=[1, 3], pid=42)
    info.limits.max_streams = 9
    info.ports.add(
        name="p1",
        driver="net_af_packet",
        driver_reason="no XDP",
        mac=MAC,
        link_speed_bps=10**10,
        link_up=True,
        max_frame_bytes=1518,
        interface="eth1",
        notes=["eth1 joins frames"],
        rehearses=False,
        queue_cpus=[1, 3],
    )
    info.ports.add(name="p2")
    value = convert.capabilities_value(info)
    assert (value.target, value.version, value.max_streams) == ("engine", "1.2", 9)
    assert value.details == "testerd 1.2, DPDK 22.11.4, workers on CPU 1, 3, process 42"
    port = value.port("p1")
    assert (port.driver, port.driver_reason, port.mac, port.interface) == (
        "net_af_packet",
        "no XDP",
        MAC,
        "eth1",
    )
    assert (port.link_speed_bps, port.link_up, port.max_frame_size) == (10**10, True, 1518)
    assert (port.notes, port.rehearses) == (("eth1 joins frames",), False)
    assert (port.queue_cpus, value.port("p2").queue_cpus) == ((1, 3), ())
    assert value.port("p2").rehearses is None
