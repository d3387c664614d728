# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares what two runs measured: which values became worse, which better, and which nobody can compare.

A value is compared with that of the same name in the same test. A value from a trial in which the tester fell
short says nothing of the device, so it is not compared. One run of each is no sample: a change that is
smaller than the tolerance, or than what is known of the values, is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ...model.units.units import Ratio
from ...verdict import Outcome, Verdict
from ..record.outcome import EXIT_STATUS, FAIL, INCONCLUSIVE, PASS
from ..record.records import Records, VerdictRecord
from .repetitions import combined

_HIGHER_IS_BETTER = {">=": True, ">": True, "<=": False, "<": False}  # by the operator of a bound
_SEARCH = "search"  # two values that a search limits alike are as high as anybody looked


class Change(Enum):
    """How a value differs, the most urgent first."""

    WORSE = "worse"
    NOT_COMPARED = "not compared"
    DIFFERENT = "different"  # of a bound that has no better side
    BETTER = "better"
    SAME = "same"


@dataclass(frozen=True)
class Comparison:
    """A value of one run beside that of another one."""

    testbed: str
    suite: str
    test: str
    subject: str
    before: Verdict | None  # None: the other run alone has it
    after: Verdict | None
    change: Change
    part: Fraction | None  # of the value before by which it grew; None where it cannot be said
    reason: str  # why it is not compared, or is worse although its value is not

    def record(self) -> dict[str, object]:
        """The comparison for JSON; the part as a number."""
        return {
            "testbed": self.testbed,
            "suite": self.suite,
            "test": self.test,
            "subject": self.subject,
            "change": self.change.value,
            "part": None if self.part is None else float(self.part),
            "reason": self.reason,
            "before": _side(self.before),
            "after": _side(self.after),
        }


_Name = tuple[str, str, str, str]  # testbed, suite, test, subject
_Key = tuple[_Name, int]  # and which one of that name


def compare(before: Records, after: Records, tolerance: Ratio) -> tuple[Comparison, ...]:
    """Every value of two runs, the most urgent first, and in the order of the tests otherwise.

    Values that a test has several times are compared in their order, and the means of repetitions. Testbeds
    may have different names if each run has one: that compares two devices.

    Args:
        before: The run that is compared with.
        after: The run that is looked at.
        tolerance: The part of a value up to which a change is none.
    """
    named = any(len({test.testbed for test in run.tests}) > 1 for run in (before, after))
    old, new = _values(before, named), _values(after, named)
    records = {**old, **new}.items()
    found = [_compared(record, old.get(key), new.get(key), tolerance) for key, record in records]
    urgency = list(Change)
    return tuple(sorted(found, key=lambda each: urgency.index(each.change)))


def status(comparisons: Sequence[Comparison]) -> int:
    """The status of FAIL if a value is worse, of INCONCLUSIVE if one was not compared, or of PASS."""
    changes = {each.change for each in comparisons}
    if Change.WORSE in changes:
        return EXIT_STATUS[FAIL]
    return EXIT_STATUS[INCONCLUSIVE if Change.NOT_COMPARED in changes or not changes else PASS]


def _values(run: Records, named: bool) -> Mapping[_Key, VerdictRecord]:
    """The values that count by their place; `named`: the name of the testbed is part of it."""
    found: dict[_Key, VerdictRecord] = {}
    times: Counter[_Name] = Counter()
    for record in combined(run):
        testbed = record.place.testbed if named else ""
        name = (testbed, record.place.suite, record.place.test, record.verdict.subject)
        times[name] += 1
        found[name, times[name]] = record
    return found


def _compared(
    there: VerdictRecord, old: VerdictRecord | None, new: VerdictRecord | None, tolerance: Ratio
) -> Comparison:
    change, part, reason = Change.NOT_COMPARED, None, "only the run before has it" if old else "it is new"
    if old and new:
        change, part, reason = _changed(old.verdict, new.verdict, tolerance)
    return Comparison(
        there.place.testbed,
        there.place.suite,
        there.place.test,
        there.verdict.subject,
        old.verdict if old else None,
        new.verdict if new else None,
        change,
        part,
        reason,
    )


def _changed(old: Verdict, new: Verdict, tolerance: Ratio) -> tuple[Change, Fraction | None, str]:
    for when, verdict in (("before", old), ("after", new)):
        if verdict.outcome is Outcome.INCONCLUSIVE:
            return Change.NOT_COMPARED, None, f"INCONCLUSIVE {when}: {verdict.reason}"
    change, part, limits = _of_value(old, new, tolerance)
    if (old.outcome, new.outcome, old.bound) == (Outcome.PASS, Outcome.FAIL, new.bound):
        return Change.WORSE, part, f"PASS became FAIL, required {new.bound}"
    bounds = "" if old.bound == new.bound else f"required {old.bound} before, {new.bound} after"
    return change, part, limits or bounds


def _of_value(old: Verdict, new: Verdict, tolerance: Ratio) -> tuple[Change, Fraction | None, str]:
    if old.is_below or new.is_below:
        return _of_upper_bounds(old, new, tolerance)
    if old.least is None or old.most is None or new.least is None or new.most is None:
        return (Change.SAME if old.measured == new.measured else Change.DIFFERENT), None, ""
    was, became = (old.least + old.most) / 2, (new.least + new.most) / 2
    part = (became - was) / abs(was) if was else None
    if old.limit or new.limit:
        return _of_lower_bounds(old, new, tolerance)
    overlap = new.least <= old.most and old.least <= new.most
    if overlap or (part is not None and abs(part) <= tolerance.value):
        return Change.SAME, part, ""
    higher_is_better = _HIGHER_IS_BETTER.get(new.bound.split(" ")[0])
    if higher_is_better is None:
        return Change.DIFFERENT, part, ""
    return (Change.BETTER if (became > was) == higher_is_better else Change.WORSE), part, ""


def _of_lower_bounds(old: Verdict, new: Verdict, tolerance: Ratio) -> tuple[Change, Fraction | None, str]:
    """The change where one value, or both, may be higher than was found. Most often nobody knows it."""
    before, after = _ends(old), _ends(new)
    said = "; ".join(
        f"at least {verdict.measured} {when}, limited by the {verdict.limit}"
        for when, verdict in (("before", old), ("after", new))
        if verdict.limit
    )
    if not new.limit and after[1] < before[0] * (1 - tolerance.value):
        return Change.WORSE, None, said
    if not old.limit and after[0] > before[1] * (1 + tolerance.value):
        return Change.BETTER, None, said
    as_high = after[0] >= before[0] * (1 - tolerance.value)
    if as_high and (not old.limit or old.limit == new.limit == _SEARCH):
        return Change.SAME, None, said
    return Change.NOT_COMPARED, None, said


def _of_upper_bounds(old: Verdict, new: Verdict, tolerance: Ratio) -> tuple[Change, Fraction | None, str]:
    """The change where one value, or both, are lower than anybody looked."""
    said = f"{old.measured} before, {new.measured} after"
    if old.is_below and new.is_below:
        return (Change.SAME if old.most == new.most else Change.NOT_COMPARED), None, said
    if new.is_below and new.most is not None and old.least is not None:
        is_worse = new.most <= old.least * (1 - tolerance.value)
        return (Change.WORSE if is_worse else Change.NOT_COMPARED), None, said
    if old.most is not None and new.least is not None:
        is_better = new.least >= old.most * (1 + tolerance.value)
        return (Change.BETTER if is_better else Change.NOT_COMPARED), None, said
    return Change.NOT_COMPARED, None, said


def _ends(verdict: Verdict) -> tuple[Fraction, Fraction]:
    assert verdict.least is not None, "a value that is compared is a number"
    assert verdict.most is not None, "a value that is compared is a number"
    return verdict.least, verdict.most


def _side(verdict: Verdict | None) -> Mapping[str, object] | None:
    if verdict is None:
        return None
    return {"outcome": verdict.outcome.value, "measured": verdict.measured, "bound": verdict.bound}
