# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Follows a Robot run: tells the recorder which test is running, and puts trials into log.html and Allure."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from robot.api import logger

from ..errors import TesterLibraryError
from ..measurement.trial import Trial
from . import allure
from .codec import encode
from .plots import of_trials
from .progress import Progress
from .recorder import Recorder, derived
from .records import outcome_of
from .render import trials_html


class Listener:
    """A listener (API version 3) that the library registers for itself: no option is needed to have it.

    It comes before Allure's, which gives a test away as soon as it has ended.
    """

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 1

    def __init__(
        self, recorder: Recorder, progress: Progress, *, on_test: Callable[[], None] = lambda: None
    ) -> None:
        self._recorder = recorder
        self._progress = progress
        self._on_test = on_test

    def start_test(self, data: Any, result: Any) -> None:
        """Everything recorded from here on belongs to this test."""
        self._on_test()
        self._recorder.begin_test(data.parent.full_name, result.name)
        self._progress.begin_test(data.parent.full_name, result.name)

    def end_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Tags the test with its outcome, shows its trials, and records how it ended."""
        recorder = self._recorder
        outcome = outcome_of(result.status, tuple(recorder.verdicts))
        result.tags.add(f"verdict-{outcome.lower()}")
        if recorder.trials:
            _show(tuple(recorder.trials))
        message = result.message or _summary(recorder)
        recorder.end_test(
            status=result.status,
            outcome=outcome,
            message=message,
            tags=list(result.tags),
            started_at=result.start_time.astimezone().isoformat(timespec="milliseconds"),
            elapsed_s=round(result.elapsed_time.total_seconds(), 3),
        )
        self._progress.end_test(outcome, message)


def _summary(recorder: Recorder) -> str:
    """What a passed test found, in the words of its last verdict."""
    return str(recorder.verdicts[-1]) if recorder.verdicts else ""


def _show(trials: tuple[Trial, ...]) -> None:
    try:
        plot, text = of_trials(trials)
    except TesterLibraryError as error:  # no matplotlib: a table is better than nothing
        logger.warn(str(error))
        plot, text = "", ""
    html = trials_html(trials, plot, text)
    logger.write(html, "INFO", html=True)
    records = [{**encode(trial), "derived": derived(trial)} for trial in trials]
    allure.attach("trials.json", json.dumps(records, indent=1, ensure_ascii=False), "json")
    allure.attach("trials.html", f"<!DOCTYPE html><meta charset='utf-8'><title>Trials</title>{html}", "html")
    if plot:
        allure.attach("plot.svg", plot, "svg")
