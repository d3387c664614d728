# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows whose packets are counted: what each packet is for the counters of an end and of its flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....planning.switch.match_action import MatchAction
from ....planning.switch.resources import START
from ....planning.switch.starts import begins, ends
from ..driver.loaded import PACKET, CountedRow
from .entry import TableEntry
from .rows import open_entry, row_entries, rows_for


def counted_rows(
    program: MatchAction, entries: Iterable[TableEntry], event: str = PACKET
) -> tuple[CountedRow, ...]:
    """The rows of a protocol for an event, with their entries."""
    failures = program.protocol.failures
    return tuple(
        CountedRow(
            entry,
            row.counts,
            answers=bool(row.sends),
            event=event,
            begins=begins(row),
            ends=ends(row),
            fails=ends(row) and not set(row.counts).isdisjoint(failures),
            measures=row.measures,
            octets=row.octets,
        )
        for entry, row in zip(entries, rows_for(program, event), strict=True)
    )


def counted_events(program: MatchAction, link: int, write_port: int, event: str) -> Iterator[CountedRow]:
    """The rows for starts of flows, and one for the starts of flows that are open; or those for a timer."""
    yield from counted_rows(program, row_entries(program, link, write_port=write_port, event=event), event)
    if event == START:
        after = 1 + max(row.priority for row in rows_for(program, event))
        yield CountedRow(open_entry(link, after), (), answers=False, event=event)
