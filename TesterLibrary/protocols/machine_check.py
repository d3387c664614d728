# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the state machine of a table: unreachable states, overlapping rows, missing cases, timers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ..model.condition import Compare, Relation
from ..model.protocol import Protocol, Row
from .actions.following import NextEvent
from .actions.timers import StartTimer, StopTimer
from .conditions import Condition, condition
from .scope import NameScope, layout_of

Problem = tuple[int, str]
Running = Mapping[str, frozenset[str]]  # for each state, the timers that may run in it


def problems(protocol: Protocol) -> Iterator[Problem]:
    """The problems of a table whose names are all known."""
    yield from _impossible(protocol)
    yield from _overlaps(protocol)
    yield from _deaf(protocol)
    reached = _reachable(protocol)
    for state in protocol.states:
        if state not in reached:
            line = next((row.line for row in protocol.rows if state in row.states), 1)
            yield line, f"the state {state!r} is never reached; lead to it with a row's `to`, or leave it out"
    circle = _circle(protocol)
    if circle:
        yield circle
        return
    running = timers_in(protocol)
    yield from _incomplete(protocol, reached, running)


def _conditions(protocol: Protocol) -> dict[int, Condition]:
    scope = NameScope(protocol)
    return {id(row): condition(row.tests, scope) for row in protocol.rows}


def _impossible(protocol: Protocol) -> Iterator[Problem]:
    for row, tested in zip(protocol.rows, _conditions(protocol).values(), strict=True):
        if not tested.possible:
            yield row.line, f"nothing can match this row: {_tests(row)}"


def _deaf(protocol: Protocol) -> Iterator[Problem]:
    """Headers that no answer to a client has: it comes to the port that the client has chosen."""
    events = {row.event for row in protocol.rows}
    if protocol.headers is None or not {"start", "packet"} <= events:
        return
    flow = {name for key in protocol.flow for name in key}
    for header in layout_of(protocol.headers).headers:
        field = f"{header.name}.dport"
        if field in flow and "dport" in header.announced:
            yield (
                protocol.packets_line,
                f"no answer reaches a client: it comes to the client's port, and only packets with {field} "
                f"{header.announced['dport']} are taken; leave {field} out of headers, the target has a port",
            )


def _overlaps(protocol: Protocol) -> Iterator[Problem]:
    """Rows of one event in one state that overlap, unless the earlier one is a special case of the later."""
    conditions = _conditions(protocol)
    told: set[tuple[int, int]] = set()
    for state in protocol.states:
        for event in dict.fromkeys(row.event for row in protocol.rows):
            for earlier, later in combinations(protocol.rows_for(state, event), 2):
                one, other = conditions[id(earlier)], conditions[id(later)]
                if (earlier.line, later.line) in told or not (one.possible and other.possible):
                    continue
                if not one.overlaps(other) or (one.within(other) and not other.within(one)):
                    continue
                told.add((earlier.line, later.line))
                if other.within(one):
                    yield later.line, _shadowed(state, event, earlier, later)
                else:
                    yield later.line, _ambiguous(state, event, earlier, later, one.example(other))


def _shadowed(state: str, event: str, earlier: Row, later: Row) -> str:
    return (
        f"this row for {event!r} in {state!r} is never reached: line {earlier.line} ({_tests(earlier)}) "
        f"matches all that it matches ({_tests(later)}); put it before that one, or test for something else"
    )


def _ambiguous(state: str, event: str, earlier: Row, later: Row, example: str) -> str:
    return (
        f"this row for {event!r} in {state!r} overlaps with line {earlier.line}: {example} matches both "
        f"({_tests(earlier)}; {_tests(later)}); let a test keep them apart, or let the earlier one be a "
        "special case of the later one"
    )


def _tests(row: Row) -> str:
    return " and ".join(map(str, row.tests)) or "anything else"


def _reachable(protocol: Protocol) -> set[str]:
    reached, todo = {protocol.initial}, [protocol.initial]
    while todo:
        state = todo.pop()
        for row in protocol.rows:
            if row.to and row.to not in reached and (state in row.states or not row.states):
                reached.add(row.to)
                todo.append(row.to)
    return reached


def _circle(protocol: Protocol) -> Problem | None:
    """The problem of a step that leads back to itself."""
    follows: dict[str, set[str]] = {step: set() for step in protocol.steps}
    for row in protocol.rows:
        if row.event in follows and not _takes(row):
            follows[row.event] |= {a.act.step for a in row.actions if isinstance(a.act, NextEvent)}
    for step in protocol.steps:
        seen, todo = set[str](), list(follows[step])
        while todo:
            here = todo.pop()
            if here == step:
                line = next(row.line for row in protocol.rows if row.event == step)
                return line, (
                    f"the step {step!r} leads back to itself; a step can only lead to others, unless the row "
                    "reads of a payload of which it has tested that some is left: payload.left: {above: 0}"
                )
            if here not in seen:
                seen.add(here)
                todo += follows[here]
    return None


def _takes(row: Row) -> bool:
    """Whether a row takes bytes off the payload, so that a circle through it ends with the payload."""
    left = (
        test.relation is Relation.ABOVE or (test.relation is Relation.AT_LEAST and bool(test.right.constant))
        for test in row.tests
        if isinstance(test, Compare) and str(test.left) == "payload.left"
    )
    return any(action.act.consumes for action in row.actions) and any(left)


def timers_in(protocol: Protocol) -> Running:
    """The timers that may run in each state, found by following every row from the first state on."""
    running = {state: frozenset[str]() for state in protocol.states}
    events = tuple(dict.fromkeys(row.event for row in protocol.rows if row.event not in protocol.steps))
    changed = True
    while changed:
        changed = False
        for state in protocol.states:
            for event in events:
                if event in protocol.timers and event not in running[state]:
                    continue
                for after, timers in _outcomes(protocol, state, event, running[state] - {event}):
                    if after != protocol.initial and not timers <= running[after]:
                        running[after] |= timers
                        changed = True
    return running


def _outcomes(
    protocol: Protocol,
    state: str,
    event: str,
    timers: frozenset[str],
    seen: tuple[tuple[str, str, frozenset[str]], ...] = (),
) -> Iterator[tuple[str, frozenset[str]]]:
    """The states that an event and all its steps may lead to, and the timers that run then."""
    here = (state, event, timers)
    if here in seen:  # a circle, which another row leaves
        return
    for row in protocol.rows_for(state, event):
        now = timers
        for act in (action.act for action in row.actions):
            if isinstance(act, StartTimer):
                now |= {act.timer}
            elif isinstance(act, StopTimer):
                now -= {act.timer}
        after = row.to or state
        if row.to == protocol.initial:
            now = frozenset()
        steps = [action.act.step for action in row.actions if isinstance(action.act, NextEvent)]
        if steps and (after != protocol.initial or protocol.rows_for(after, steps[0])):
            yield from _outcomes(protocol, after, steps[0], now, (*seen, here))
        else:
            yield after, now


def _incomplete(protocol: Protocol, reached: set[str], running: Running) -> Iterator[Problem]:
    """Events that may come in a state whose rows do not cover every case."""
    raised = _raised_steps(protocol)
    for state in (state for state in protocol.states if state in reached):
        for event in dict.fromkeys(
            ("packet", *protocol.timers, *protocol.steps, *(row.event for row in protocol.rows))
        ):
            rows = protocol.rows_for(state, event)
            needed = {
                "packet": not protocol.over,
                **dict.fromkeys(protocol.timers, event in running[state]),
                **dict.fromkeys(protocol.steps, (state, event) in raised),
            }.get(event, False)
            if any(not row.tests for row in rows) or not (rows or needed):
                continue
            line = rows[-1].line if rows else _line_of(protocol, state, event)
            why = f"may run in {state!r}" if event in protocol.timers else f"comes in {state!r}"
            lack = "no row without `when` says what else to do" if rows else "no row says what to do then"
            yield line, f"{event!r} {why}, and {lack}; add one, or one `in: any`"


def _line_of(protocol: Protocol, state: str, event: str) -> int:
    """The line of a row that starts the timer or takes the step, or else of a row of the state."""
    for row in protocol.rows:
        for act in (action.act for action in row.actions):
            if (isinstance(act, StartTimer) and act.timer == event) or (
                isinstance(act, NextEvent) and act.step == event
            ):
                return row.line
    return next((row.line for row in protocol.rows if state in row.states or row.to == state), 1)


def _raised_steps(protocol: Protocol) -> set[tuple[str, str]]:
    return {
        (row.to or state, action.act.step)
        for row in protocol.rows
        for state in (row.states or protocol.states)
        for action in row.actions
        if isinstance(action.act, NextEvent)
    }
