# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The two variables beside a state in a switch: what a flow expects, and whether its answer has begun.

A register is read and written in one access, before the row is known (norma §4.2). So a table has to do with
these variables just that, and on a switch it happens whatever row is found:

* `next`, of 32 bits, which rows test as ``TCP.seq: next``: the sequence number that the flow expects. A
  segment that has it moves it on by payload and FIN; a SYN begins anew. Answers have it as ``TCP.ack: next``.
* `begun`, of one bit, which rows test as ``begun: 1``: a segment with a certain payload sets it, and a SYN
  clears it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import PlanError
from ...model.condition import Compare, Flags, Prefix, Relation
from ...model.expression import Atom, Expression
from ...model.protocol import Protocol, Row
from ...protocols.actions.variables import Assign, VariableChange
from .resources import EXPECTING_FLOWS, FLOWS

EXPECTS = "expects"  # the program's word for the number
IN_ORDER = "in_order"  # the key of rows: whether the segment had the number
BEGUN = "begun"  # the key of rows: whether an answer has begun
BEGIN_OCTETS = 12  # of a payload, by which the program knows one
_SEQUENCE = "TCP.seq"
_FOLLOWING = Expression(_SEQUENCE, (("+", "payload.length"), ("+", "TCP.fin")))
_SYN = Expression(_SEQUENCE, (("+", 1),))


def expected_variable(protocol: Protocol) -> str | None:
    """The variable that holds the number; None if no row compares one with TCP.seq."""
    names = {variable.name for variable in protocol.variables}
    found = {name for row in protocol.rows for name in _compared(row) if name in names}
    return min(found, default=None)


def begun_variable(protocol: Protocol) -> str | None:
    """The variable that says that an answer has begun; None if there is none of one bit."""
    return next((variable.name for variable in protocol.variables if variable.bits == 1), None)


def begin_payloads(protocol: Protocol) -> list[bytes]:
    """The payloads with which an answer begins."""
    name = begun_variable(protocol)
    setting = [row for row in protocol.rows if (name, Expression(1)) in _sets(row)]
    return list(
        dict.fromkeys(test.octets for row in setting for test in row.tests if isinstance(test, Prefix))
    )


def most_flows(protocol: Protocol) -> int:
    """The flows of a protocol that a switch can number."""
    kept = expected_variable(protocol) or begun_variable(protocol)
    return FLOWS if kept is None else EXPECTING_FLOWS


def expecting(protocol: Protocol, value: Expression) -> Expression:
    """A value in which the number is called as in the program."""
    name = expected_variable(protocol)
    first, *rest = ((operator, EXPECTS if atom == name else atom) for operator, atom in _terms(value))
    return Expression(first[1], tuple(rest))


def check_expected(protocol: Protocol) -> None:
    """PlanError if a table does otherwise with its variables than a switch does."""
    number, begun, known = expected_variable(protocol), begun_variable(protocol), begin_payloads(protocol)
    for row in protocol.rows:
        wanted = dict(_wanted(row, number, begun, known))
        changes = [action.act for action in row.actions if isinstance(action.act, Assign)]
        if len(changes) != len(wanted) or dict(_sets(row)) != wanted:
            rule = ", ".join(f"{name}: {value}" for name, value in wanted.items()) or "nothing"
            raise PlanError(
                f"{protocol.path}: line {row.line}: a switch keeps two variables beside the state, and "
                f"changes them by the packet alone: here it sets {rule}. The sequence number that is "
                f"expected next is {_SYN} where flags have S, and {_FOLLOWING} where {_SEQUENCE} is the "
                "number; a variable of one bit is 0 where flags have S, and 1 where the payload begins as in "
                "a row that sets it"
            )
    if any(len(octets) > BEGIN_OCTETS for octets in known):
        raise PlanError(
            f"{protocol.path}: {begun} is set by more than {BEGIN_OCTETS} bytes of payload; a switch looks "
            f"at the first {BEGIN_OCTETS} for it"
        )


def _wanted(
    row: Row, number: str | None, begun: str | None, known: list[bytes]
) -> Iterator[tuple[str, Expression]]:
    """The variables that a switch sets where this row is found."""
    syn = any(isinstance(test, Flags) and "S" in test.set for test in row.tests)
    if number is not None and (syn or number in _compared(row)):
        yield number, _SYN if syn else _FOLLOWING
    if begun is not None:
        prefixes = [test.octets for test in row.tests if isinstance(test, Prefix)]
        if syn:
            yield begun, Expression(0)
        elif any(one.startswith(other) for one in prefixes for other in known):
            yield begun, Expression(1)


def _sets(row: Row) -> list[tuple[str, Expression]]:
    acts = [action.act for action in row.actions if isinstance(action.act, Assign)]
    return [(act.variable, act.to) for act in acts if act.change == VariableChange.SET]


def _compared(row: Row) -> list[str]:
    """The names with which a row compares TCP.seq for equality."""
    tests = [test for test in row.tests if isinstance(test, Compare) and test.relation == Relation.IS]
    sides = [{str(test.left), str(test.right)} for test in tests]
    return [name for pair in sides if _SEQUENCE in pair for name in pair - {_SEQUENCE}]


def _terms(value: Expression) -> Iterator[tuple[str, Atom]]:
    yield "+", value.first
    yield from value.rest
