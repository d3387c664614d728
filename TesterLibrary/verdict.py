# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on measurements: PASS, FAIL or INCONCLUSIVE, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import inf, isfinite
from typing import Any

from assertionengine import AssertionOperator, verify_assertion

from .errors import Inconclusive, InconclusiveAttempt, TesterLibraryError, VerdictFailed


class Outcome(Enum):
    """FAIL means measured and out of bounds; a tester that did not do its part is INCONCLUSIVE."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True)
class Verdict:
    """One judgement. Its text is one line a person can read."""

    outcome: Outcome
    subject: str  # what was judged: "throughput of north, 64 bytes"
    measured: str  # the value with its unit
    bound: str  # the bound with its direction: ">= 95 %"
    reason: str = ""  # why it is INCONCLUSIVE, or what limits a PASS
    # The value lies between these two, in the unit in which it was compared; None if it is no number. Without
    # the first one it is below the other.
    least: Fraction | None = None
    most: Fraction | None = None
    # What kept the value from being higher, if not the device: `search` or `tester`; it is a lower bound.
    limit: str = ""
    # The kind of criterion: `frame loss`, `lowest information rate`. Empty: not told apart from others.
    criterion: str = ""

    def __str__(self) -> str:
        text = f"{self.outcome.value}: {self.subject} is {self.measured}, required {self.bound}"
        return f"{text} ({self.reason})" if self.reason else text

    @property
    def is_below(self) -> bool:
        """Whether only an upper bound of the value is known, which it does not reach."""
        return self.least is None and self.most is not None

    def doubted(self, *doubts: str) -> Verdict:
        """The same in doubt: INCONCLUSIVE for these reasons as well. Itself, if there are none."""
        new = [doubt for doubt in doubts if doubt and doubt not in self.reason]
        if not new and (self.outcome is Outcome.INCONCLUSIVE or not any(doubts)):
            return self
        reasons = filter(None, (self.reason, *new))
        return replace(self, outcome=Outcome.INCONCLUSIVE, reason="; ".join(reasons))

    def enforce(self, message: str | None = None, *, repeated: bool = False) -> Verdict:
        """Returns itself when passed. A message replaces the usual one of a verdict that failed.

        Raises:
            VerdictFailed: measured and out of bounds.
            Inconclusive: the tester could not tell; InconclusiveAttempt where Robot repeats the keyword.
        """
        if self.outcome is Outcome.FAIL:
            raise VerdictFailed(message or str(self))
        if self.outcome is Outcome.INCONCLUSIVE:
            raise (InconclusiveAttempt if repeated else Inconclusive)(self.doubt)
        return self

    @property
    def doubt(self) -> str:
        """The value that is left open, and why."""
        return f"{self.subject}: {self.reason}"


@dataclass(frozen=True)
class Between:
    """A value of which only bounds are known, both included."""

    least: Any
    most: Any


@dataclass(frozen=True)
class About(Between):
    """A value with an error, as people read it: `98 us ± 3.3 %`."""

    text: str


@dataclass(frozen=True)
class Undecided(Between):
    """A count that is one of the bounds now and may become the other one yet, and why."""

    why: str


@dataclass(frozen=True)
class Below:
    """A value of which only is known that it is less than this one."""

    most: Any


AT_MOST, AT_LEAST, EQUAL = (AssertionOperator[sign] for sign in ("<=", ">=", "=="))
_WITHOUT_FRACTION = 100_000  # from here on six digits would not show all that stand before the point
_ON_TEXTS = tuple(AssertionOperator[word] for word in ("contains", "starts", "ends", "matches"))
_EQUALITIES = (EQUAL, AssertionOperator["!="])


def assess(
    value: Any,
    operator: AssertionOperator,
    expected: Any,
    *,
    subject: str,
    measured: str = "",
    bound: str = "",
    doubt: str = "",
    criterion: str = "",
    text: Callable[[Any], str] | None = None,
) -> Verdict:
    """Judges a value: every `Verify …` and every asserting `Get …` ends here.

    FAIL comes only from a completed comparison. Whatever leaves the value in doubt makes it INCONCLUSIVE: a
    doubt that is given, a value that was not measured, bounds on whose sides the comparison differs.

    Args:
        value: A number or text, `Between` two of them, `Below` one, or None where nobody measured it.
        operator: Any but `then`, which asserts nothing.
        expected: What the operator compares with, of the same kind as the value.
        subject: The name of the value, such as `throughput of north, 64 bytes`.
        measured: The value as people read it, with its unit; the value itself if left out.
        bound: The operator and what it compares with, as people read it; both themselves if left out.
        doubt: Why the value is not to be trusted; empty if it is.
        criterion: The kind of criterion, by which verdicts on several values of a kind are told.
        text: A value as people read it, with its unit, also for bounds that leave the comparison open.

    Raises:
        TesterLibraryError: the two cannot be compared: a mistake of the suite, which says nothing about the
            device.
    """
    if operator is AssertionOperator["then"]:
        raise TesterLibraryError("'then' evaluates an expression and asserts nothing; write 'validate'")
    measured = measured or ("not measured" if value is None else text_of(value, text))
    bound = bound or f"{operator_text(operator)} {text_of(expected)}"
    sides = _sides(value, expected)
    holds = None if value is None else {_holds(side, operator, expected) for side in sides}
    if not doubt and holds is None:
        doubt = "it was not measured"
    if (
        not doubt
        and isinstance(value, Between | Below)
        and (len(holds or ()) > 1 or _meets(value, operator, expected))
    ):
        doubt = _open(value, bound.removeprefix(operator_text(operator)).strip(), text or text_of)
    numbers = _number(sides[0]), _number(value.most if isinstance(value, Below) else sides[-1])
    outcome = Outcome.PASS if holds == {True} else Outcome.FAIL
    outcome = Outcome.INCONCLUSIVE if doubt else outcome
    return Verdict(outcome, subject, measured, bound, doubt, *numbers, criterion=criterion)


def operator_text(operator: AssertionOperator) -> str:
    """An operator as suites write it: a sign between numbers, a word such as `contains` between texts."""
    return str(operator.name if operator in _ON_TEXTS else operator.value)


def _sides(value: Any, expected: Any) -> tuple[Any, ...]:
    """The ends of a value. What is below something that is expected is below that, too, and not equal."""
    if isinstance(value, Below):
        return -inf, -inf if value.most == expected else value.most
    return (value.least, value.most) if isinstance(value, Between) else (value,)


def _open(value: Between | Below, expected: str, text: Callable[[Any], str]) -> str:
    """Why a comparison with what is expected is left open."""
    if isinstance(value, Below):
        return f"it is only known to be {text_of(value, text)}"
    if isinstance(value, About):
        return f"{value.text} is too close to {expected}"
    if isinstance(value, Undecided):
        return value.why
    if value.most == inf:
        return f"it is only known to be {text(value.least)} or more"
    return f"it is only known to lie between {text(value.least)} and {text(value.most)}"


def text_of(value: Any, text: Callable[[Any], str] | None = None) -> str:
    """A value as people read it, each of its numbers by `text`; a count with all its digits."""
    if isinstance(value, Between):
        return f"{text_of(value.least, text)} to {text_of(value.most, text)}"
    if isinstance(value, Below):
        return f"below {text_of(value.most, text)}"
    if text:
        return text(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    number = float(value)
    return f"{number:,.0f}" if abs(number) >= _WITHOUT_FRACTION else f"{number:,.6g}"


def _number(value: Any) -> Fraction | None:
    """A number exactly; None for anything else, and for what is infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    return Fraction(value) if isfinite(value) else None


def _holds(value: Any, operator: AssertionOperator, expected: Any) -> bool:
    try:
        verify_assertion(value, operator, expected)
    except AssertionError:
        return False
    except Exception as mistake:
        raise TesterLibraryError(
            f"{text_of(value)} cannot be compared by '{operator_text(operator)}' with {expected!r}: {mistake}"
        ) from None
    return True


def _meets(value: Between | Below, operator: AssertionOperator, expected: Any) -> bool:
    """Whether an equality may hold somewhere between bounds that are apart."""
    if isinstance(value, Below):
        return operator in _EQUALITIES and bool(expected < value.most)
    apart: bool = value.least != value.most
    return operator in _EQUALITIES and apart and bool(value.least <= expected <= value.most)
