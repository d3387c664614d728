# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The certificate: what a person signs.

One HTML file that needs no other, made from the records alone: the same records always give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...measurement.calibration import Calibration
from ...measurement.counter import Counter
from ...measurement.order import Order
from ...model.units.number import counted
from ...model.units.units import Bandwidth
from ...verdict import Verdict
from ..pictures import canvas
from ..pictures.figures import Figure, Setting, figures
from ..record import device_answers as device_said
from ..record import earlier_runs
from ..record.codec import decode
from ..record.finished_trials import BEGUN, OBSERVATION
from ..record.marks import marks_of
from ..record.outcome import PASS, WORST_FIRST, one_line, overall
from ..record.recorder import EARLIER_ATTEMPT, INVALID_ATTEMPT, NOT_RUN
from ..record.records import EventRecord, Records, ResultRecord, TestRecord, VerdictRecord, short_names
from ..record.resumed_parts import taken_over
from . import demonstration
from .evidence_summary import EvidenceSummary
from .failures import anchor_of, failures
from .offered_traffic import OfferedTraffic, offered_traffic, with_short_names
from .render import render
from .run_attributes import choice
from .tables import SessionRow, session_rows
from .tester_part import PATH, STAMPS, TRACE, TesterPart, tester_parts

# What has a place of its own, or is for the next attempt at a test alone.
_ELSEWHERE = (
    *(NOT_RUN, EARLIER_ATTEMPT, INVALID_ATTEMPT, device_said.EVENT, BEGUN, OBSERVATION),
    *(PATH, STAMPS, TRACE),
)
_UNKNOWN = dict.fromkeys(("name", "vendor", "model", "version", "description", "layer"), "")
_NOT_OPENED = {"target": "was not opened", "version": "", "details": "", "ports": ()}


@dataclass(frozen=True)
class Cell:
    """One run of a test, with all its verdicts that count."""

    outcome: str
    verdicts: tuple[Verdict, ...]
    message: str
    anchor: str  # of what is known of a test that did not pass; empty for others
    taken_over: str  # trials that an interrupted attempt has measured, and when; empty if there are none
    earlier: tuple[str, ...] = ()  # attempts that do not count, since the test was run again


@dataclass(frozen=True)
class VerdictRow:
    """Tests of one name. Each suite has a tuple of cells, which is empty where it has no such test."""

    name: str
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class VerdictTable:
    """All tests of a testbed."""

    columns: tuple[str, ...]
    rows: tuple[VerdictRow, ...]

    @classmethod
    def of(cls, records: Records, tests: Sequence[TestRecord]) -> VerdictTable:
        """Suites and names in the order in which they ran. A test that ran twice has two cells."""
        suites = tuple(dict.fromkeys(test.suite for test in tests))
        cells: dict[tuple[str, str], tuple[Cell, ...]] = {}
        for test in tests:
            place = (test.suite, test.test)
            anchor = "" if test.outcome == PASS else anchor_of(*place)
            taken = taken_over(records, test.place)
            earlier = tuple(map(attempt_text, records.earlier_attempts(test)))
            cell = Cell(test.outcome, records.verdicts_of(test), test.message, anchor, taken, earlier)
            cells[place] = (*cells.get(place, ()), cell)
        names = dict.fromkeys(test.test for test in tests)
        rows = (VerdictRow(name, tuple(cells.get((suite, name), ()) for suite in suites)) for name in names)
        return cls(short_names(suites), tuple(rows))


@dataclass(frozen=True)
class CertifiedFinding:
    """The finding of a procedure, in words, with everything that limits it."""

    place: str  # suite and test
    text: str
    caveats: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One testbed: who was tested by what, how it went, what the tester says of itself."""

    name: str
    dut: Mapping[str, Any]
    description: str
    demonstration: str  # why this is no certification; empty if it is one
    tester: Mapping[str, Any]
    ports: Sequence[Mapping[str, Any]]
    speeds: Mapping[str, str]  # line rates of ports by their names, as the testbed says
    files: tuple[Mapping[str, Any], ...]  # what it was certified by: name and SHA-256 of each file
    uncounted: tuple[str, ...]  # names of counters that the tester lacks
    criteria: str  # the file of bounds that judged; empty: suites had bounds of their own
    said: tuple[device_said.Answers, ...]  # by its device, before and after
    seed: int | None
    profile: str  # with which its suites measured, if it is not that of the run
    notes: tuple[str, ...]  # on how the testbed was set up
    table: VerdictTable
    findings: tuple[CertifiedFinding, ...]  # every result
    sessions: tuple[SessionRow, ...]
    figures: tuple[Figure, ...]
    order: Order  # of all frames of valid trials
    calibration: Calibration | None
    evidence: EvidenceSummary
    traffic: tuple[tuple[str, OfferedTraffic], ...]  # of each test with trials, by its name
    parts: tuple[TesterPart, ...]  # of the tester, in what has no trials


def certificate(records: Records) -> str:
    """The certificate as HTML."""
    outcomes = records.outcomes()
    return render(
        "certificate.html",
        run=records.run,
        title=records.agenda.title if records.agenda else "Test run",
        demonstrates=demonstration.of_run(records.run),
        overall=overall(outcomes),
        counts={o: outcomes.count(o) for o in WORST_FIRST if o in outcomes},
        choice=choice(records.run),
        attempts_beside=attempts_beside(records),
        no_pictures=canvas.missing(),
        shortened=_shortened(records),
        sections=tuple(_sections(records)),
        not_passed=failures(records),
        outside_tests=tuple(v for v in records.outside_tests if v.verdict.outcome.value != PASS),
        left_out=records.left_out,
        not_run=records.not_run,
        why_not_run=records.why_not_run,
        faults=records.faults,
        caught=_caught(records.caught),
        events=tuple(event for event in records.events if event.event not in _ELSEWHERE),
        cut=records.cut,
        ended_at=ended_at(records),
    )


def attempt_text(event: EventRecord) -> str:
    """An attempt that does not count: `earlier attempt of …: FAIL: …`."""
    facts = event.facts
    begun = f" of {facts['started_at']}" if facts.get("started_at") else ""
    return f"earlier attempt{begun}: {one_line(str(facts['outcome']), str(facts.get('message', '')))}"


def attempts_beside(records: Records) -> tuple[str, ...]:
    """Sentences on attempts that do not count: runs that were put aside, and tests that were run again."""
    attempts = [records.earlier_attempts(test) for test in records.tests]
    outcomes = [str(event.facts["outcome"]) for events in attempts for event in events]
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in WORST_FIRST if name in outcomes)
    tests = counted(sum(map(bool, attempts)), "test")
    again = f"Of {tests} that ran again the last attempt counts; the earlier ones were {counts}"
    return (*earlier_runs.texts(records.run), *([again] if counts else []))


def ended_at(records: Records) -> str:
    """When the last test began; empty if none did."""
    return max((t.started_at for t in records.tests), default="")


def testbeds_of(records: Records) -> tuple[str, ...]:
    """The names of all testbeds, those whose tester could not be opened included."""
    opened = (tester["testbed"]["name"] for tester in records.run["testers"])
    return tuple(dict.fromkeys([*opened, *(testbed_of(records, test) for test in records.tests)]))


def _sections(records: Records) -> Iterator[Section]:
    testers = {t["testbed"]["name"]: t for t in records.run["testers"]}
    criteria = records.run.get("criteria") or {}
    marks = marks_of(records.events)
    usual = (records.run.get("profile") or {}).get("name")
    for name in testbeds_of(records):
        opened = testers.get(name, {"testbed": {}, "tester": _NOT_OPENED, "seed": None})
        trials = [t.trial for t in records.trials if t.place.testbed == name]
        results = [record for record in records.results if record.place.testbed == name]
        sessions = session_rows(results)
        events = [event for event in records.events if event.place.testbed == name]
        yield Section(
            name=name,
            dut={**_UNKNOWN, **opened["testbed"].get("dut", {})},
            description=opened["testbed"].get("description", ""),
            demonstration=opened.get("demonstration", ""),
            tester=opened["tester"],
            ports=opened["tester"].get("ports", ()),
            speeds=_speeds(opened["testbed"]),
            files=tuple(file for file in records.run.get("files", ()) if file["testbed"] == name),
            uncounted=_uncounted(opened["tester"]),
            criteria=str((criteria.get(name) or {}).get("file", "")),
            said=device_said.answers_of(records.events, name),
            seed=opened["seed"],
            profile="" if opened.get("profile") == usual else opened.get("profile", ""),
            notes=tuple(opened.get("notes", ())),
            table=VerdictTable.of(records, [t for t in records.tests if testbed_of(records, t) == name]),
            findings=certified_findings(results),
            sessions=sessions,
            figures=() if canvas.missing() else tuple(figures(results, Setting(opened["testbed"], marks))),
            order=Order.merged(t.order for t in trials if t.valid),
            calibration=decode(Calibration, found) if (found := opened.get("calibration")) else None,
            evidence=EvidenceSummary.of(trials),
            traffic=with_short_names(
                offered_traffic([record for record in records.trials if record.place.testbed == name])
            ),
            parts=tester_parts(events, [row.trial for row in sessions]),
        )


def testbed_of(records: Records, test: TestRecord) -> str:
    """The testbed of a test; the agenda knows it where the tester could not be opened."""
    index = records.agenda.position(test.suite, test.test) if records.agenda and not test.testbed else None
    return records.agenda.items[index].testbed if records.agenda and index is not None else test.testbed


def _speeds(testbed: Mapping[str, Any]) -> Mapping[str, str]:
    """The line rate of each port; nothing of a testbed that was not opened."""
    return {port["name"]: str(decode(Bandwidth, port["speed"])) for port in testbed.get("ports", ())}


def _shortened(records: Records) -> tuple[str, ...]:
    """Where trials were shorter or fewer than the sources ask for, each once."""
    return tuple(dict.fromkeys(text for record in records.results for text in record.result.shortened))


def _uncounted(tester: Mapping[str, Any]) -> tuple[str, ...]:
    """The counters that the tester says it lacks; none if it was not opened."""
    counts = tester.get("counts")
    return () if counts is None else tuple(c.value for c in Counter if c.value not in counts)


def certified_findings(results: Sequence[ResultRecord]) -> tuple[CertifiedFinding, ...]:
    """The findings of results, each with everything that limits it."""
    return tuple(_findings(results))


def _findings(results: Sequence[ResultRecord]) -> Iterator[CertifiedFinding]:
    suites = tuple(dict.fromkeys(record.place.suite for record in results))
    short = dict(zip(suites, short_names(suites), strict=True))
    for record in results:
        place = " · ".join(filter(None, (short[record.place.suite], record.place.test)))
        yield CertifiedFinding(place, str(record.result), tuple(record.result.caveats()))


def _caught(verdicts: Sequence[VerdictRecord]) -> tuple[tuple[VerdictRecord, int], ...]:
    """The last of those that one keyword caught in one test, and how many there are."""
    groups: dict[object, list[VerdictRecord]] = {}
    for found in verdicts:
        groups.setdefault((found.place, found.caught_by), []).append(found)
    return tuple((group[-1], len(group)) for group in groups.values())
