# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener that ends a run in time: it takes out the tests for which no time is left, and records them.

A test whose length is known is not begun if it would not end in time; where nothing is known, the run ends
after the test during which the time was over. A test that goes on for long after that is ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..reporting.record import agenda
from ..reporting.record.agenda import Item
from ..reporting.record.record_place import RecordPlace
from ..reporting.record.recorder import NOT_RUN, Recorder
from ..reporting.record.run_files import outermost, take_out

_OVERRUN = 0.25  # of the time budget, for a test that runs when it is spent
_LEAST_OVERRUN_S = 60.0
OVERDUE = "the time budget was spent, and the test went on for long after it, so the run has ended it"
ENDED = "the run had ended because of its time budget"


def record_not_run(recorder: Recorder, item: Item, reason: str) -> None:
    """Records that a test was left out, and why."""
    recorder.place = RecordPlace(item.testbed, item.suite, item.test)
    recorder.event(NOT_RUN, reason=reason)


def spent(seconds_left: float, expected_s: float = 0) -> str:
    """Why a test is not begun; empty if it may be.

    Args:
        seconds_left: until the time budget is spent.
        expected_s: how long the test takes; 0 where nobody knows.
    """
    if seconds_left <= 0:
        return "the time budget is spent"
    if expected_s > seconds_left:
        return f"it takes about {expected_s:.0f} s, and {seconds_left:.0f} s of the time budget are left"
    return ""


def latest_end(ends_at: float, budget_s: float) -> float:
    """When a test is ended that still runs, in seconds of the clock of `ends_at`."""
    return ends_at + max(_LEAST_OVERRUN_S, budget_s * _OVERRUN)


class TimeLimit:
    """A listener of Robot that says why a test was ended, to be given with `latest_end`."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 2  # before the library's own listener, which records how a test ended

    def __init__(self, latest_end: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._latest_end, self._clock = float(latest_end), clock

    def end_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """A test that was under way at that time has not ended by itself."""
        if result.status == "FAIL" and self._clock() >= self._latest_end:
            result.message = "\n\n".join(filter(None, [OVERDUE, result.message]))


class TimeBudget:
    """A listener of Robot, to be given with the time of the monotonic clock at which the run has to end."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = -1  # after the library's own listener, which records how a test ended

    def __init__(self, ends_at: str, evidence: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._ends_at, self._evidence, self._clock = float(ends_at), Path(evidence), clock
        self._begun: list[Any] = []  # tests

    def start_suite(self, data: Any, result: object) -> None:  # noqa: ARG002 - Robot names them
        """Before its setup: a suite of which no test is left is not set up."""
        self._check(data)

    def start_test(self, data: Any, result: object) -> None:  # noqa: ARG002 - Robot names them
        """A test that has begun is never taken out."""
        self._begun.append(data)

    def end_test(self, data: Any, result: object) -> None:  # noqa: ARG002 - Robot names them
        """Before the next test."""
        self._check(data.parent)

    def _check(self, suite: Any) -> None:
        suite = outermost(suite)
        waiting = [test for test in suite.all_tests if all(test is not begun for begun in self._begun)]
        known = agenda.read(self._evidence)
        if not waiting or known is None:
            return
        for inner in dict.fromkeys(test.parent for test in waiting):
            known = known.following(inner.full_name, [test.name for test in inner.tests])
        items = {(item.suite, item.written): item for item in known.items}
        coming = [items[test.parent.full_name, test.name] for test in waiting]
        expected = known.expected(coming[0], known.finished(self._evidence))
        reason = spent(self._ends_at - self._clock(), expected)
        if not reason:
            return
        agenda.write_agenda(self._evidence, known)
        recorder = Recorder(self._evidence)
        for item in coming:
            record_not_run(recorder, item, reason if item == coming[0] else ENDED)
        take_out(suite, waiting)
