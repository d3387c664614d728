# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a getter asserts: its value, with an operator and what is expected, becomes a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assertionengine import AssertionOperator, verify_assertion

from ..errors import TesterLibraryError
from ..running.suite import Suite
from ..verdict import About, Between, assess, operator_text
from ._unit import COUNT, Unit

_VALIDATE, _THEN = AssertionOperator["validate"], AssertionOperator["then"]


def asserted(
    suite: Suite,
    value: Any,
    operator: AssertionOperator | None,
    expected: Any,
    *,
    subject: str,
    unit: Unit = COUNT,
    text: Callable[[Any], str] | None = None,
    known: Between | None = None,
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
        unit: How the suite writes what it expects, and how messages print it and the value.
        text: The value as people read it, where that says more than its unit does.
        known: What is compared in place of a value that is not known exactly: its bounds.
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
    wanted = unit.expected(operator, expected, subject=subject)
    bound = unit.text(wanted) if isinstance(expected, int | float) else expected
    verdict = assess(
        value if known is None else known,
        operator,
        wanted,
        subject=subject,
        measured=_measured(value, known, text or unit.text),
        bound=f"{operator_text(operator)} {bound}",
        doubt=doubt,
        text=unit.text,
    )
    suite.conclude(verdict, message)
    return value


def _measured(value: Any, known: Between | None, text: Callable[[Any], str]) -> str:
    """The value as people read it; empty where it was not measured."""
    if value is not None:
        return text(value)
    return known.text if isinstance(known, About) else ""
