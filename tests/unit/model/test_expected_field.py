# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Expected header fields as they are written, and what they hold of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import UnitError
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.expected_field import ExpectedField, FieldRelation
from TesterLibrary.model.units.comparison import COMPARISONS

TTL = FieldPath("IP", "ttl")


def relation(comparison: str, text: str) -> FieldRelation:
    return FieldRelation.read(ExpectedField.of(TTL, comparison, text), int)


@given(st.sampled_from(sorted(COMPARISONS)), st.integers(0, 255), st.integers(0, 255), st.integers(-255, 255))
def test_a_value_is_compared_with_the_sent_one(comparison: str, arrived: int, sent: int, more: int) -> None:
    text = f"sent {'-' if more < 0 else '+'} {abs(more)}"
    assert relation(comparison, text).holds(arrived, sent) == COMPARISONS[comparison](arrived, sent + more)
    assert relation(comparison, text).holds(arrived, None) is None


@given(st.lists(st.integers(0, 255), min_size=1), st.integers(0, 255))
def test_one_of_several_values(values: list[int], arrived: int) -> None:
    text = " or ".join(map(str, values))
    assert relation("==", text).holds(arrived, None) == (arrived in values)
    assert relation("!=", text).holds(arrived, None) == (arrived not in values)


@given(st.dictionaries(st.integers(0, 63), st.integers(0, 63), min_size=1), st.integers(0, 63))
def test_rewritten_values(rewritten: dict[int, int], sent: int) -> None:
    text = ", ".join(f"{one} -> {other}" for one, other in rewritten.items())
    found = relation("==", text)
    assert found.holds(rewritten.get(sent, sent), sent)
    assert not found.holds(rewritten.get(sent, sent) + 1, sent)


def test_spaces_make_no_difference() -> None:
    assert ExpectedField.of(TTL, "==", " sent  -  1 ") == ExpectedField.of(TTL, "==", "sent - 1")
    assert str(ExpectedField.of(TTL, "<=", "sent -  1")) == "IP.ttl <= sent - 1"


@pytest.mark.parametrize(
    ("comparison", "text", "problem"),
    [
        ("*=", "sent", "IP.ttl: '*=' does not compare numbers; write one of ==, !=, <, <=, >, >="),
        ("<", "1 or 2", "IP.ttl < 1 or 2: only == and != take several values; give one"),
        ("==", "1 -> 2, 3", "IP.ttl == 1 -> 2, 3: '3' is not written as 46 -> 10, like the others"),
        ("==", "1 -> 2, 1 -> 3", "IP.ttl == 1 -> 2, 1 -> 3: 1 is rewritten twice; give each sent value once"),
    ],
)
def test_what_makes_no_sense_is_refused(comparison: str, text: str, problem: str) -> None:
    with pytest.raises(UnitError, match=re.escape(problem)):
        relation(comparison, text)
