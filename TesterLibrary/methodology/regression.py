# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A value against that of an earlier run: a verdict on whether it has become worse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from assertionengine import AssertionOperator

from ..errors import PlanError
from ..model.units.units import Ratio
from ..verdict import AT_LEAST, AT_MOST, Below, Between, Outcome, Verdict, assess

_BESIDE = ", beside the baseline"  # the end of the subject of a comparison
_HIGHER_IS_BETTER = {">=": True, ">": True, "<=": False, "<": False}  # by the operator of a bound


@dataclass(frozen=True)
class Baseline:
    """The value of an earlier run, or the level of many runs."""

    least: Fraction  # the value lies between the two
    most: Fraction
    measured: str  # the value as people read it
    source: str  # where it is from: "run of 2026-03-01 02:00"
    limit: str = ""  # see Verdict

    @property
    def middle(self) -> Fraction:
        """The middle of its bounds."""
        return (self.least + self.most) / 2

    def room(self, within: Ratio) -> Fraction:
        """How much worse a value may be."""
        return abs(self.middle) * within.value

    def error(self, within: Ratio) -> Fraction:
        """The uncertainty of the bound that follows from it."""
        return (self.most - self.least) / 2 * (1 + within.value)


def better_side(verdict: Verdict) -> bool | None:
    """Whether more is better than less by the verdict's bound; None where neither is."""
    return _HIGHER_IS_BETTER.get(verdict.bound.split(" ")[0])


def is_comparison(verdict: Verdict) -> bool:
    """Whether the verdict is one of `no_regression`, whose value another verdict has judged already."""
    return verdict.subject.endswith(_BESIDE)


def no_regression(judged: Verdict, baseline: Baseline | None, within: Ratio, *, doubt: str = "") -> Verdict:
    """Whether a value is no worse than its baseline by more than a part of that.

    The bound of the verdict says which side is worse; a value without such a side has to stay the same,
    within that part. The uncertainty of the baseline is added to that of the value. A value whose own verdict
    is INCONCLUSIVE is not compared.

    Args:
        judged: The verdict on the value, which has its numbers.
        baseline: None where there is nothing to compare with: `doubt` says why.
        within: The part of the baseline by which the value may be worse.
        doubt: Why the two say nothing of each other; empty if they do.

    Raises:
        PlanError: `within` is 100 % or more, where nothing would be a regression.
    """
    if within.value >= 1:
        raise PlanError(f"within: {within} of the baseline is given; it must be below 100 %")
    if judged.outcome is Outcome.INCONCLUSIVE:
        doubt = judged.reason or doubt
    if baseline is None or judged.most is None:
        return _incomparable(judged, baseline, within, doubt)
    if judged.least is None:
        return _bound_beside(judged, judged.most, baseline, within, doubt)
    return _value_beside(judged, Between(judged.least, judged.most), baseline, within, doubt)


def _incomparable(judged: Verdict, baseline: Baseline | None, within: Ratio, doubt: str) -> Verdict:
    """The verdict where the value or the baseline has no number."""
    doubt = doubt or ("it is no number" if baseline else "there is no baseline")
    sign, beside = judged.bound.split(" ")[0], baseline.measured if baseline else "the baseline"
    return assess(
        None,
        AT_LEAST,
        0,
        subject=f"{judged.subject}{_BESIDE}",
        measured=judged.measured,
        bound=f"{sign} {beside} within {within}",
        doubt=doubt,
    )


def _bound_beside(judged: Verdict, most: Fraction, baseline: Baseline, within: Ratio, doubt: str) -> Verdict:
    """The verdict on a value of which an upper bound is known: a throughput below its search."""
    verdict = assess(
        Below(most + baseline.error(within)),
        AT_LEAST,
        baseline.middle - baseline.room(within),
        subject=f"{judged.subject}{_BESIDE}",
        measured=judged.measured,
        bound=f">= {baseline.measured} within {within} ({baseline.source})",
        doubt=doubt,
    )
    reason = doubt or (verdict.reason and f"it is only known to be {judged.measured}")
    return replace(verdict, reason=reason, most=judged.most)


def _value_beside(judged: Verdict, value: Between, baseline: Baseline, within: Ratio, doubt: str) -> Verdict:
    """The verdict on a value that lies between two numbers."""
    higher_is_better = better_side(judged)
    least, most, operator, expected = _side(value, baseline, within, higher_is_better)
    if higher_is_better and judged.limit:  # the device's value is as high, or higher
        most = max(most, expected)
    if judged.limit == baseline.limit == "search" and value.least >= expected:  # as high as the search went
        most = max(least, expected)
    elif not doubt and baseline.limit and not (higher_is_better and most < expected):
        doubt = f"of the baseline only a lower bound is known: it was limited by the {baseline.limit}"
    side = "==" if higher_is_better is None else operator.value
    verdict = assess(
        least if least == most else Between(least, most),
        operator,
        expected,
        subject=f"{judged.subject}{_BESIDE}",
        measured=judged.measured,
        bound=f"{side} {baseline.measured} within {within} ({baseline.source})",
        doubt=doubt,
    )
    reason = verdict.reason
    if reason and not doubt:
        reason = _uncertainty(judged, baseline)
    return replace(verdict, reason=reason, least=judged.least, most=judged.most)


def _side(
    value: Between, baseline: Baseline, within: Ratio, higher_is_better: bool | None
) -> tuple[Fraction, Fraction, AssertionOperator, Fraction]:
    """The comparison: bounds of the value or of its distance, the operator, and the expected number."""
    middle, room, error = baseline.middle, baseline.room(within), baseline.error(within)
    least, most = Fraction(value.least) - error, Fraction(value.most) + error
    if higher_is_better is None:
        offsets = (abs(least - middle), abs(most - middle))
        nearest = Fraction(0) if least <= middle <= most else min(offsets)
        return nearest, max(offsets), AT_MOST, room
    if higher_is_better:
        return least, most, AT_LEAST, middle - room
    return least, most, AT_MOST, middle + room


def _uncertainty(judged: Verdict, baseline: Baseline) -> str:
    """Why a comparison is open. The verdict's own reason has its numbers, in basic units."""
    if judged.limit:
        return f"{judged.measured} is a lower bound: it was limited by the {judged.limit}"
    return f"{judged.measured} is too close to {baseline.measured} for what is known of the two"
