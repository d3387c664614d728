# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A verdict on a value that a suite has worked out by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assertionengine import AssertionOperator

from ...errors import TesterLibraryError, UnitError
from ...measurement.trial import Trial
from ...model.units.comparison import require_comparison
from ...model.units.magnitude import NONE, Magnitude
from ...verdict import Verdict, assess, operator_text
from .judging import doubt_of


def judge_value(
    value: object,
    operator: AssertionOperator,
    expected: object,
    *,
    subject: str,
    trials: Sequence[Trial] = (),
    doubts: Iterable[str] = (),
) -> Verdict:
    """Whether a value compares with another of the same unit.

    INCONCLUSIVE where the value is None, which nobody measured, where the tester fell short in a trial, or
    where there is another doubt.

    Args:
        value: A number, alone or with a unit, or None.
        operator: A comparison.
        expected: Of the same unit; 0 needs none.
        subject: The name of the value.
        trials: What the value was worked out from; empty where it was measured otherwise.
        doubts: Why else the value may be wrong; empty texts are no reason.

    Raises:
        TesterLibraryError: the two have different units, one is no number, or the operator compares texts.
    """
    if not subject.strip():
        raise TesterLibraryError("a value needs a name; write of=, such as of=largest burst")
    sign = operator_text(operator)
    require_comparison(sign, subject)
    bound = _read(expected, f"the bound of {subject}")
    given = None if value is None else _read(value, subject)
    if given and given.unit != bound.unit and (bound.value or bound.unit != NONE):
        raise TesterLibraryError(
            f"{subject} is {given}{_unitless(given)}, and the bound is {bound}{_unitless(bound)}: their "
            f"units differ; write the value with its unit, such as ${{value}} ms, and a bound of that kind"
        )
    return assess(
        given and given.value,
        operator,
        bound.value,
        subject=subject,
        measured=str(given) if given else "",
        bound=f"{sign} {bound}",
        doubt="; ".join(dict.fromkeys(filter(None, (doubt_of(trials) if trials else "", *doubts)))),
    )


def _read(given: object, what: str) -> Magnitude:
    try:
        return Magnitude.parse(given)
    except UnitError as problem:
        raise UnitError(f"{what}: {problem}") from None


def _unitless(given: Magnitude) -> str:
    return " without a unit" if given.unit == NONE else ""
