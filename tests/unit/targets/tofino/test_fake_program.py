# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The fake chip where it once differed from the program; tests/program compares all of it with a compiler."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from TesterLibrary.model.editor import Editor, FieldPath, Sweep

from .driver.test_target import Driven

_EDITOR = "InternalIngress.editor.first"
_RECEIVED = "external.ExternalIngress.port_counters.totals"


@pytest.mark.parametrize(
    ("packet", "counted"),
    [
        (IPv6() / UDP(len=8), 0),  # 62 bytes; a frame has 60
        (IP(len=200) / TCP(), 0),  # says that a payload is behind it
        (IP() / UDP(len=24) / bytes(16), 1),
        (IP() / TCP(), 1),
    ],
    ids=["IPv6", "payload", "signature", "TCP"],
)
def test_a_frame_that_ends_within_a_header_is_dropped_by_the_parser(packet: Packet, counted: int) -> None:
    driven = Driven()
    running = driven.daemon.running
    octets = bytes(Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:01") / packet)[:60]
    running.chip.arrive(driven.target.session.numbers["p1"], octets, driven.clock.now_ns)
    assert sum(running.store.cells(_RECEIVED, "$COUNTER_SPEC_PKTS").values()) == counted


def test_both_registers_of_an_editor_move() -> None:
    driven = Driven()
    driven.target.load(driven.plan(editors=(Editor(FieldPath("UDP", "sport"), Sweep("10", "19")),)))
    driven.target.start(["north"], packets=7)
    driven.clock.sleep(0.1)
    store = driven.daemon.running.store
    values, again = (
        store.cells(f"internal.{_EDITOR}.{register}", f"{_EDITOR}.{register}.f1")
        for register in ("values", "values_again")
    )
    assert 7 in values.values()
    assert again == values
