# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads what the recorder wrote back into objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from ... import methodology
from ...errors import TesterLibraryError
from ...measurement.trial import Trial
from ...methodology.result import Result
from ...model.units.number import counted
from ...verdict import Verdict
from .agenda import Agenda
from .agenda import read as read_agenda
from .codec import decode
from .long_name import short_names_of
from .outcome import ERROR, FAIL, INCONCLUSIVE, NOT_JUDGED, PASS, overall
from .record_chain import CHAIN
from .record_files import Line, RecordFiles
from .record_place import RecordPlace
from .recorder import EARLIER_ATTEMPT, NOT_RUN, RECORDS_CHANGED, ROBOT_FAULT, RUN_AGAIN

T = TypeVar("T")
_R = TypeVar("_R", "TestRecord", "VerdictRecord", "TrialRecord")
_Place = tuple[str, str]  # suite and test


@dataclass(frozen=True)
class TrialRecord:
    """A trial and where it was run."""

    place: RecordPlace
    seed: int | None
    trial: Trial
    taken_over: str = ""  # the folder of the interrupted attempt that has measured it; empty: it was measured
    measured_at: str = ""  # of one that was taken over


@dataclass(frozen=True)
class ResultRecord:
    """The result of a procedure. `procedure` is the name of its module."""

    place: RecordPlace
    procedure: str
    result: Result


@dataclass(frozen=True)
class VerdictRecord:
    """A judgement and the test it belongs to; `caught_by` names the keyword for which it does not count."""

    place: RecordPlace
    verdict: Verdict
    number: int
    caught_by: str = ""
    at: str = ""  # when it was made


@dataclass(frozen=True)
class TestRecord:
    """How a test ended. `outcome` is a word of `outcome.py`."""

    __test__ = False  # pytest would take the name for a test class

    testbed: str
    suite: str
    test: str
    outcome: str
    status: str  # Robot's
    message: str = ""
    started_at: str = ""
    elapsed_s: float = 0
    verdicts: int | None = None  # recorded in it, with those that were withdrawn; None: by an earlier version
    trials: int | None = None

    @property
    def place(self) -> RecordPlace:
        """Where its other records are."""
        return RecordPlace(self.testbed, self.suite, self.test)

    @property
    def said(self) -> str:
        """The message without the outcome, which stands beside it."""
        return self.message.removeprefix(f"{self.outcome}: ")


@dataclass(frozen=True)
class EventRecord:
    """Something else that happened."""

    place: RecordPlace
    event: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Records:
    """Everything that was recorded of one run."""

    run: Mapping[str, Any]
    trials: tuple[TrialRecord, ...] = ()
    results: tuple[ResultRecord, ...] = ()
    verdicts: tuple[VerdictRecord, ...] = ()
    tests: tuple[TestRecord, ...] = ()
    events: tuple[EventRecord, ...] = ()
    agenda: Agenda | None = None
    cut: tuple[str, ...] = field(default=())  # files whose last line was not finished
    faults: tuple[str, ...] = ()  # lines that were changed since they were recorded, each as a sentence
    contradictions: tuple[str, ...] = ()  # between the record of a test and others, each as a sentence

    @property
    def not_run(self) -> Mapping[str, tuple[str, ...]]:
        """Tests of the agenda that have no record, by suite, without those that were left out."""
        done = {(t.suite, t.test) for t in self.tests}
        done |= {(event.place.suite, event.place.test) for event in self.left_out}
        missing: dict[str, tuple[str, ...]] = {}
        for item in self.agenda.items if self.agenda else ():
            if (item.suite, item.test) not in done:
                missing[item.suite] = (*missing.get(item.suite, ()), item.test)
        return missing

    def why_not_run(self, suite: str) -> str:
        """Why tests of a suite have no record, as far as the run says; empty if it does not."""
        reasons = [
            str(event.facts["reason"])
            for event in self.events
            if event.event in (ROBOT_FAULT, RUN_AGAIN) and f"{suite}.".startswith(f"{event.place.suite}.")
        ]
        return reasons[-1] if reasons else ""

    def earlier_attempts(self, test: TestRecord) -> tuple[EventRecord, ...]:
        """Attempts at a test that do not count, since it was run again."""
        place = (test.suite, test.test)
        return tuple(
            event
            for event in self.events
            if event.event == EARLIER_ATTEMPT and (event.place.suite, event.place.test) == place
        )

    @property
    def left_out(self) -> tuple[EventRecord, ...]:
        """Tests that were not begun, each with its reason: the time budget had no room for them."""
        return tuple(event for event in self.events if event.event == NOT_RUN)

    def verdicts_of(self, test: TestRecord) -> tuple[Verdict, ...]:
        """Verdicts of a test, without those whose failure its suite has caught."""
        place = (test.suite, test.test)
        return tuple(
            v.verdict for v in self.verdicts if (v.place.suite, v.place.test) == place and not v.caught_by
        )

    @property
    def outside_tests(self) -> tuple[VerdictRecord, ...]:
        """Verdicts in setups and teardowns of suites."""
        return tuple(v for v in self.verdicts if not v.place.test and not v.caught_by)

    @property
    def caught(self) -> tuple[VerdictRecord, ...]:
        """Verdicts that do not count: the suite has caught the failure of their keyword."""
        return tuple(v for v in self.verdicts if v.caught_by)

    def outcomes(self) -> list[str]:
        """The outcome of each test; INCONCLUSIVE for each that was left out, ERROR for each that is missing.

        A verdict outside tests is none of them: only if it is not PASS it counts, as if it were a test.
        """
        outside = (v.verdict.outcome.value for v in self.outside_tests)
        return [
            *(test.outcome for test in self.tests),
            *(outcome for outcome in outside if outcome in (FAIL, INCONCLUSIVE)),
            *[INCONCLUSIVE] * len(self.left_out),
            *[ERROR] * sum(map(len, self.not_run.values())),
            *[ERROR] * len(self.faults),
        ]


def consistent(records: Records, *, whole: bool) -> Records:
    """The records, with an ERROR for each test whose record says something else than its verdicts and trials.

    Which of them is right cannot be told. `whole`: trials were read, too.
    """
    tests, verdicts = _by_place(records.tests), _by_place(records.verdicts)
    trials = _by_place(records.trials) if whole else None
    said: dict[_Place, str] = {}
    for place, same in tests.items():
        of_test = verdicts.get(place, [])
        problem = _of_another_testbed(records.agenda, same) or _other_outcome(same, of_test)
        problem = problem or _other_count("verdict", [test.verdicts for test in same], len(of_test))
        if trials is not None and not problem:
            problem = _other_count("trial", [test.trials for test in same], len(trials.get(place, ())))
        if problem:
            said[place] = f"the record of test {place[1]} {problem}"
    numbers = [record.number for record in records.verdicts]
    gap = next((n for n, number in enumerate(numbers, 1) if n != number), None)
    if CHAIN not in records.run:
        gap = None  # an earlier version left gaps where tests were run again
    gaps = (
        () if gap is None else (f"verdict {gap} of the run is missing: verdict {numbers[gap - 1]} follows",)
    )
    return replace(
        records,
        tests=tuple(_with_error(test, said.get((test.suite, test.test), "")) for test in records.tests),
        faults=(*records.faults, *gaps),
        contradictions=tuple(said.values()),
    )


def _with_error(test: TestRecord, problem: str) -> TestRecord:
    message = "\n\n".join(filter(None, (f"{ERROR}: {problem}", test.message)))
    return replace(test, outcome=ERROR, message=message) if problem else test


def _by_place(records: Iterable[_R]) -> dict[_Place, list[_R]]:
    places: dict[_Place, list[_R]] = {}
    for record in records:
        places.setdefault((record.place.suite, record.place.test), []).append(record)
    return places


def _of_another_testbed(agenda: Agenda | None, tests: Sequence[TestRecord]) -> str:
    for test in tests:
        index = agenda.position(test.suite, test.test) if agenda else None
        if agenda and index is not None and test.testbed not in ("", agenda.items[index].testbed):
            return f"is of the testbed {test.testbed}, and the run asked for {agenda.items[index].testbed}"
    return ""


def _other_outcome(tests: Sequence[TestRecord], verdicts: Sequence[VerdictRecord]) -> str:
    """The difference of an outcome from that of the verdicts; of a test that ran twice the worst counts."""
    outcome = overall([test.outcome for test in tests])
    standing = [verdict for verdict in verdicts if not verdict.caught_by]
    judged = {verdict.verdict.outcome.value for verdict in standing}
    worse = {PASS: (FAIL, INCONCLUSIVE), INCONCLUSIVE: (FAIL,), NOT_JUDGED: (FAIL, INCONCLUSIVE, PASS)}
    for verdict in standing:
        if (value := verdict.verdict.outcome.value) in worse.get(outcome, ()):
            return f"says {outcome}, its verdict {verdict.number} says {value}"
    if outcome in (PASS, FAIL) and outcome not in judged and len(tests) == 1:
        return f"says {outcome}, and no verdict of it that says so is recorded"
    return ""


def _other_count(kind: str, counts: Sequence[int | None], recorded: int) -> str:
    of_tests = sum(count or 0 for count in counts)
    if None in counts or of_tests == recorded:
        return ""
    return f"has {counted(of_tests, kind)}, and {counted(recorded, 'record')} of them"


def device_text(device: Mapping[str, Any], *more: str) -> str:
    """Vendor, model and name of a device on one line, and more of its keys; what is not known is left out."""
    return " ".join(str(device[key]) for key in ("vendor", "model", "name", *more) if device.get(key))


def cut_off(records: Records, directory: Path) -> tuple[str, ...]:
    """A sentence on each file whose last line was not finished."""
    return tuple(
        f"{directory / name}: its last line was cut off when the run was killed, and is left out"
        for name in records.cut
    )


def short_names(suites: Sequence[str]) -> tuple[str, ...]:
    """The shortest ends of long names that tell suites apart: `Throughput`, or `Router.Throughput`."""
    return tuple(_short(suite, [other for other in suites if other != suite]) for suite in suites)


def _short(suite: str, others: Sequence[str]) -> str:
    parts = short_names_of(suite)
    for count in range(1, len(parts)):
        end = ".".join(parts[-count:])
        if not any(f".{other}".endswith(f".{end}") for other in others):
            return end
    return suite


def read(directory: Path) -> Records:
    """All records of a run.

    Raises:
        TesterLibraryError: there is none, or a line other than the last of a file is not a record.
    """
    records = RecordFiles(directory)
    trials = records("trial", lambda r: decode(TrialRecord, {"seed": None, **r, "place": r, "trial": r}))
    numbered = {(t.place.testbed, t.place.suite, t.place.test, t.trial.number): t.trial for t in trials}

    def result(record: Line) -> ResultRecord:
        place = decode(RecordPlace, record)
        keys = ((place.testbed, place.suite, place.test, number) for number in record["trials"])
        trials = tuple(numbered[key] for key in keys)
        cls = _result_class(record["procedure"], record["type"])
        return ResultRecord(place, record["procedure"], decode(cls, {**record, "trials": trials}))

    run_records = Records(
        run=records.run,
        trials=trials,
        results=records("result", result),
        verdicts=_verdicts(records),
        tests=records("test", lambda r: decode(TestRecord, r)),
        events=_events(records),
        agenda=read_agenda(directory),
    )
    return _checked(run_records, records, whole=True)


def read_verdicts(directory: Path) -> Records:
    """The verdicts and events of a run and how its tests ended, without trials and results, which are many.

    Raises:
        TesterLibraryError: as read.
    """
    records = RecordFiles(directory)
    run_records = Records(
        run=records.run,
        verdicts=_verdicts(records),
        tests=records("test", lambda r: decode(TestRecord, r)),
        events=_events(records),
        agenda=read_agenda(directory),
    )
    return _checked(run_records, records)


def read_consistent(directory: Path) -> Records:
    """The same of a run whose values are kept, or that others are compared with.

    Raises:
        TesterLibraryError: as read; or its records were edited, or contradict each other.
    """
    records = read_verdicts(directory)
    refuse_inconsistent(records, directory)
    return records


def refuse_inconsistent(records: Records, directory: Path) -> None:
    """TesterLibraryError where the records of a run were edited, or contradict each other."""
    if wrong := (*records.faults, *records.contradictions):
        raise TesterLibraryError(f"{directory}: {wrong[0]}; values of such a run are not used")


def read_longest_trials(directory: Path) -> Mapping[tuple[str, str, str], int]:
    """The length of the longest trial of each test in nanoseconds, by testbed, suite and test.

    Raises:
        TesterLibraryError: as read.
    """
    longest: dict[tuple[str, str, str], int] = {}
    trials = RecordFiles(directory)("trial", lambda r: (decode(RecordPlace, r), int(r["duration_ns"])))
    for place, duration_ns in trials:
        key = (place.testbed, place.suite, place.test)
        longest[key] = max(duration_ns, longest.get(key, 0))
    return longest


def _checked(records: Records, files: RecordFiles, *, whole: bool = False) -> Records:
    """The records with what is wrong with them. `whole`: trials were read, too."""
    edited = [str(e.facts["reason"]) for e in records.events if e.event == RECORDS_CHANGED]
    faults = (*dict.fromkeys(edited), *files.faults)
    return consistent(replace(records, cut=tuple(files.cut), faults=faults), whole=whole)


def _events(records: RecordFiles) -> tuple[EventRecord, ...]:
    return records("event", lambda r: EventRecord(decode(RecordPlace, r), r["event"], r))


def _verdicts(records: RecordFiles) -> tuple[VerdictRecord, ...]:
    caught = dict(records("withdrawal", lambda r: (int(r["verdict"]), str(r["by"]))))

    def verdict(record: Line) -> VerdictRecord:
        number = int(record["number"])
        return VerdictRecord(
            decode(RecordPlace, record),
            decode(Verdict, record),
            number,
            caught.get(number, ""),
            str(record.get("at", "")),
        )

    return records("verdict", verdict)


def _result_class(procedure: str, name: str) -> type[Result]:
    """The class of a result: a record may name those of the procedures, and nothing else."""
    try:
        words = procedure.split(".")
        named = all(word.isidentifier() for word in words)
        module = import_module(f"{methodology.__name__}.{procedure}") if named else None
    except ModuleNotFoundError:
        module = None
    cls = getattr(module, name, None)
    if not (isinstance(cls, type) and issubclass(cls, Result)):
        raise ValueError(f"there is no procedure {procedure!r} with a result {name!r}")
    return cls
