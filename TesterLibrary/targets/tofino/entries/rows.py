# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Efsm (p4/templates/efsm.p4.j2): the rows of a protocol's table (norma §4.2)."""

from __future__ import annotations

from collections.abc import Iterator

from ....measurement.traces.segment import ACK, RST, SYN
from ....planning.switch.expectation import begin_payloads, begun_variable, expected_variable
from ....planning.switch.match_action import MatchAction, row_action, row_key
from ....planning.switch.match_action import MatchEntry as Row
from ....planning.switch.timers import STATE
from .entry import Masked, TableEntry, Value

_EFSM = "InternalIngress.responder.efsm"
_EXPECTED = f"{_EFSM}.expected"
_BEGUN = f"{_EFSM}.answers"
_WORD = 2  # bytes of a key of the payload


def row_entries(
    program: MatchAction, link: int, priority: int = 0, *, write_port: int = 0, event: str = "packet"
) -> Iterator[TableEntry]:
    """The entries of a protocol's rows for an event, which is what packets of a link are.

    Args:
        program: A protocol that the switch was built with.
        link: Number of the peer's Ethernet addresses, by which jobs are told apart.
        priority: Priority of the first row; rows with a lower number are tried first.
        write_port: The device port of the second pass, which writes the state.
        event: The event that the rows are for.
    """
    for row in rows_for(program, event):
        send = row_action(program.protocol, row.sends[0]) if row.sends else "silent"
        yield TableEntry(
            f"internal.{_EFSM}.rows",
            {"link": Masked(link, 0xFF), **_key(row), "$MATCH_PRIORITY": priority + row.priority},
            f"{_EFSM}.{send}",
            {"next": row.next_state, "moves": int(_moves(row)), "write_port": write_port},
        )


def kept_entries(program: MatchAction, link: int) -> Iterator[TableEntry]:
    """The entries by which packets of a link change what their flow keeps beside its state."""
    if expected_variable(program.protocol) is not None:
        yield from _expected_entries(link)
    if begun_variable(program.protocol) is not None:
        yield from _begun_entries(program, link)


def _expected_entries(link: int) -> Iterator[TableEntry]:
    """The entries that move the number that a flow expects."""
    for table, anew, goes_on in (("links", "begin", "go_on"), ("same_links", "begin_again", "go_on_again")):
        for priority, (flags, action) in enumerate(((Masked(SYN, SYN), anew), (Masked(0, 0), goes_on))):
            key: dict[str, Value] = {"link": Masked(link, 0xFF), "flags": flags, "$MATCH_PRIORITY": priority}
            yield TableEntry(f"internal.{_EXPECTED}.{table}", key, f"{_EXPECTED}.{action}")


def _begun_entries(program: MatchAction, link: int) -> Iterator[TableEntry]:
    """The entries that note that the answer in a flow begins."""
    found: list[tuple[dict[str, Value], str]] = [({"flags": Masked(SYN, SYN)}, "forget")]
    said = Masked(ACK, ACK | SYN | RST)
    found += [
        ({"flags": said, **_payload_key(octets)}, "note") for octets in begin_payloads(program.protocol)
    ]
    for priority, (key, action) in enumerate([*found, ({}, "ask")]):
        whole = {"link": Masked(link, 0xFF), **key, "$MATCH_PRIORITY": priority}
        yield TableEntry(f"internal.{_BEGUN}.begins", whole, f"{_BEGUN}.{action}")


def rows_for(program: MatchAction, event: str) -> list[Row]:
    """The rows for an event, in the order of `row_entries`."""
    return [row for row in program.entries if row.table == event]


def open_entry(link: int, priority: int) -> TableEntry:
    """The entry of all packets of a link that no row is for: starts of flows that are not over yet."""
    return TableEntry(
        f"internal.{_EFSM}.rows",
        {"link": Masked(link, 0xFF), "$MATCH_PRIORITY": priority},
        f"{_EFSM}.silent",
        {"next": 0, "moves": 0, "write_port": 0},
    )


def _key(row: Row) -> dict[str, Value]:
    return {row_key(match.key): Masked(match.value, match.mask) for match in row.match} | _payload_key(
        row.payload
    )


def _payload_key(payload: bytes) -> dict[str, Value]:
    key: dict[str, Value] = {"payload_valid": Masked(1, 1)} if payload else {}
    for first in range(0, len(payload), _WORD):  # words of 16 bits
        octets = payload[first : first + _WORD]
        value, mask = (
            int.from_bytes(part.ljust(_WORD, b"\0"), "big") for part in (octets, b"\xff" * len(octets))
        )
        key[f"payload_word{first // _WORD}"] = Masked(value, mask)
    return key


def _moves(row: Row) -> bool:
    """Whether a second pass has to write the next state, or to take the note of a look away."""
    states = [match.value & STATE for match in row.match if match.key == "state"]
    return bool(states) and (states != [row.next_state] or row.restarts)
