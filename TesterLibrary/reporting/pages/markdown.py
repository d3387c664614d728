# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A run in Markdown, for a comment on a merge request: `summary.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..record.durable import write_file
from ..record.outcome import ERROR, INCONCLUSIVE, PASS, WORST_FIRST, one_line, overall
from ..record.records import Records, TestRecord, device_text, short_names
from .certificate import attempt_text, attempts_beside
from .offered_traffic import OfferedTraffic, by_test
from .run_attributes import choice

FILE = "summary.md"
_MOST = 50  # rows of the table: comments have a limit of length
_NO_RECORD = "ERROR: there is no record of it"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~@])")


def write(records: Records, path: Path) -> Path:
    """Puts the Markdown there. RecordError if the disk is full, for example."""
    write_file(path, markdown(records))
    return path


def markdown(records: Records) -> str:
    """The outcome, the devices, and the tests, those that did not pass first."""
    return "".join(f"{line}\n" for line in _lines(records))


def _lines(records: Records) -> Iterator[str]:
    outcomes = records.outcomes()
    title = records.agenda.title if records.agenda else "Test run"
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in WORST_FIRST if name in outcomes)
    yield f"## {_text(title)}: {overall(outcomes)}"
    yield ""
    yield f"{counts or 'No test was run'}. Begun {records.run['started_at']}."
    if chosen := choice(records.run):
        yield ""
        yield f"Only a part of the tests was chosen: {_text(chosen)}."
    for text in attempts_beside(records):
        yield ""
        yield f"{_text(text)}."
    for tester in records.run["testers"]:
        device = tester["testbed"].get("dut") or {}
        named = device_text(device, "version")
        yield ""
        yield f"**{_text(tester['testbed']['name'])}**: {_text(named or 'unknown device')}" + (
            f" – a demonstration, not a certification: {_text(tester['demonstration'])}"
            if tester.get("demonstration")
            else ""
        )
    rows = list(_rows(records))
    if rows:
        yield ""
        yield "| outcome | suite | test | what was said |"
        yield "|---|---|---|---|"
        yield from rows[:_MOST]
    if len(rows) > _MOST:
        yield ""
        yield f"{len(rows) - _MOST} more tests are in the certificate."


def _rows(records: Records) -> Iterator[str]:
    traffic = by_test(records)
    begun, left_out = [t.suite for t in records.tests], [e.place.suite for e in records.left_out]
    suites = tuple(dict.fromkeys([*begun, *left_out, *records.not_run]))
    short = dict(zip(suites, short_names(suites), strict=True))
    found = [
        (
            t.outcome,
            t.suite,
            t.test,
            "; ".join((one_line(t.outcome, t.message), *_beside(records, t, traffic))),
        )
        for t in records.tests
    ]
    found += [
        (INCONCLUSIVE, event.place.suite, event.place.test, f"not run, because {event.facts['reason']}")
        for event in records.left_out
    ]
    found += [
        (ERROR, suite, test, ": ".join(filter(None, (_NO_RECORD, records.why_not_run(suite)))))
        for suite, tests in records.not_run.items()
        for test in tests
    ]
    found += [
        (v.verdict.outcome.value, v.place.suite, "setup or teardown", str(v.verdict))
        for v in records.outside_tests
        if v.verdict.outcome.value != PASS
    ]
    found += [(ERROR, "records", "", fault) for fault in records.faults]
    for outcome, suite, test, said in sorted(found, key=lambda row: WORST_FIRST.index(row[0])):
        text = said.removeprefix(outcome).removeprefix(": ")
        shown = f"**{outcome}**" if outcome != PASS else outcome
        yield f"| {shown} | {_text(short.get(suite, suite))} | {_text(test)} | {_text(text)} |"


def _beside(
    records: Records, test: TestRecord, traffic: Mapping[tuple[str, str], OfferedTraffic]
) -> Iterator[str]:
    if offered := traffic.get((test.suite, test.test)):
        yield str(offered)
    yield from map(attempt_text, records.earlier_attempts(test))


def _text(text: str) -> str:
    """Text in which Markdown sees no markup, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
