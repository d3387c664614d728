# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients on their way to an engine, and their counters on their way back."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from TesterLibrary.model.plan.planned_end import Accept, Opening, PlannedEnd, Series
from TesterLibrary.model.responder import Reopen
from TesterLibrary.planning.engine.table import flat_table
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.parameters import parameter_values
from TesterLibrary.targets.engine.convert_end import responder_message

HTTP = load_protocol("http-client")
OPENING = Opening(
    flows=20,
    addresses=(
        Series("IP.src", 0x0A000001, 2),
        Series("IP.dst", 0x0A000101),
        Series("TCP.sport", 1024, 10, every=2),
        Series("TCP.dport", 80),
    ),
    source_mac=b"\2\0\0\0\0\1",
    destination_mac=b"\2\0\0\0\0\2",
    connections=7,
    rate=Fraction(3, 10**6),
    reopen=Reopen.ALWAYS,
    total=99,
)
END = PlannedEnd(
    name="users",
    port="p1",
    protocol=HTTP,
    parameters=parameter_values(HTTP, {"size": 77}),
    accepts=(Accept("IP.dst", 0x0A000001, 2), Accept("TCP.dport", 1024, 10)),
    seed=5,
    flow_capacity=8,
    vlan=100,
    opening=OPENING,
)


def test_an_end_as_the_engine_loads_it() -> None:
    message = responder_message(END)
    assert (message.name, message.port, message.seed, message.flow_capacity) == ("users", "p1", 5, 8)
    assert (message.vlan, message.protocol.name) == (100, "http-client")
    # 10.0.0.1 and 10.0.0.2 in bytes 16 to 19 of the IP header, which is the second one.
    address, port = message.accepts
    assert (address.field.header, address.field.offset, address.field.bits) == (1, 128, 32)
    assert (address.first, address.step, address.count) == (b"\x0a\0\0\1", 1, 2)
    assert (port.field.header, port.field.offset, port.first, port.count) == (2, 16, b"\4\0", 10)


def test_what_opens_flows() -> None:
    opening = responder_message(END).opening
    assert [(address.first, address.count, address.every) for address in opening.addresses] == [
        (b"\x0a\0\0\1", 2, 1),
        (b"\x0a\0\1\1", 1, 1),
        (b"\4\0", 10, 2),
        (b"\x50", 1, 1),
    ]
    assert (opening.source_mac.first, opening.destination_mac.first) == (b"\2\0\0\0\0\1", b"\2\0\0\0\0\2")
    assert (opening.rate.openings, opening.rate.nanoseconds) == (3, 10**6)
    assert (opening.flows, opening.connections, opening.total, opening.reopen) == (20, 7, 99, 1)
    names = flat_table(HTTP).counters
    assert [".".join(names[index]) for index in opening.failures] == [
        "tcp.reset",
        "tcp.refused",
        "tcp.timed_out",
        "tcp.overrun",
        "http-client.refused",
        "http-client.malformed",
        "http-client.other_length",
        "http-client.surplus",
        "http-client.timed_out",
        "http-client.coded",
        "http-client.changed",
        "http-client.lost",
    ]


def test_without_a_rate_it_opens_as_fast_as_it_can() -> None:
    assert not responder_message(replace(END, opening=replace(OPENING, rate=None))).opening.HasField("rate")
    assert not responder_message(replace(END, opening=None)).HasField("opening")
