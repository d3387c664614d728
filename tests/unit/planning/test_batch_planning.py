# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that are alike are planned together, and are the same as if each had been planned by itself."""

from __future__ import annotations

from dataclasses import fields, replace
from ipaddress import ip_address, ip_interface

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.payload import Payload, PayloadKind
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.port_pattern import PortPattern, over_ports
from TesterLibrary.model.ports import Forwarding, Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, FrameSize, Rate
from TesterLibrary.planning.batch_planning import MAY_DIFFER, groups, meshes
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.frame import SIGNATURE_LENGTH
from TesterLibrary.wire.address import stations

PORTS = {
    name: Port(name, Bandwidth(10**10), bytes([2, 0, 0, 0, 0, number]), 9216)
    for number, name in enumerate(("p1", "p2"))
}

GATEWAY = ip_address("10.0.0.1")


def stream(number: int, headers: str, size: int = 128, **more: object) -> Stream:
    fitted = headers.format(low=number % 250 + 1, port=1000 + number, vlan=number + 1)
    return Stream(
        f"s{number}",
        tx="p1",
        rx="p2",
        frame_size=FrameSize(size),
        rate=Rate.parse(f"{number + 1} pps"),
        headers=HeaderStack.parse(fitted),
        **more,  # type: ignore[arg-type]
    )


def plan(*streams: Stream, first_id: int = 1) -> Plan:
    return compile_job(Job("j", streams), ports=PORTS, gateways={}, max_streams=4096, first_id=first_id)


STACKS = (
    "Ether / IP(src=10.0.0.{low}, dst=11.0.0.{low}) / UDP(sport={port}, dport=7)",
    "Ether(src=02:00:00:00:01:01, dst=02:00:00:00:02:02) / IP(src=10.0.0.{low}, dst=11.0.0.1) / "
    "TCP(sport={port})",
    "Ether / Dot1Q(vlan={vlan}) / IPv6(src=2001:db8::{low}, dst=2001:db9::1) / UDP(dport={port})",
    "Ether / IP(src=10.0.0.{low}, dst=11.0.0.1) / UDP(dport=4789) / VXLAN(vni={port}) / "
    "Ether / IP(src=10.1.1.{low}, dst=10.2.2.2) / UDP(sport={port})",
)


@pytest.mark.parametrize("stack", STACKS)
def test_they_are_as_if_planned_one_by_one(stack: str) -> None:
    streams = [stream(number, stack) for number in range(12)]
    assert list(groups(streams)) == [list(range(12))]
    together = plan(*streams)
    for number, planned in enumerate(together.streams):
        (alone,) = plan(streams[number], first_id=number + 1).streams
        (mine,), (its,) = planned.frames, alone.frames
        kept = len(its) - SIGNATURE_LENGTH
        # The place of the signature has another fill, and the last checksums are right for that.
        first, second = Ether(mine[:kept] + bytes(16)), Ether(its[:kept] + bytes(16))
        for frame in (first, second):
            for layer in (UDP, TCP, IP):
                for count in (1, 2):
                    if frame.getlayer(layer, count):
                        del frame.getlayer(layer, count).chksum
        assert bytes(first) == bytes(second)
        again = Ether(mine)
        for layer in (UDP, TCP, IP):
            for count in (1, 2):
                if again.getlayer(layer, count):
                    del again.getlayer(layer, count).chksum
        assert bytes(again) == mine, "checksums are right"
        assert replace(planned, frames=alone.frames) == alone
    addresses = {neighbour for each in streams for neighbour in plan(each).neighbours}
    assert set(together.neighbours) == addresses
    assert set(together.learning) == {frame for each in streams for frame in plan(each).learning}


def test_fields_that_change_stay_as_they_are() -> None:
    editor = Editor(FieldPath("UDP", "dport"), Sweep("5", step="2", count=4))
    stack = "Ether / IP(src=10.0.0.{low}, dst=11.0.0.1) / UDP(sport={port}, dport=5)"
    streams = [stream(number, stack, editors=(editor,)) for number in range(9)]
    for number, planned in enumerate(plan(*streams).streams):
        (alone,) = plan(streams[number], first_id=number + 1).streams
        assert (planned.editors, planned.checksums, planned.version) == (
            alone.editors,
            alone.checksums,
            alone.version,
        )
        assert Ether(planned.frames[0])[UDP].dport == 5


@pytest.mark.parametrize(
    "stack",
    [
        "Ether / IP(src=10.0.0.{low}, dst=224.0.0.{low}) / UDP",  # the MAC address follows from a group
        "Ether / IP(src=10.0.0.1, dst=11.0.0.1, id={port}) / UDP",  # a version bit is looked for there
        "Ether / IP(src=10.0.0.1, dst=11.0.0.1, tos={low}) / UDP",  # a switch marks what knows congestion
    ],
)
def test_streams_on_which_more_depends_are_planned_one_by_one(stack: str) -> None:
    streams = [stream(number, stack) for number in range(8)]
    for number, planned in enumerate(plan(*streams).streams):
        assert planned == plan(streams[number], first_id=number + 1).streams[0]


def test_the_stream_that_is_wrong_is_named() -> None:
    streams = [stream(number, STACKS[0]) for number in range(10)]
    wrong = HeaderStack.parse("Ether / IP(src=10.0.0.1, dst=11.0.0.1) / UDP(sport=70000, dport=7)")
    streams[6] = replace(streams[6], headers=wrong)
    with pytest.raises(PlanError, match="stream 's6': UDP: sport=70000"):
        plan(*streams)
    same = HeaderStack.parse("Ether / IP(src=10.0.0.1, dst=10.0.0.1) / UDP(sport=7, dport=7)")
    streams[6] = replace(streams[6], headers=same)
    with pytest.raises(PlanError, match="stream 's6': source and destination"):
        plan(*streams)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 65535), st.integers(1, 2**32 - 2)), min_size=8, max_size=20))
def test_any_values_have_right_checksums(values: list[tuple[int, int]]) -> None:
    streams = [
        replace(
            stream(number, STACKS[0]),
            headers=HeaderStack.parse(
                f"Ether / IP(src={address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}, "
                f"dst=0.0.0.0) / UDP(sport={port}, dport=7)"
            ),
        )
        for number, (port, address) in enumerate(values)
    ]
    for planned in plan(*streams).streams:
        frame = Ether(planned.frames[0])
        del frame[UDP].chksum, frame[IP].chksum
        assert bytes(frame) == planned.frames[0]


@pytest.mark.parametrize("network", ["", "198.18.0.{}/24", "2001:db8::{}/64"])
@pytest.mark.parametrize("forwarding", Forwarding)
def test_a_mesh_is_as_if_planned_one_by_one(network: str, forwarding: Forwarding) -> None:
    names = [f"p{number}" for number in range(5)]
    ports = {
        name: Port(
            name,
            Bandwidth(10**9 * (number + 1)),
            bytes([2, 0, 0, 0, 0, number]),
            9216,
            address=ip_interface(network.format(number + 1)) if network else None,
        )
        for number, name in enumerate(names)
    }
    first = Stream("mesh", "p0", "p1", FrameSize(128), Rate.parse("10 %"), forwarding=forwarding)
    streams = over_ports(first, PortPattern.MESH, names)
    together = compile_job(Job("j", tuple(streams)), ports=ports, gateways={}, max_streams=99)
    for number, planned in enumerate(together.streams):
        job = Job("j", (streams[number],))
        (alone,) = compile_job(job, ports=ports, gateways={}, max_streams=99, first_id=number + 1).streams
        assert replace(planned, frames=()) == replace(alone, frames=())
        (mine,), (its,) = planned.frames, alone.frames
        changed = {place for place, (octet, same) in enumerate(zip(mine, its, strict=True)) if octet != same}
        checksum = alone.header_size - 2  # of UDP, over the place of the signature, which has another fill
        assert changed <= {checksum, checksum + 1, *range(len(its) - SIGNATURE_LENGTH, len(its))}
        written = Ether(mine)[UDP].chksum
        again = Ether(mine)
        del again[UDP].chksum
        assert Ether(bytes(again))[UDP].chksum == written


def test_ports_behind_routers_are_no_mesh() -> None:
    ports = {
        name: replace(
            port, address=ip_interface(f"10.0.{number}.2/24"), gateway=ip_address(f"10.0.{number}.1")
        )
        for number, (name, port) in enumerate(PORTS.items())
    }
    streams = [Stream(f"s{number}", "p1", "p2") for number in range(9)]
    assert not list(meshes(streams, [stations(stream, ports) for stream in streams]))
    bridged = [stations(stream, PORTS) for stream in streams]
    assert list(meshes(streams, bridged)) == [list(range(9))]


VALID = {  # values that the planner looks into before it compares them
    "frame_size": FrameSize(256),
    "payload": Payload(PayloadKind.ZEROS),
    "editors": (Editor(FieldPath("UDP", "dport"), Sweep("5", step="2", count=4)),),
    "signature": False,
}


@pytest.mark.parametrize("name", sorted({field.name for field in fields(Stream)} - MAY_DIFFER))
def test_streams_that_differ_in_any_other_field_are_in_no_common_group(name: str) -> None:
    """A field that Stream gets later belongs to these until MAY_DIFFER names it."""
    streams = [stream(number, STACKS[0]) for number in range(16)]
    streams[8:] = [replace(planned, **{name: VALID.get(name, "new")}) for planned in streams[8:]]  # type: ignore[arg-type]
    assert list(range(8)) in list(groups(streams))
