# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The repetitions of a campaign: a test has another outermost suite in each, and is the same test.

Runs are compared by one value for each test: the mean of its repetitions. What is known of it reaches as far
as the repetition that is farthest away from it, with what is known of that one; so two runs differ only where
all their repetitions do. Repetitions in which the tester was not fit say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...verdict import Outcome, Verdict
from ..record.long_name import below, label
from ..record.records import Records, VerdictRecord
from .value_text import text_in, unit_of


def unrepeated(run: Mapping[str, Any], testbed: str, suite: str) -> str:
    """The name that a suite has in the first repetition. `run` is the record of the whole run."""
    for number in range(2, _repetitions(run) + 1):
        within = below(suite, label(testbed, number))
        if within != suite:
            return f"{label(testbed, 1)}.{within}"
    return suite


def combined(records: Records) -> tuple[VerdictRecord, ...]:
    """The verdicts that count; those on one value in all repetitions as one, in the place of the first."""
    standing = [record for record in records.verdicts if not record.caught_by]
    if _repetitions(records.run) == 1:
        return tuple(standing)
    found: dict[tuple[Any, ...], list[VerdictRecord]] = {}
    times: Counter[tuple[Any, ...]] = Counter()
    for record in standing:
        place, subject = record.place, record.verdict.subject
        times[place, subject] += 1
        plain = replace(place, suite=unrepeated(records.run, place.testbed, place.suite))
        found.setdefault((plain, subject, times[place, subject]), []).append(replace(record, place=plain))
    return tuple(
        replace(same[0], verdict=_mean([record.verdict for record in same]), at=same[-1].at)
        for same in found.values()
    )


def _repetitions(run: Mapping[str, Any]) -> int:
    return int((run.get("certification") or {}).get("repetitions", 1))


def _mean(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict on the same value of several repetitions."""
    fit = [verdict for verdict in verdicts if verdict.outcome is not Outcome.INCONCLUSIVE]
    unfit = [verdict for verdict in verdicts if verdict.outcome is Outcome.INCONCLUSIVE]
    if len(verdicts) == 1 or not fit:
        return verdicts[0]
    worst = next((verdict for verdict in fit if verdict.outcome is Outcome.FAIL), fit[0])
    known = [(v.least, v.most) for v in fit if v.least is not None and v.most is not None]
    if len(known) < len(fit):
        return worst
    values = [(least + most) / 2 for least, most in known]
    mean = sum(values, Fraction(0)) / len(values)
    spread = max(max(most - mean, mean - least) for least, most in known)
    texts = [text_in(float(value), unit_of(fit[0])) for value in (mean, min(values), max(values))]
    of = f"{len(fit)} of {len(verdicts)}" if unfit else f"{len(fit)}"
    return replace(
        worst,
        measured=f"{texts[0]} (mean of {of} repetitions, {texts[1]} to {texts[2]})",
        least=mean - spread,
        most=mean + spread,
    )
