# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Follows a Robot run: tells the recorder which test is running, and which verdicts its suite has caught.

It also tells Robot what Robot does not know, and puts trials into log.html and Allure.
"""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from robot.api import TestSuite, logger
from robot.result import Keyword

from ...measurement.tester_usage import TesterUsage
from ...measurement.trial import Trial
from ...methodology.result import Result
from ...verdict import Outcome, Verdict
from ..allure import attachments as allure
from ..captures.excerpts import Excerpt, link_to
from ..pages.failures import anchor_of
from ..pages.render import experiments_html, trials_html
from ..pictures.canvas import missing
from ..pictures.figure import MOST_PLOTS, Figure
from ..pictures.plots import of_trials
from .agenda import Agenda, write_agenda
from .agenda import read as read_agenda
from .codec import encode
from .durable import RecordError
from .outcome import ERROR, FAIL, INCONCLUSIVE, NOT_JUDGED, PASS, outcome_of
from .progress import Console
from .record_place import CERTIFICATE, RecordPlace
from .recorder import RUN_VARIABLE, Recorder
from .records import Records, ResultRecord, TrialRecord
from .resumed_parts import said_of

HOST = "host"  # the tag of keywords by which something is done on a host
_BLIND = ("TesterLibrary", "BuiltIn", "Collections", "DateTime", "String", "XML", "Easter", "Reserved")
_RETRIES = "BuiltIn.Wait Until Keyword Succeeds"
_IN_VAIN = re.compile("Keyword '.*' failed after retrying ")
_SKIPPED_ON_FAILURE = re.compile(r"Failed \w+ skipped using [^\n]*\n\nOriginal failure:\n")
_NO_SKIP = (
    "It is not skipped: robot:skip-on-failure and --skiponfailure do not change how a test of a device ends. "
    "To leave the test out, use --exclude or robot:skip"
)
_NOT_BEGUN = "robot:exit"  # Robot's tag of tests that it passes by, since the run has been stopped
_STOPPED = "not run: the run was stopped before it began"
_NOTHING_JUDGED = (
    "nothing was judged: a verdict comes from Verify …, from Get … with an operator, "
    "or from loss: of a job file"
)


class Listener:
    """A listener (API version 3) that the library registers for itself: no option is needed to have it.

    It comes before Allure's, which gives a test away as soon as it has ended.
    """

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 1

    def __init__(
        self,
        recorder: Recorder,
        progress: Console,
        *,
        inconclusive_fails: bool = False,
        usage: Callable[[], TesterUsage | None] = lambda: None,
    ) -> None:
        """`usage` reads what the open tester holds, before and after each test."""
        self._read_usage = usage
        self._usage_before: TesterUsage | None = None
        self._recorder = recorder
        self._progress = progress
        self._inconclusive_fails = inconclusive_fails
        self._in_test = False
        self._told = False  # whether pictures can be drawn
        self._begun: list[Any] = []  # tests

    def start_test(self, data: Any, result: Any) -> None:
        """Everything recorded from here on belongs to this test."""
        self._in_test = True
        if not (self._told or RUN_VARIABLE in os.environ) and (no_pictures := missing()):
            logger.warn(f"log and certificate will have no pictures: {no_pictures}")
        self._told = True
        self._begun.append(data)
        suite = data.parent.full_name
        written = [test.name for test in data.parent.tests]
        self._follow(lambda known: known.following(suite, written).renamed(suite, data.name, result.name))
        self._recorder.begin_test(data.parent.full_name, result.name, data.parent.name)
        self._progress.begin_test(data.parent.full_name, result.name)
        self._usage_before = self._read_usage()

    def end_suite(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Robot has passed by the tests that have not begun: tags exclude them."""
        passed = {test.name for test in data.tests if all(test is not begun for begun in self._begun)}
        if passed:
            self._follow(lambda known: known.without(data.full_name, passed))

    def _follow(self, change: Callable[[Agenda], Agenda]) -> None:
        """Lets the agenda of a certification have what Robot runs."""
        agenda = read_agenda(self._recorder.directory) if RUN_VARIABLE in os.environ else None
        if agenda and (changed := change(agenda)) is not agenda:
            write_agenda(self._recorder.directory, changed)

    def start_body_item(self, data: Any, result: Any) -> None:
        """A keyword or control structure begins."""
        if not self._in_test and isinstance(data.parent, TestSuite):
            self._recorder.outside_tests(data.parent.full_name)
        retries = isinstance(result, Keyword) and result.full_name == _RETRIES
        withdrawn = self._recorder.judgements.begin_keyword(retries=retries)
        self._recorder.withdraw(withdrawn, by=_RETRIES.partition(".")[2])

    def start_library_keyword(self, data: Any, implementation: Any, result: Any) -> None:
        """A keyword begins. One of another library, or of a host of the testbed, may look at the device."""
        self.start_body_item(data, result)
        library = implementation.owner.real_name
        if library not in _BLIND or HOST in result.tags:
            self._recorder.looked_at_device(f"{library}.{result.name}")

    def end_body_item(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Verdicts in a keyword that failed do not count if this one passed."""
        withdrawn = self._recorder.judgements.end_keyword(passed=result.status == "PASS")
        name = result.name if isinstance(result, Keyword) else result.type.removesuffix(" ROOT")
        self._recorder.withdraw(withdrawn, by=str(name))

    def end_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Tags the test with its outcome, records how it ended, and shows its trials."""
        self._in_test = False
        recorder = self._recorder
        verdicts = recorder.judgements.standing
        if skipped := _SKIPPED_ON_FAILURE.match(result.message):
            result.status, result.message = "FAIL", result.message[skipped.end() :]
        if _repeated_in_vain(result.message, verdicts):
            result.status = "SKIP"
        outcome = outcome_of(result.status, verdicts)
        said = _STOPPED if _NOT_BEGUN in result.tags else result.message
        message = _message(outcome, said, verdicts, measured=bool(recorder.trials))
        if skipped:
            message = _both(message, _NO_SKIP)
        if recorder.problem:
            outcome, message = _unrecorded(outcome, message, recorder.problem)
        if recorder.unseen:
            outcome, message = ERROR, _both(message, recorder.unseen)
        if taken := said_of(recorder.finished.measured_at):
            logger.info(taken)
        if recorder.place.testbed:
            allure.set_testbed(recorder.place.testbed)
        result.tags.add(f"verdict-{outcome.lower().replace(' ', '-')}")
        self._tell_robot(result, outcome, message)
        place = recorder.place
        try:
            recorder.end_test(
                status=result.status,
                outcome=outcome,
                message=message,
                tags=list(result.tags),
                started_at=result.start_time.astimezone().isoformat(timespec="milliseconds"),
                elapsed_s=round(result.elapsed_time.total_seconds(), 3),
                **self._usage(),
            )
        except RecordError as error:
            outcome, message = _unrecorded(outcome, message, str(error))
            self._tell_robot(result, outcome, message)
        self._progress.end_test(outcome, message)
        # Last of all: a page that cannot be drawn costs no record.
        if recorder.trials:
            _show(place, tuple(recorder.trials))
        for figure in (*recorder.plots, *_of_results(recorder, place)):
            _show_plot(figure)
        show_diagnoses(recorder.results)
        for excerpt in recorder.excerpts:
            _show_losses(excerpt, recorder.directory.parent)
        if outcome != PASS:
            _show_way(place)

    def _usage(self) -> dict[str, Any]:
        """Memory, descriptors and buffers of the tester before the test and now, for its record."""
        usage = {"before": self._usage_before, "after": self._read_usage()}
        return {"usage": encode(usage)} if any(usage.values()) else {}

    def _tell_robot(self, result: Any, outcome: str, message: str) -> None:
        """Robot knows the last error of a test only, and nothing of a record that was not written."""
        fails = outcome in (FAIL, ERROR) or (outcome == INCONCLUSIVE and self._inconclusive_fails)
        if fails:
            result.status = "FAIL"
        if fails or outcome == NOT_JUDGED:
            result.message = message


def _unrecorded(outcome: str, message: str, problem: str) -> tuple[str, str]:
    """Outcome and message of a test whose record could not be written: without evidence it cannot pass."""
    problem = "" if problem in message else problem
    return outcome if outcome == FAIL else ERROR, _both(message, problem)


def _repeated_in_vain(said: str, verdicts: Sequence[Verdict]) -> bool:
    """Whether a test ended for nothing but that the last of all attempts at a keyword could not tell."""
    last = verdicts[-1] if verdicts else None
    undecided = last is not None and last.outcome is Outcome.INCONCLUSIVE and said.endswith(last.doubt)
    return undecided and bool(_IN_VAIN.match(said))


def _message(outcome: str, said: str, verdicts: Sequence[Verdict], *, measured: bool) -> str:
    """The message of the test in Robot, with the verdicts that Robot does not know."""
    if outcome == FAIL:
        failed = next(str(verdict) for verdict in verdicts if verdict.outcome is Outcome.FAIL)
        return said if failed in said else _both(failed, said)
    if outcome == PASS and not said:
        return f"{PASS}: " + "; ".join(str(verdict).removeprefix(f"{PASS}: ") for verdict in verdicts)
    if outcome == NOT_JUDGED and measured:
        return _both(f"{NOT_JUDGED}: {_NOTHING_JUDGED}", said)
    return said


def _both(first: str, second: str) -> str:
    return "\n\n".join(text for text in (first, second) if text)


def _show(place: RecordPlace, trials: tuple[Trial, ...]) -> None:
    from ..pages.tables import table_text  # and procedures: not while a suite is imported

    plot, text = ("", "") if missing() else of_trials(trials)
    html = trials_html(trials, plot, text)
    logger.write(html, "INFO", html=True)
    records = Records({}, trials=tuple(TrialRecord(place, None, trial) for trial in trials))
    for table in ("trials", "streams"):
        allure.attach(f"{table}.csv", table_text(table, records), "csv")
    allure.attach("trials.html", f"<!DOCTYPE html><meta charset='utf-8'><title>Trials</title>{html}", "html")
    if plot:
        allure.attach("plot.svg", plot, "svg")


def _show_way(place: RecordPlace) -> None:
    """The way from a test that did not pass to all that is known of it, in the certificate beside the log."""
    link = f"{CERTIFICATE}#{anchor_of(place.suite, place.test)}"
    logger.write(
        f'<a href="{link}">verdicts, trials, frames and evidence of this test</a>', "INFO", html=True
    )


def _of_results(recorder: Recorder, place: RecordPlace) -> list[Figure]:
    """Plots of results of which those of the trials say less."""
    from ..pictures.figures import IN_LOG, Setting, figures  # and procedures: not while a suite is imported

    results = [result for result in recorder.results if type(result) in IN_LOG][:MOST_PLOTS]
    records = [ResultRecord(place, "", result) for result in results]
    return [] if missing() else [figure for figure in figures(records, Setting({})) if figure.source]


def _show_plot(figure: Figure) -> None:
    alt = escape(figure.text, quote=True)
    picture = f'<img src="{figure.source}" alt="{alt}" width="560">'
    logger.write(f"<p>{escape(figure.title)}<br>{picture}</p>", "INFO", html=True)
    allure.attach(f"{figure.title}.svg", b64decode(figure.source.partition(",")[2]), "svg")


def show_diagnoses(results: Sequence[Result]) -> None:
    """The sentence and the experiments of each diagnosis among the results of a test."""
    from ...methodology.diagnosis import DiagnosisResult  # not while a suite is imported

    for result in results:
        if isinstance(result, DiagnosisResult):
            html = experiments_html(result)
            logger.write(html, "INFO", html=True)
            page = f"<!DOCTYPE html><meta charset='utf-8'><title>Experiments</title>{html}"
            allure.attach("experiments.html", page, "html")


def _show_losses(excerpt: Excerpt, output: Path) -> None:
    """The frames around the first losses of a capture, beside the numbers of its trials."""
    logger.write(excerpt.linked(link_to(excerpt.path, output)), "INFO", html=True)
    page = f"<!DOCTYPE html><meta charset='utf-8'><title>Losses</title>{excerpt.linked('')}"
    allure.attach(f"{excerpt.path.stem}.html", page, "html")
    try:
        allure.attach(excerpt.path.name, excerpt.path.read_bytes(), "pcapng")
    except OSError as problem:
        logger.warn(f"{excerpt.path} cannot be attached: {problem.strerror}")
