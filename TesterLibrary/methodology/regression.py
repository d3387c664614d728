# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A value against that of an earlier run: a verdict on whether it has become worse."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError
from ..model.units import Ratio
from ..verdict import AT_LEAST, AT_MOST, Between, Verdict, assess

_HIGHER_IS_BETTER = {">=": True, ">": True, "<=": False, "<": False}  # by the operator of a bound


@dataclass(frozen=True)
class Baseline:
    """What an earlier run, or many of them, know of a value."""

    least: Fraction  # the value lies between the two
    most: Fraction
    measured: str  # the value as people read it
    source: str  # where it is from: "run 12 of 2026-03-01 02:00"


def no_regression(judged: Verdict, baseline: Baseline | None, within: Ratio, *, doubt: str = "") -> Verdict:
    """Whether a value is no worse than its baseline by more than a part of that.

    The bound of the verdict says which side is worse; a value without such a side is to be the same, within
    that part. What is not known of the baseline is taken for an error of the value.

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
    subject = f"{judged.subject}, beside the baseline"
    if baseline is None or judged.least is None or judged.most is None:
        doubt = doubt or ("it is no number" if baseline else "there is no baseline")
        sign, beside = judged.bound.split(" ")[0], baseline.measured if baseline else "the baseline"
        bound = f"{sign} {beside} within {within}"
        return assess(None, AT_LEAST, 0, subject=subject, measured=judged.measured, bound=bound, doubt=doubt)
    middle = (baseline.least + baseline.most) / 2
    error = (baseline.most - baseline.least) / 2 * (1 + within.value)  # of the bound, which follows from it
    higher_is_better = _HIGHER_IS_BETTER.get(judged.bound.split(" ")[0])
    room = abs(middle) * within.value
    least, most = judged.least - error, judged.most + error
    if higher_is_better is None:  # how far it is off, to whichever side
        ends = (abs(least - middle), abs(most - middle))
        inside = least <= middle <= most
        least, most, operator, expected = (Fraction(0) if inside else min(ends)), max(ends), AT_MOST, room
    else:
        operator, expected = (AT_LEAST, middle - room) if higher_is_better else (AT_MOST, middle + room)
    side = "==" if higher_is_better is None else operator.value
    verdict = assess(
        least if least == most else Between(least, most),
        operator,
        expected,
        subject=subject,
        measured=judged.measured,
        bound=f"{side} {baseline.measured} within {within} ({baseline.source})",
        doubt=doubt,
    )
    if verdict.reason and not doubt:  # the numbers of the comparison are in basic units, which nobody reads
        reason = f"{judged.measured} is too close to {baseline.measured} for what is known of the two"
        return Verdict(
            verdict.outcome, subject, judged.measured, verdict.bound, reason, judged.least, judged.most
        )
    return Verdict(
        verdict.outcome, subject, judged.measured, verdict.bound, verdict.reason, judged.least, judged.most
    )
