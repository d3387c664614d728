# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers the timer of clients to a switch, where only packets wake a flow: packets look at each flow in turn.

A look notes in the register of the state, in one access, that it has been there; whatever writes the state
takes the note away. A look that finds the note of the one before it wakes the flow: the row for the timer is
found. A turn of looks takes as long as the timer, so a flow waits for one to two of its times, and for one
when it is woken again.

So on a switch a timer runs from the begin of a state to its end, and all waits of a table are equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import PlanError
from ...model.condition import Compare
from ...model.expression import Expression
from ...model.protocol import Protocol, Row
from ...protocols.actions.timers import StartTimer

STATE, LOOKED_AT = 0x7F, 0x80  # bits of a register: of the state, and of the note


def timer_of(protocol: Protocol) -> str | None:
    """The timer of a table for a switch, which has one at most."""
    return next(iter(protocol.timers), None)


def starts_timer(row: Row) -> bool:
    """Whether a row starts the timer, or restarts it."""
    return bool(_times(row))


def timer_values(protocol: Protocol) -> list[Expression]:
    """The different times with which rows start the timer, in microseconds."""
    return list(dict.fromkeys(time for row in protocol.rows for time in _times(row)))


def check_timers(protocol: Protocol) -> None:
    """PlanError, by the line, if a table does otherwise with its timer than a switch does."""
    timer = timer_of(protocol)
    if timer is None:
        return
    timed = {state for state in protocol.states if _waits(protocol, state, timer)}
    known = {parameter.name for parameter in protocol.parameters}
    values = timer_values(protocol)
    for row in protocol.rows:
        where = f"{protocol.path}: line {row.line}"
        if row.to in timed and set(row.states) != {row.to} and not starts_timer(row):
            raise PlanError(
                f"{where}: it leads to {row.to}, where {timer} is waited for, and does not start it; on a "
                f"switch a timer runs from the begin of a state, so start {timer} here"
            )
        if starts_timer(row) and (len(values) > 1 or not known.issuperset(_names(values))):
            raise PlanError(
                f"{where}: {timer} is started with {', '.join(map(str, values))}; on a switch all waits of "
                "a table are one number, or one parameter"
            )
        sides = [side for test in row.tests if isinstance(test, Compare) for side in (test.left, test.right)]
        if row.event == timer and (len(sides) < 2 * len(row.tests) or not known.issuperset(_names(sides))):
            raise PlanError(
                f"{where}: a row for {timer} tests more than parameters; on a switch a timer knows the state "
                "of its flow, and nothing else of it"
            )


def _waits(protocol: Protocol, state: str, timer: str) -> bool:
    """Whether something happens in a state when the timer is due."""
    return any(row.actions or row.to not in (None, state) for row in protocol.rows_for(state, timer))


def _times(row: Row) -> list[Expression]:
    return [action.act.microseconds for action in row.actions if isinstance(action.act, StartTimer)]


def _names(values: list[Expression]) -> Iterator[str]:
    return (name for value in values for name in value.names)
