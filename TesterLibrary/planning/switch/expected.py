# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The sequence number that a flow expects next, the one variable that a switch keeps beside a state (norma §4.2).

A register is read and written in one access, before the row is known: a segment that has the number moves it on by
its payload, and a SYN begins anew. So a table has to do with its variable just that, and on a switch it happens
whatever row is found. A row tests the variable as ``TCP.seq: next``, and answers have it as ``TCP.ack: next``.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import PlanError
from ...model.condition import Compare, Flags, Relation
from ...model.expression import Atom, Expression
from ...model.protocol import Protocol, Row
from ...protocols.actions.variables import Assign, VariableChange
from .resources import EXPECTING_FLOWS, FLOWS

EXPECTS = "expects"  # the program's word for the number
IN_ORDER = "in_order"  # the key of rows: whether the segment had the number
_SEQUENCE = "TCP.seq"
_FOLLOWING = Expression(_SEQUENCE, (("+", "payload.length"),))
_SYN = Expression(_SEQUENCE, (("+", 1),))


def expected_variable(protocol: Protocol) -> str | None:
    """The variable that holds the number; None if no row compares one with TCP.seq."""
    names = {variable.name for variable in protocol.variables}
    found = {name for row in protocol.rows for name in _compared(row) if name in names}
    return min(found, default=None)


def expecting(protocol: Protocol, value: Expression) -> Expression:
    """A value in which the variable is called as in the program."""
    name = expected_variable(protocol)
    first, *rest = ((operator, EXPECTS if atom == name else atom) for operator, atom in _terms(value))
    return Expression(first[1], tuple(rest))


def _terms(value: Expression) -> Iterator[tuple[str, Atom]]:
    yield "+", value.first
    yield from value.rest


def most_flows(protocol: Protocol) -> int:
    """The flows of a protocol that a switch can number."""
    return FLOWS if expected_variable(protocol) is None else EXPECTING_FLOWS


def check_expected(protocol: Protocol) -> None:
    """PlanError if a table does otherwise with its number than a switch does."""
    name = expected_variable(protocol)
    for row in protocol.rows:
        wanted = None if name is None else _wanted(row, name)
        done = [one.act for one in row.actions if isinstance(one.act, Assign)]
        if done != ([] if wanted is None else [Assign(VariableChange.SET, str(name), wanted)]):
            raise PlanError(
                f"{protocol.path}: line {row.line}: a switch keeps one variable beside the state, the "
                f"sequence number that is expected next: a row whose flags have S sets it to {_SYN}, one "
                f"that tests {_SEQUENCE} against it to {_FOLLOWING}, and no other row sets anything"
            )


def _compared(row: Row) -> list[str]:
    """The names with which a row compares TCP.seq for equality."""
    tests = [test for test in row.tests if isinstance(test, Compare) and test.relation == Relation.IS]
    sides = [{str(test.left), str(test.right)} for test in tests]
    return [name for pair in sides if _SEQUENCE in pair for name in pair - {_SEQUENCE}]


def _wanted(row: Row, name: str) -> Expression | None:
    """What a switch does with the number where this row is found; None: nothing."""
    if any(isinstance(test, Flags) and "S" in test.set for test in row.tests):
        return _SYN
    return _FOLLOWING if name in _compared(row) else None
