# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Protocols of which a switch keeps nothing: rows whose answer is the packet in hand (norma §4.2, bypass)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PlanError
from ..model.action import Act, Count, Reply
from ..model.protocol import Protocol, Row
from ..protocols.diagram import act_text
from ..protocols.scope import layout_of
from .match_action import Entry, MatchAction

_PORTS = {"TCP": "TCP.dport", "UDP": "UDP.dport"}


@dataclass(frozen=True)
class ReplyRow:
    """An entry, and the number of the reply of its protocol that it sends; None: nothing is sent."""

    entry: Entry
    reply: int | None


@dataclass(frozen=True)
class ReplyRows:
    """Of a protocol."""

    rows: tuple[ReplyRow, ...]
    replies: tuple[Reply, ...]  # each once
    tested: tuple[str, ...]  # fields: of rows, and by which a job says which packets are its own


def replies_only(protocol: Protocol) -> bool:
    """Whether it keeps nothing, and has no templates."""
    only = len(protocol.layers) == 1 and len(protocol.states) == 1 and not protocol.templates
    return only and all(_is_reply_row(row) for row in protocol.rows)


def known_by(protocol: Protocol) -> str:
    """The header that tells its packets from others: its last one."""
    return layout_of(protocol.stack).headers[-1].name


def header_key(header: str) -> str:
    """What the key is called that says whether a packet has such a header."""
    return f"{header.lower()}_valid"


def reply_rows(program: MatchAction) -> ReplyRows:
    """Of a protocol in a switch.

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
        own = next((act for act in _acts(row) if isinstance(act, Reply)), None)
        if own is not None and own not in found:
            found.append(own)
        rows.append(ReplyRow(entry, None if own is None else found.index(own)))
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
