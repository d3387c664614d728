# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of a campaign beside those of nights before: what stands out is measured again before it alarms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import TesterLibraryError
from ..reporting.pages.repetitions import unrepeated
from ..reporting.record.outcome import EXIT_STATUS, FAIL, INCONCLUSIVE, WORST_FIRST
from ..reporting.record.record_place import EVIDENCE
from ..reporting.record.recorder import read_run
from ..reporting.record.records import read_consistent
from ..reporting.trend.address import Address
from ..reporting.trend.database import TOLERANCE, open_database
from ..reporting.trend.figure import run_of
from ..reporting.trend.summary import Standing, Trend, trends
from .certification import Certification
from .certification_arguments import certification
from .execution import execute
from .robot_command import literal

_ALARMS = (Standing.ALARMED, Standing.CONFIRMED)


@dataclass
class TrendGate:
    """Puts the values of a run into a database, and has the tests of those that stand out run once more."""

    database: str
    ends_at: float | None  # by time.monotonic(); None: no limit
    _runs: list[str] = field(default_factory=list)  # ids

    def status(self, run: Certification, *, most: int | None) -> int:
        """The status of a run whose tests passed: that of FAIL if a value has become worse.

        It is that of INCONCLUSIVE if one stands out and could not be measured again.

        Raises:
            TesterLibraryError: the database cannot be opened or written.
        """
        found = self._kept(run.output)
        tests = _tests(run, found)
        if tests:
            rest = None if self.ends_at is None else self.ends_at - time.monotonic()
            if rest is None or rest > 0:
                found, status = self._measured_again(run, tests, rest, most)
                if status:
                    return status
            else:
                print(
                    "No time is left to measure again what stands out; it is a candidate, and no alarm yet."
                )
        urgent = [trend for trend in found if trend.standing in (*_ALARMS, Standing.CANDIDATE)]
        for trend in urgent:
            print(trend.text())
        if any(trend.standing in _ALARMS for trend in urgent):
            return EXIT_STATUS[FAIL]
        return EXIT_STATUS[INCONCLUSIVE] if urgent else 0

    def _measured_again(
        self, run: Certification, tests: Sequence[str], rest_s: float | None, most: int | None
    ) -> tuple[Sequence[Trend], int]:
        """The figures after the second measurement; a status other than 0 says that it was not finished."""
        given = {**run.given, "tests": tests, "include": (), "exclude": (), "time_budget_s": rest_s}
        again = replace(certification(**given, output=_free(run.output)), by=run.by)
        items = again.begin()
        print(f"\n{len(tests)} of the tests have values that stand out; they are measured again.")
        done = execute(
            again,
            items,
            f"{len(items)} tests again,",
            go_on=f"tester certify --resume {again.output}",
            most=most,
        )
        if not done.finished:
            return (), done.status
        return self._kept(again.output), 0

    def _kept(self, output: Path) -> Sequence[Trend]:
        """Adds the values of a run. Returns the figures of all runs so far."""
        run = run_of(read_consistent(output / EVIDENCE))
        self._runs.append(run.id)
        try:
            with open_database(self.database, make=True) as opened:
                added = opened.add(run, float(TOLERANCE.value))
                series = opened.series()
        except TesterLibraryError as problem:
            raise TesterLibraryError(f"the run is whole, and is not in the database: {problem}") from None
        shown = Address.parse(self.database)
        print(f"{shown}: the run is {added.value}; tester trend --database {shown} says what has changed")
        return [trend for trend in trends(series, self._runs) if trend.last.run in self._runs]


def worst(statuses: Sequence[int]) -> int:
    """The most urgent of some exit statuses."""
    return next(EXIT_STATUS[name] for name in WORST_FIRST if EXIT_STATUS[name] in statuses)


def _tests(run: Certification, found: Sequence[Trend]) -> list[str]:
    """The tests of candidates as options of Robot name them, in each repetition."""
    record = read_run(run.output / EVIDENCE)
    keys = [trend.series.key for trend in found if trend.standing is Standing.CANDIDATE]
    wanted = {(key.testbed, key.suite, key.test) for key in keys}
    return [
        literal(f"{item.suite}.{item.chosen}")
        for item in run.known_items()
        if (item.testbed, unrepeated(record, item.testbed, item.suite), item.test) in wanted
    ]


def _free(output: Path) -> Path:
    """The folder of a second measurement: `night-again`, or `night-again-2` where that is taken."""
    number = 1
    while (path := output.with_name(f"{output.name}-again{f'-{number}' if number > 1 else ''}")).exists():
        number += 1
    return path
