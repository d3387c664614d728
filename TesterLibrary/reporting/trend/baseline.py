# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The value of an earlier run, or the level of many, beside which a value of the running test is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ...errors import TesterLibraryError
from ...methodology.regression import Baseline
from ...model.units.number import counted
from ...verdict import Outcome, Verdict
from ..pages.rebuild import evidence_of
from ..pages.value_text import text_in, unit_of
from ..record.long_name import short_names_of
from ..record.records import read_consistent, read_longest_trials
from .address import Address
from .database import Series, open_database
from .figure import Figure, Key, Point, run_of
from .judge import FEWEST, WINDOW
from .level import levels
from .summary import time_text

_MOST_NAMED = 3  # places that a message names where a value was found in place of the one that was sought


@dataclass(frozen=True)
class Sought:
    """The value that a baseline is sought for, and how it was measured."""

    testbed: str
    device_kind: str
    profile: str
    suite: str
    test: str
    judged: Verdict
    number: int  # which one of that subject in its test, from 1
    run: str  # that is going on: no baseline of itself
    longest_ns: int | None  # of the trials of the test so far; None if it has none
    name: str = ""  # the suite's own, the end of `suite`; empty if nobody knows it


def find_baseline(where: str | Path, sought: Sought) -> tuple[Baseline | None, str]:
    """The baseline, and why it says nothing of the value: empty if it does.

    Args:
        where: The folder of a run, or a database of runs by its path or URL.
        sought: What it is for.

    Raises:
        TesterLibraryError: there is neither, or it cannot be read.
    """
    address = Address.parse(where)
    if not address.is_server and not address.file.exists():
        raise TesterLibraryError(
            f"there is no baseline {address} (from {Path.cwd()}); give the folder of a run, or a database of "
            "tester trend"
        )
    if not address.is_server and address.file.is_dir():
        return _of_run(address.file, sought)
    with open_database(where, make=False) as database:
        return _of_database(database.series(test=sought.test), sought)


def _of_run(path: Path, sought: Sought) -> tuple[Baseline | None, str]:
    folder = evidence_of(path)
    run = run_of(read_consistent(folder))
    if run.id == sought.run:
        raise TesterLibraryError(f"{path} is the run that is going on; a baseline is another one")
    testbeds = {figure.key.testbed for figure in run.figures}
    fitting = _named([figure.key for figure in run.figures], sought, one_testbed=len(testbeds) == 1)
    if isinstance(fitting, str):
        return None, fitting
    figure = next(figure for figure in run.figures if figure.key == fitting)
    baseline = _known(figure, f"run of {time_text(run.started_at)}")
    doubt = _differs(figure.key, sought) or ("" if baseline and baseline.limit else _unfit(figure.point))
    return baseline, doubt or _durations(folder, figure, sought)


def _of_database(found: Sequence[Series], sought: Sought) -> tuple[Baseline | None, str]:
    keys = [series.key for series in found if series.key.testbed == sought.testbed]
    like = [key for key in keys if not _differs(key, sought)]
    fitting = _named(like or keys, sought, one_testbed=False)
    if isinstance(fitting, str):
        return None, fitting
    series = next(series for series in found if series.key == fitting)
    points = [point for point in series.points if point.fit and point.run != sought.run]
    doubt = _differs(series.key, sought)
    if len(points) < FEWEST:
        few = f"the baseline has {counted(len(points), 'value')} of a fit tester; a level needs {FEWEST}"
        return None, doubt or few
    values = [point.value for point in points[-WINDOW:] if point.value is not None]
    settled = [level for level in levels(values) if len(level.values) >= min(FEWEST, len(values))]
    level = settled[-1].mean if settled else sum(values) / len(values)
    if series.open_alarm:
        level = series.open_alarm.before
    exact = Fraction(level)
    text = text_in(level, series.key.unit)
    return Baseline(exact, exact, text, f"level of {counted(len(points), 'value')}"), doubt


def _named(keys: Sequence[Key], sought: Sought, *, one_testbed: bool) -> Key | str:
    """The figure of that name, or why there is none."""
    judged = sought.judged
    like = [
        key
        for key in keys
        if (key.test, key.subject, key.number) == (sought.test, judged.subject, sought.number)
        and (one_testbed or key.testbed == sought.testbed)
    ]
    exact = [key for key in like if key.suite == sought.suite]
    last = sought.name or short_names_of(sought.suite)[-1]
    ends = exact or [key for key in like if f".{key.suite}".endswith(f".{last}")]
    if len(ends) == 1:
        return ends[0]
    value = f"{judged.subject} of the test {sought.test!r} of the suite {sought.suite}"
    if ends:
        return f"the baseline has several {value}, in the suites {_listed(key.suite for key in ends)}"
    if like:
        return f"the baseline has no {value}, but of the suites {_listed(key.suite for key in like)}"
    return f"the baseline has no {value} on the testbed {sought.testbed}{_instead(keys, sought)}"


def _instead(keys: Sequence[Key], sought: Sought) -> str:
    """The places of a value of the same name, of which one may be meant; empty if there are none."""
    named = [key for key in keys if key.subject == sought.judged.subject]
    places = {f"{key.test!r} of the suite {key.suite} on {key.testbed}" for key in named}
    return f"; it has that value of {_listed(places)}" if places else ""


def _listed(names: Iterable[str]) -> str:
    """The first of these names in their order, and how many follow."""
    known = sorted(set(names))
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return ", ".join(known[:_MOST_NAMED]) + more


def _differs(key: Key, sought: Sought) -> str:
    """How the value of the baseline was measured otherwise; empty if it was not."""
    unit = unit_of(sought.judged)
    for what, theirs, ours in (
        ("device", key.device_kind, sought.device_kind),
        ("profile", key.profile, sought.profile),
        ("unit", key.unit, unit),
    ):
        if theirs != ours:
            return f"the {what} of the baseline is {theirs or 'not known'}, that of this run {ours or 'none'}"
    return ""


def _unfit(point: Point) -> str:
    if point.fit:
        return ""
    if point.outcome == Outcome.INCONCLUSIVE.value:
        return f"the tester of the baseline was not fit: {point.reason}"
    return f"the baseline has no number to compare with{f': {point.reason}' if point.reason else ''}"


def _known(figure: Figure, source: str) -> Baseline | None:
    point = figure.point
    if figure.at_least is not None and point.outcome != Outcome.INCONCLUSIVE.value:
        text = f"at least {text_in(float(figure.at_least), figure.key.unit)}"
        return Baseline(figure.at_least, figure.at_least, text, source, figure.limit)
    if point.least is None or point.most is None or point.value is None:
        return None
    text = text_in(point.value, figure.key.unit)
    return Baseline(Fraction(point.least), Fraction(point.most), text, source)


def _durations(folder: Path, figure: Figure, sought: Sought) -> str:
    """Whether the trials of the baseline's test were shorter or longer; empty if not, or nobody knows."""
    key = figure.key
    longest = read_longest_trials(folder).get((key.testbed, key.suite, key.test))
    if longest is None or sought.longest_ns is None or longest == sought.longest_ns:
        return ""
    theirs, ours = text_in(longest, "ns"), text_in(sought.longest_ns, "ns")
    return f"the longest trial of the baseline's test sent for {theirs}, that of this run for {ours}"
