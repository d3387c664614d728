# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the shipped program's protocol as entries: accepted by the schema, and found as the table says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.tofino.entries.entry import Masked, TableEntry
from TesterLibrary.targets.tofino.entries.rows import kept_entries, row_entries
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.tables import Tables

PROGRAM = match_action(load_protocol("http-get"))
STATES = PROGRAM.protocol.states
ROWS = "internal.InternalIngress.responder.efsm.rows"
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
REQUEST = {
    "payload_valid": 1,
    "payload_word0": int.from_bytes(b"GE", "big"),
    "payload_word1": int.from_bytes(b"T ", "big"),
}


def found(entries: list[TableEntry], **packet: int) -> TableEntry:
    """The row that a packet meets first."""
    fitting = [
        entry
        for entry in entries
        if all(
            packet.get(name, 0) & value.mask == value.value
            for name, value in entry.key.items()
            if isinstance(value, Masked)
        )
    ]
    return min(fitting, key=lambda entry: int(str(entry.key["$MATCH_PRIORITY"])))


@pytest.mark.parametrize("profile", ["tofino", "tofino2"])
def test_a_switch_holds_the_rows_of_two_jobs(profile: str) -> None:
    tables = Tables(Schema.load(shipped(profile) / "bf-rt.json"))
    first, second = list(row_entries(PROGRAM, 1)), list(row_entries(PROGRAM, 2, priority=1000))
    tables.write([*first, *second])
    assert len(tables.entries(ROWS)) == len(first) + len(second) == 2 * len(PROGRAM.entries)


@pytest.mark.parametrize(
    ("packet", "action", "to"),
    [
        ({"state": 0, "tcp_flags": SYN}, "http_get_syn_ack", "opening"),
        ({"state": 0, "tcp_flags": ACK}, "http_get_reset", "closed"),
        ({"state": 1, "tcp_flags": ACK}, "silent", "opening"),
        (
            {"state": 1, "tcp_flags": PSH | ACK, "payload_length": 80, **REQUEST},
            "http_get_content",
            "serving",
        ),
        ({"state": 2, "tcp_flags": FIN | ACK}, "http_get_acknowledge", "half_closed"),
        ({"state": 2, "tcp_flags": ACK, "tcp_ack": 1}, "silent", "serving"),
        ({"state": 2, "tcp_flags": ACK, "tcp_ack": 1079}, "http_get_fin_ack", "finishing"),
        ({"state": 2, "tcp_flags": RST}, "silent", "closed"),
        ({"state": 5, "tcp_flags": SYN}, "http_get_syn_ack", "opening"),
    ],
)
def test_packets_meet_the_rows_of_the_table(packet: dict[str, int], action: str, to: str) -> None:
    entry = found(list(row_entries(PROGRAM, 9, write_port=388)), link=9, **packet)
    assert entry.action == f"InternalIngress.responder.efsm.{action}"
    assert entry.data == {
        "next": STATES.index(to),
        "moves": int(STATES[packet["state"]] != to),
        "write_port": 388,
    }


def test_packets_of_another_link_meet_none() -> None:
    with pytest.raises(ValueError, match="empty"):
        found(list(row_entries(PROGRAM, 9)), link=8, state=0, tcp_flags=SYN)


@pytest.mark.parametrize(
    ("kept", "tables"),
    [
        (("next", "begun"), {"expected.links": 2, "expected.same_links": 2, "answers.begins": 4}),
        (("next",), {"expected.links": 2, "expected.same_links": 2}),
        (("begun",), {"answers.begins": 4}),
        ((), {}),
    ],
)
def test_what_a_flow_keeps_has_entries_of_its_own(kept: tuple[str, ...], tables: dict[str, int]) -> None:
    program = match_action(load_protocol("http-get-client"))
    variables = tuple(one for one in program.protocol.variables if one.name in kept)
    own = replace(program, protocol=replace(program.protocol, variables=variables))
    found = Counter(entry.table.partition("efsm.")[2] for entry in kept_entries(own, 9))
    assert found == Counter(tables)
