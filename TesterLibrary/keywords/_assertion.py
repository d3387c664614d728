# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a getter asserts: its value, with an operator and what is expected, becomes a verdict."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator, verify_assertion

from ..errors import TesterLibraryError, UnitError
from ..model.number import refusal, split_unit
from ..running.suite import Suite
from ..verdict import Between, assess, operator_text, text_of

_VALIDATE, _THEN = AssertionOperator["validate"], AssertionOperator["then"]


def number_of(text: Any) -> Fraction:
    """A number without a unit, as a suite writes it: `0`, `1,000` or `0.5`. UnitError says what to write."""
    allowed = "a number without a unit, such as 0 or 1,000"
    number, unit = split_unit(text, "a number", allowed)
    if unit:
        raise UnitError(refusal(text, "a number", allowed))
    return number


def count_of(text: Any) -> int:
    """A whole number, as a suite writes it. UnitError says what to write."""
    number = number_of(text)
    if number.denominator != 1:
        raise UnitError(refusal(text, "a count", "a whole number, such as 0 or 1,000"))
    return int(number)


def asserted(
    suite: Suite,
    value: Any,
    operator: AssertionOperator | None,
    expected: Any,
    *,
    subject: str,
    parse: Callable[[Any], Any] = count_of,
    text: Callable[[Any], str] = text_of,
    known: Between | None = None,
    bound_text: Callable[[Any], str] = text_of,
    doubt: str = "",
    message: str | None = None,
) -> Any:
    """Returns the value; where an operator is given, records a verdict on it, and raises unless it is PASS.

    `then` evaluates an expression and records nothing.

    Args:
        suite: Where the verdict is recorded.
        value: What was measured; None where nobody measured it.
        operator: None where nothing is asserted.
        expected: What the suite wrote.
        subject: The name of the value.
        parse: From what the suite wrote to something of the kind of the value.
        text: A value as people read it, with its unit.
        known: What is compared in place of a value that is not known exactly: its bounds.
        bound_text: One of these bounds as people read it, with its unit.
        doubt: Why the value is not to be trusted; empty if it is.
        message: Replaces the usual one of an assertion that fails.

    Raises:
        TesterLibraryError: what the suite wrote cannot be compared with the value.
        VerdictFailed: measured, and not as expected.
        Inconclusive: nobody can tell.
    """
    if operator is None:
        return value
    if operator is _THEN:
        return verify_assertion(value, operator, expected)
    if expected is None and operator is not _VALIDATE:
        raise TesterLibraryError(
            f"{subject}: no value given after the operator {operator_text(operator)}; write one, "
            f"such as {operator_text(operator)} 0"
        )
    verdict = assess(
        value if known is None else known,
        operator,
        expected if operator is _VALIDATE else parse(expected),
        subject=subject,
        measured="" if value is None else text(value),
        bound=f"{operator_text(operator)} {expected}",
        doubt=doubt,
        text=bound_text,
    )
    suite.conclude(verdict, message)
    return value
