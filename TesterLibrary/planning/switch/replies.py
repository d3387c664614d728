# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Protocols without state in a switch: their rows answer with the packet in hand (norma §4.2, bypass)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import PlanError
from ...model.action import Act
from ...model.condition import Compare
from ...model.protocol import Protocol, Row
from ...protocols.actions.counting import Count
from ...protocols.actions.sending import Reply
from ...protocols.diagram import act_text
from ...protocols.scope import layout_of
from .classes import ACCEPTED
from .match_action import MatchAction, MatchEntry

_PORTS = {"TCP": "TCP.dport", "UDP": "UDP.dport"}


@dataclass(frozen=True)
class ReplyRow:
    """An entry, and the number of the reply of its protocol that it sends; None: nothing is sent."""

    entry: MatchEntry
    reply: int | None


@dataclass(frozen=True)
class ReplyRows:
    """The rows and replies of a protocol."""

    rows: tuple[ReplyRow, ...]
    replies: tuple[Reply, ...]  # each once
    tested: tuple[str, ...]  # fields that rows test, and fields by which a job selects its packets


def replies_only(protocol: Protocol) -> bool:
    """Whether a protocol has no state and no templates."""
    only = len(protocol.layers) == 1 and len(protocol.states) == 1 and not protocol.templates
    return only and all(_is_reply_row(row) for row in protocol.rows)


def accepted_fields(protocol: Protocol) -> Mapping[str, int]:
    """Fields by which a job can say which packets are a responder's, and their bits; those of rows, too."""
    layout = layout_of(protocol.stack)
    tested = (test.left.first for row in protocol.rows for test in row.tests if isinstance(test, Compare))
    places = {name: layout.places.get(name) for name in tested if isinstance(name, str)}
    return {**ACCEPTED, **{name: place.bits for name, place in places.items() if place}}


def known_by(protocol: Protocol) -> str:
    """The header that distinguishes a protocol's packets from others, which is its last one."""
    return layout_of(protocol.stack).headers[-1].name


def header_key(header: str) -> str:
    """The name of the key that says whether a packet has such a header."""
    return f"{header.lower()}_valid"


def reply_rows(program: MatchAction) -> ReplyRows:
    """The rows and replies of a protocol in a switch.

    Raises:
        PlanError: a row does something else, by its line.
    """
    protocol = program.protocol
    by_line = {row.line: row for row in protocol.rows}
    found: list[Reply] = []
    rows = []
    for entry in program.entries:
        row = by_line[entry.line]
        if not _is_reply_row(row):
            what = ", ".join(act_text(action.act) for action in row.actions)
            raise PlanError(
                f"{protocol.path}: line {row.line}: {what} is not in the switch's program; of a protocol "
                "that keeps nothing a row can count, and send back the packet in hand"
            )
        reply = next((act for act in _acts(row) if isinstance(act, Reply)), None)
        if reply is not None and reply not in found:
            found.append(reply)
        rows.append(ReplyRow(entry, None if reply is None else found.index(reply)))
    names = [header.name for header in layout_of(protocol.stack).headers]
    accepted = ["IP.dst"] * ("IP" in names) + [_PORTS[name] for name in names if name in _PORTS]
    tested = dict.fromkeys([*(match.key for row in rows for match in row.entry.match), *accepted])
    return ReplyRows(tuple(rows), tuple(found), tuple(tested))


def _acts(row: Row) -> list[Act]:
    return [action.act for action in row.actions]


def _is_reply_row(row: Row) -> bool:
    acts = _acts(row)
    return (
        row.event == "packet"
        and all(isinstance(act, Count | Reply) for act in acts)
        and sum(isinstance(act, Reply) for act in acts) <= 1
    )
