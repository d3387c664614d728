# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that everything a table names exists, is of the right kind, and is wide enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..errors import PlanError
from ..model.condition import Compare, Flags, Prefix, Test
from ..model.protocol import EVENTS, Protocol, Row
from .act_check import ActCheck
from .document_reader import too_wide
from .findings import expression_problems, no_packet, unknown
from .scope import FACTS, NameScope
from .sending_check import sending_problems

Problem = tuple[int, str]


def problems(protocol: Protocol) -> Iterator[Problem]:
    """The problems of one table; the tables below it are checked separately."""
    try:
        scope = NameScope(protocol)
    except PlanError as problem:  # headers that cannot be laid out
        yield 1, str(problem)
        return
    yield from _names(protocol)
    for name in protocol.failures:
        if name not in protocol.counters:
            yield 1, f"failures: {unknown('counter', name, protocol.counters)}"
    for name, _ in protocol.unread:
        if name not in protocol.failures:
            yield 1, f"unread: {unknown('failure', name, protocol.failures)}"
    yield from _flow(protocol, scope)
    for variable in protocol.variables:
        yield from expression_problems(variable.initial, scope, variable.line, bare=True, bits=variable.bits)
    yield from sending_problems(protocol, scope)
    bare = bare_events(protocol)
    for row in protocol.rows:
        yield from _row(row, protocol)
        for test in row.tests:
            yield from _test(test, scope, bare=row.event in bare)
        checking = ActCheck(row, protocol, scope, bare=row.event in bare)
        for action in row.actions:
            for text in action.act.check(checking):
                yield action.line, text


def events(protocol: Protocol) -> tuple[str, ...]:
    """All events that rows can be for."""
    below = protocol.over.up if protocol.over else EVENTS
    scanned = [name for scanner in protocol.scanners for name in (scanner.name, scanner.overlong)]
    return (*below, *protocol.down, *protocol.timers, *protocol.steps, *scanned)


def bare_events(protocol: Protocol) -> set[str]:
    """The events that may come while no packet is in hand."""
    bare = {"start", "stop", *protocol.timers, *protocol.down}
    if protocol.over:
        bare |= _raised(protocol.over, bare_events(protocol.over))
    while True:
        more = _raised(protocol, bare) - bare
        if not more:
            return bare
        bare |= more


def _raised(protocol: Protocol, bare: set[str]) -> set[str]:
    """Steps and signals of rows for these events."""
    acts = (action.act for row in protocol.rows if row.event in bare for action in row.actions)
    return {event for act in acts for event in act.raises}


def _names(protocol: Protocol) -> Iterator[Problem]:
    """Names that are used for more than one thing."""
    lines = {variable.name: variable.line for variable in protocol.variables}
    lines |= {parameter.name: parameter.line for parameter in protocol.parameters}
    lines |= {scanner.name: scanner.line for scanner in protocol.scanners}
    values = Counter(
        [variable.name for variable in protocol.variables]
        + [parameter.name for parameter in protocol.parameters]
    )
    values.update(list(FACTS))
    for group, what in (
        (values, "a variable or parameter"),
        (Counter(events(protocol)), "an event"),
        (Counter(name for name, _ in protocol.registers()), "what is kept for a flow"),
    ):
        for name, times in group.items():
            if times > 1:
                yield lines.get(name, 1), f"{name!r} is the name of {what} already; give each its own"


def _flow(protocol: Protocol, scope: NameScope) -> Iterator[Problem]:
    line = min((row.line for row in protocol.rows), default=1)
    for name in (name for key in protocol.flow for name in key):
        if name not in scope.layout.places:
            yield 1, f"flow: {scope.layout.unknown(name)}"
    if protocol.over and (protocol.flow or protocol.up or protocol.down):
        yield 1, "flow and signals are for a protocol that has headers; this one is over another"
    if protocol.flow or protocol.over:
        return
    if len(protocol.states) > 1 or protocol.timers:
        kept = "states" if len(protocol.states) > 1 else "timers"
        yield line, f"{kept} are kept for a flow; say by which fields it is known: flow: [[IP.src, IP.dst]]"


def _row(row: Row, protocol: Protocol) -> Iterator[Problem]:
    for state in (*row.states, row.to or protocol.initial):
        if state not in protocol.states:
            yield row.line, unknown("state", state, protocol.states)
    if row.event not in events(protocol):
        yield row.line, unknown("event", row.event, events(protocol))


def _test(test: Test, scope: NameScope, *, bare: bool) -> Iterator[Problem]:
    if isinstance(test, Prefix):
        if bare:
            yield test.line, no_packet("payload")
        return
    if isinstance(test, Flags):
        place = scope.layout.places.get(test.name)
        if place is None or not place.letters:
            yield (
                test.line,
                f"{test.name!r} is no field of flags; set and clear are for one, such as TCP.flags",
            )
            return
        for letter in f"{test.set}{test.clear}":
            if letter not in place.letters:
                yield test.line, f"{test.name} has no flag {letter!r}; it has {', '.join(place.letters)}"
        if bare:
            yield test.line, no_packet(test.name)
        return
    yield from _compare(test, scope, bare=bare)


def _compare(test: Compare, scope: NameScope, *, bare: bool) -> Iterator[Problem]:
    found = [
        *expression_problems(test.left, scope, test.line, bare=bare),
        *expression_problems(test.right, scope, test.line, bare=bare),
    ]
    yield from found
    constant, bits = test.right.constant, scope.compared_bits(test)
    if not found and constant is not None and not 0 <= constant < 1 << bits:
        yield test.line, f"{test.left}: {too_wide(constant, bits)}"
    if not found and not list(test.left.names):
        yield (
            test.line,
            f"{test.left} is always the same; test a field, a variable or what is worked out of them",
        )
