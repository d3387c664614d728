# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes down what happens, as it happens. Every report is made from these files and nothing else.

`<directory>/` holds `run.json` (who measured what, on which machine) and one file of JSON lines for each kind
of record: `trials.jsonl`, `results.jsonl`, `verdicts.jsonl`, `withdrawals.jsonl` (of verdicts that a suite
has caught), `tests.jsonl`, `events.jsonl`. Each line is on the disk before the call returns, so a killed run
loses at most the line it was writing. The schemas are in `reports/schemas/`; that of trials is made from the
classes of counters and written beside the records.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from ... import methodology
from ...errors import TesterLibraryError
from ...measurement.calibration import Calibration
from ...measurement.trial import Trial
from ...methodology.result import Result
from ...verdict import Verdict
from ..captures.excerpts import Excerpt
from ..pages.demonstration import demonstration
from ..pictures.figure import Figure
from .codec import encode, parse
from .durable import RecordError, append_line, drop_cut_line, json_line, make_directory, write_json
from .earlier_runs import KEY as EARLIER_RUNS
from .earlier_runs import put_aside, text_of
from .finished_trials import LOOKED, FinishedTrials
from .judgements import Judgements
from .machine import describe_machine, executor, versions, wall_clock
from .record_chain import ALGORITHM, CHAIN, FIELD, digest, last_digest
from .record_place import RecordPlace
from .trial_schema import trial_schema

SCHEMA = 2
TRIAL_SCHEMA = "trial.schema.json"  # beside the records, as it was when they were written
RUN_VARIABLE = "TESTER_RUN"  # set by `tester certify`, which runs Robot several times for one report
TESTBED_FAULT = "testbed_fault"  # an event: a testbed could not be set up, or is wrong
TESTER_FAULT = "tester_fault"  # an event: a tester is broken, gone or late, or somebody else has it
ROBOT_FAULT = "robot_fault"  # an event: Robot ended, or did not begin, before it had run tests of a suite
RUN_AGAIN = "run_again"  # an event: what a tester did not finish was run elsewhere
RECORDS_CHANGED = "records_changed"  # an event: records of a tester were changed since it wrote them
NOT_RUN = "not_run"  # the event of a test that was left out, with the reason
INVALID_ATTEMPT = "invalid_attempt"  # an event: a measurement of connections that was repeated, whole
EARLIER_ATTEMPT = "earlier_attempt"  # an event: how a test had ended before it was run again
KINDS = ("trial", "result", "verdict", "withdrawal", "test", "event")


def procedure_of(kind: type[Result]) -> str:
    """The procedure that has results of this kind: its module, or package, in `methodology`."""
    return kind.__module__.removeprefix(f"{methodology.__name__}.").removesuffix(".result")


class Recorder:
    """Appends records to the files of one run. Creates nothing before the first record."""

    def __init__(
        self, directory: Path, run_id: str | None = None, *, warn: Callable[[str], None] = lambda _: None
    ) -> None:
        """`run_id` is that of the run to which records belong; RUN_VARIABLE says if it is left out.

        `warn` tells the user that an earlier run in the folder was put aside.
        """
        self.directory = directory
        self._warn = warn
        self._run_id = run_id
        self.place = RecordPlace()
        self.suite_name = ""  # the suite's own name, which may have dots
        self.trials: list[Trial] = []  # of the current test
        self.results: list[Result] = []  # of the current test
        self.excerpts: list[Excerpt] = []  # of captures in the current test
        self.plots: list[Figure] = []  # for the log of the current test, but those of its trials and results
        self.judgements = Judgements()
        self.finished = FinishedTrials()  # of an interrupted attempt at the current test
        self.problem = ""  # why a record of the current test is missing
        self.unseen = ""  # why nothing can be concluded from trials that were taken over
        self._seed: int | None = None
        self._ready = False
        self._ends: dict[Path, tuple[int, str]] = {}  # size of each file, and SHA-256 of its last line
        self._counts: Counter[str] = Counter()  # records of the current test, by kind
        self._recorded: set[tuple[RecordPlace, int]] = set()  # numbers of trials, with the place of each
        self._numbers = self._counted = 0  # verdicts in the first `_counted` bytes of their file

    def run(
        self,
        *,
        testbed: object,
        capabilities: object,
        seed: int,
        notes: Sequence[str] = (),
        calibration: Calibration | None = None,
        profile: str = "",
    ) -> None:
        """A tester was opened on a testbed. Both are dataclasses; the testbed has a `name`.

        `notes` are what a reader of the report should know of how the testbed was set up, `calibration` is
        what its delays are corrected by, `profile` is the name of that of durations and repetitions.
        """
        with self._noting_problems():
            self._prepare()
        self._seed = seed
        self.place = RecordPlace(str(getattr(testbed, "name", testbed)), self.place.suite, self.place.test)
        run = read_run(self.directory)
        known = [t for t in run["testers"] if t["testbed"]["name"] != self.place.testbed]
        described = _described(testbed)
        tester = encode(capabilities)
        opened = {
            "testbed": described,
            "tester": tester,
            "demonstration": demonstration(described, tester),
            "seed": seed,
            "notes": list(notes),
            "calibration": encode(calibration),
            "profile": profile,
            "opened_at": wall_clock(),
        }
        run["testers"] = [*known, opened]
        with self._noting_problems():
            _write(self.directory / "run.json", run)

    @property
    def is_ready(self) -> bool:
        """Whether the folder is there, and is that of this run."""
        return self._ready

    def begin_test(self, suite: str, test: str, suite_name: str = "") -> None:
        """Begins a test, to which all further records belong. `suite_name` is the end of the long name."""
        self.suite_name = suite_name
        self.place = RecordPlace(self.place.testbed, suite, test)
        self.trials, self.results, self.excerpts, self.plots = [], [], [], []
        self._counts.clear()
        self.problem = self.unseen = ""
        self.judgements.begin_test()
        self.finished = FinishedTrials.of(self.directory, suite, test)

    def outside_tests(self, suite: str) -> None:
        """Further records belong to the setup or teardown of a suite."""
        self.place = RecordPlace(self.place.testbed, suite)
        self.finished = FinishedTrials()

    def end_test(self, **facts: Any) -> None:
        """The test has ended: Robot's `status` and `message`, the `outcome`, `started_at`, `elapsed_s`."""
        self._append("test", {**facts, "verdicts": self._counts["verdict"], "trials": self._counts["trial"]})
        self.place = RecordPlace(self.place.testbed, self.place.suite)

    def trial(self, trial: Trial, *, seed: int | None = None, **facts: Any) -> None:
        """One trial, valid or not, with all its integers.

        `seed` is that of its frames, in place of the run's; `facts` are what its next attempt needs to know.
        """
        self.trials.append(trial)
        self._recorded.add((self.place, trial.number))
        chosen = self._seed if seed is None else seed
        known = {key: encode(value) for key, value in facts.items()}
        self._append("trial", {"seed": chosen, **known, **encode(trial), "derived": derived(trial)})

    @property
    def last_number(self) -> int:
        """The highest number of a trial so far; 0 before the first."""
        return max((number for _, number in self._recorded), default=0)

    def looked_at_device(self, keyword: str, device: str = "a device") -> None:
        """A keyword may look at the device, which has not seen the trials that were taken over."""
        if self.finished.taken and not self.unseen:
            self.event(LOOKED, keyword=keyword)
            self.unseen = (
                f"{self.finished.taken} of its trials were taken over from the interrupted run, and "
                f"{keyword} may look at {device} that has not seen them; resume the run again, and all "
                "trials of this test are measured"
            )

    def result(self, result: Result) -> None:
        """Records the result of a procedure, with the numbers of its trials.

        One that was measured in another test, or in a setup, is recorded here, too: the evidence of a test
        is complete without that of others.
        """
        self.results.append(result)
        for trial in result.trials:
            if (self.place, trial.number) not in self._recorded:
                self.trial(trial)
        numbers = tuple(trial.number for trial in result.trials)
        values = {f.name: encode(getattr(result, f.name)) for f in fields(result) if f.name != "trials"}
        names = {"procedure": procedure_of(type(result)), "type": type(result).__name__}
        self._append("result", {**names, "text": str(result), **values, "trials": numbers})

    def verdict(self, verdict: Verdict) -> None:
        """Records a judgement, with a number by which it can be withdrawn."""
        number = self._next_number()
        self._append("verdict", {"number": number, **encode(verdict)})
        self.judgements.add(number, verdict)

    def withdraw(self, numbers: Iterable[int], *, by: str) -> None:
        """These verdicts do not count: they are in a keyword whose failure the keyword `by` has caught."""
        for number in numbers:
            self._append("withdrawal", {"verdict": number, "by": by})

    def event(self, name: str, **facts: Any) -> None:
        """Anything else that a reader of the report should know: a trial cut short, a tester that died."""
        self._append("event", {"event": name, **{key: encode(value) for key, value in facts.items()}})

    def _append(self, kind: str, values: dict[str, Any]) -> None:
        path = self.directory / f"{kind}s.jsonl"
        record = {"kind": kind, "schema": SCHEMA, "at": wall_clock(), **encode(self.place), **values}
        with self._noting_problems():
            self._prepare()
            size = path.stat().st_size if path.exists() else 0
            line = json_line({**record, FIELD: self._previous(path, size)})
            append_line(path, line)
        content = line.encode()
        self._ends[path] = size + len(content) + 1, digest(content)
        self._counts[kind] += 1

    def _previous(self, path: Path, size: int) -> str:
        """The SHA-256 of the last line, whoever recorded it. One that was removed is still the one before."""
        own_size, own_digest = self._ends.get(path, (0, ""))
        return own_digest if size <= own_size else last_digest(path)

    @contextmanager
    def _noting_problems(self) -> Iterator[None]:
        """A test whose record is missing does not pass, even if its suite catches the error."""
        try:
            yield
        except RecordError as error:
            self.problem = self.problem or str(error)
            raise

    def _next_number(self) -> int:
        """One more than there are verdicts, whichever process or library recorded them."""
        path = self.directory / "verdicts.jsonl"
        self._prepare()
        size = path.stat().st_size if path.exists() else 0
        if size > self._counted:
            with path.open("rb") as file:
                file.seek(self._counted)
                self._numbers += file.read().count(b"\n")
            self._counted = size
        return self._numbers + 1

    def _prepare(self) -> None:
        """Makes the directory; what an earlier run left there is moved aside, never mixed in or deleted."""
        if self._ready:
            return
        run_id = self._run_id or os.environ.get(RUN_VARIABLE) or _run_of(os.getpid())
        earlier: list[dict[str, Any]] = []
        if (self.directory / "run.json").exists():
            known = _run_there(self.directory)
            if known.get("id") != run_id:
                earlier = put_aside(self.directory, known)
        make_directory(self.directory)
        if not (self.directory / "run.json").exists():
            _write(
                self.directory / "run.json", new_run(run_id, **({EARLIER_RUNS: earlier} if earlier else {}))
            )
        if not (self.directory / TRIAL_SCHEMA).exists():
            _write(self.directory / TRIAL_SCHEMA, trial_schema())
        for kind in KINDS:
            drop_cut_line(self.directory / f"{kind}s.jsonl")
        self._ready = True
        if earlier:
            self._warn(
                f"{text_of(earlier[-1])}. This run's certificate is without its tests; "
                "'tester report --merge' makes one of both"
            )


def new_run(run_id: str, **facts: Any) -> dict[str, Any]:
    """The content of `run.json` before a tester is opened."""
    return {
        "kind": "run",
        "schema": SCHEMA,
        "id": run_id,
        "started_at": wall_clock(),
        **facts,
        CHAIN: ALGORITHM,
        "versions": versions(),
        **({"executor": service} if (service := executor()) else {}),
        "machine": describe_machine(),
        "testers": [],
    }


def earlier_attempt(test: Mapping[str, Any]) -> dict[str, Any]:
    """The event that stands for the record of a test that was run again."""
    facts = {key: test[key] for key in ("testbed", "suite", "test", "outcome", "message") if key in test}
    begun = test.get("started_at", "")
    return {
        "kind": "event",
        "schema": SCHEMA,
        "at": test["at"],
        **facts,
        "event": EARLIER_ATTEMPT,
        "started_at": begun,
    }


def start_run(directory: Path, run_id: str, **facts: Any) -> None:
    """Begins a run whose records several processes will append; they find `run_id` in RUN_VARIABLE."""
    make_directory(directory)
    _write(directory / "run.json", new_run(run_id, **facts))


@cache
def _run_of(_process: int) -> str:
    """The run that a process is where nothing names one; those that it forks are others."""
    return uuid4().hex


def _run_there(directory: Path) -> dict[str, Any]:
    """The content of `run.json`; empty if it cannot be read, or has another schema."""
    try:
        return read_run(directory)
    except TesterLibraryError:
        return {}


def read_run(directory: Path) -> dict[str, Any]:
    """The content of `run.json`. TesterLibraryError if it cannot be read, or is none."""
    path = directory / "run.json"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise TesterLibraryError(f"{path} cannot be read: {problem}") from None
    return run_of(path, text)


def run_of(path: Path, text: str) -> dict[str, Any]:
    """The content of `run.json`, from its text. TesterLibraryError if it is none."""
    try:
        content = parse(text)
    except ValueError as problem:
        raise TesterLibraryError(f"{path} cannot be read: {problem}") from None
    if not isinstance(content, dict) or not {"id", "started_at", "testers"} <= content.keys():
        raise TesterLibraryError(f"{path} is not the run.json of a run of this library")
    if content.get("schema") != SCHEMA:
        raise TesterLibraryError(
            f"{path} has schema {content.get('schema')}; this version reads {SCHEMA}: use the version that "
            "recorded it"
        )
    return content


def derived(trial: Trial) -> dict[str, Any]:
    """Ratios and rates of a trial, for readers that do not want to compute; the integers are the truth."""
    latency, gap_error = trial.latency, trial.gap_error
    percentiles = {"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9, "p99_99": 99.99}
    return {
        "valid": trial.valid,
        "sent": trial.sent,
        "received": trial.received,
        "lost": trial.lost,
        "loss_ratio": trial.loss_ratio,
        "load_percent": float(trial.load * 100),
        "offered_rate_pps": trial.offered_rate,
        "achieved_rate_pps": trial.achieved_rate,
        "rate_error": trial.rate_error,
        "gap_error_ns": {
            "count": gap_error.count,
            "mean": gap_error.mean,
            "p50": gap_error.p50,
            "p99": gap_error.p99,
            "max": gap_error.max,
        },
        "received_rate_pps": trial.received_rate,
        "throughput_bps": trial.throughput_bps,
        "latency_ns": {
            "count": latency.count,
            "min": latency.min,
            "mean": latency.mean,
            **{name: latency.percentile(percent) for name, percent in percentiles.items()},
            "max": latency.max,
        },
    }


def _described(testbed: object) -> dict[str, Any]:
    """The testbed without what is nobody's business who reads the report: files and keys of this machine."""
    content = encode(testbed)
    if not isinstance(content, dict):
        return {"name": content}
    content.pop("source", None)
    if isinstance(content.get("tester"), dict):
        content["tester"].pop("certificates", None)
    return content


def _write(path: Path, content: dict[str, Any]) -> None:
    write_json(path, content)
