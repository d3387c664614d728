# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from TesterLibrary.model.condition import Compare, Relation, Test
from TesterLibrary.model.expression import Expression
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.protocol import Protocol, Row, Variable
from TesterLibrary.protocols.conditions import Condition, condition
from TesterLibrary.protocols.scope import NameScope

BITS = 4
SCOPE = NameScope(
    Protocol(
        Path("mine.yaml"),
        "own",
        "",
        ("idle",),
        (Row((), "packet", (), (), None),),
        headers=HeaderStack.parse("Ether / IP"),
        variables=(Variable("a", BITS), Variable("b", BITS)),
    )
)
SIDES = st.sampled_from(["a", "b", "a + 3", "b - 1", "2", "9"])
LEFTS = st.sampled_from(["a", "b", "a + 3", "a - b"])
TESTS = st.builds(
    lambda left, relation, right: Compare(Expression.parse(left), relation, Expression.parse(right)),
    LEFTS,
    st.sampled_from(list(Relation)),
    SIDES,
)
OPPOSITE = (Relation.AT_MOST, Relation.AT_LEAST)  # never equal: no packet matches both
ROWS = st.lists(TESTS, min_size=1, max_size=3)


def holds(test: Test, a: int, b: int) -> bool:
    """Whether a test holds, computed in another way than by the interpreter."""
    assert isinstance(test, Compare)
    left, right = (side.value({"a": a, "b": b}.__getitem__) % 16 for side in (test.left, test.right))
    ahead = (left - right) % 16
    return {
        "is": left == right,
        "not": left != right,
        "below": left < right,
        "at_most": left <= right,
        "above": left > right,
        "at_least": left >= right,
        "before": ahead in range(8, 16),
        "not_after": ahead in (0, *range(8, 16)),
        "after": ahead in range(1, 8),
        "not_before": ahead in range(8),
    }[test.relation.value]


def matches(tests: list[Test]) -> set[tuple[int, int]]:
    return {(a, b) for a in range(16) for b in range(16) if all(holds(test, a, b) for test in tests)}


@given(ROWS, ROWS)
def test_what_is_said_of_two_rows_is_true(one: list[Test], other: list[Test]) -> None:
    """It may take rows for overlapping that are not, never the other way round; the same with `within`."""
    first, second = condition(one, SCOPE), condition(other, SCOPE)
    if not first.overlaps(second):
        assert not matches(one) & matches(other)
    if first.within(second):
        assert matches(one) <= matches(other)
    if not first.possible:
        assert not matches(one)


@given(TESTS, TESTS)
@example(*(Compare(Expression.parse("b"), relation, Expression.parse("b - 1")) for relation in OPPOSITE))
def test_single_tests_of_the_same_quantity_are_compared_exactly(one: Test, other: Test) -> None:
    first, second = condition([one], SCOPE), condition([other], SCOPE)
    if first.allowed.keys() == second.allowed.keys() and _possible(first, one) and _possible(second, other):
        assert first.overlaps(second) == bool(matches([one]) & matches([other]))
        assert first.within(second) == (matches([one]) <= matches([other]))


def _possible(condition: Condition, test: Test) -> bool:
    assert condition.possible == bool(matches([test]))
    return condition.possible
