# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A value against that of an earlier run: a verdict on whether it has become worse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

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
    subject = f"{judged.subject}{_BESIDE}"
    if baseline is None or judged.most is None:
        doubt = doubt or ("it is no number" if baseline else "there is no baseline")
        sign, beside = judged.bound.split(" ")[0], baseline.measured if baseline else "the baseline"
        bound = f"{sign} {beside} within {within}"
        return assess(None, AT_LEAST, 0, subject=subject, measured=judged.measured, bound=bound, doubt=doubt)
    middle = (baseline.least + baseline.most) / 2
    error = (baseline.most - baseline.least) / 2 * (1 + within.value)  # of the bound, which follows from it
    higher_is_better = better_side(judged)
    room = abs(middle) * within.value
    if judged.least is None:  # a throughput below its search: more is better
        verdict = assess(
            Below(judged.most + error),
            AT_LEAST,
            middle - room,
            subject=subject,
            measured=judged.measured,
            bound=f">= {baseline.measured} within {within} ({baseline.source})",
            doubt=doubt,
        )
        reason = doubt or (verdict.reason and f"it is only known to be {judged.measured}")
        return replace(verdict, reason=reason, most=judged.most)
    least, most = judged.least - error, judged.most + error
    if higher_is_better is None:  # how far it is off, to whichever side
        ends = (abs(least - middle), abs(most - middle))
        inside = least <= middle <= most
        least, most, operator, expected = (Fraction(0) if inside else min(ends)), max(ends), AT_MOST, room
    else:
        operator, expected = (AT_LEAST, middle - room) if higher_is_better else (AT_MOST, middle + room)
    side = "==" if higher_is_better is None else operator.value
    if higher_is_better and judged.limit:  # the device's value is as high, or higher
        most = max(most, expected)
    as_high = judged.limit == baseline.limit == "search" and judged.least >= expected
    if as_high:  # as high as anybody looked
        most = max(least, expected)
    elif not doubt and baseline.limit and not (higher_is_better and most < expected):
        doubt = f"of the baseline only a lower bound is known: it was limited by the {baseline.limit}"
    verdict = assess(
        least if least == most else Between(least, most),
        operator,
        expected,
        subject=subject,
        measured=judged.measured,
        bound=f"{side} {baseline.measured} within {within} ({baseline.source})",
        doubt=doubt,
    )
    reason = verdict.reason
    if reason and not doubt and judged.limit:
        reason = f"{judged.measured} is a lower bound: it was limited by the {judged.limit}"
    elif reason and not doubt:  # it has the numbers of the comparison, in basic units
        reason = f"{judged.measured} is too close to {baseline.measured} for what is known of the two"
    return replace(verdict, reason=reason, least=judged.least, most=judged.most)
