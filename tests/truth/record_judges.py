# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of campaigns whose records somebody edits, or whose files somebody edits in mid-run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from TesterLibrary.reporting.allure import input as allure_input
from TesterLibrary.reporting.pages.certificate import certificate
from TesterLibrary.reporting.pages.failures import anchor_of
from TesterLibrary.reporting.pages.junit import junit
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.digests import digest_of
from TesterLibrary.reporting.record.outcome import FAIL, PASS, outcome_of, overall
from TesterLibrary.reporting.record.record_chain import rechained
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.recorder import Recorder, start_run
from TesterLibrary.reporting.record.records import Records, read
from TesterLibrary.reporting.record.run_files import RunFile, RunFiles, write_run_files
from TesterLibrary.verdict import Outcome, Verdict

from .case import Case, judge

_BEDS = ("router", "switch-v1.0")
_Edit = Callable[[random.Random, list[dict[str, Any]]], list[dict[str, Any]]]


def _turned(draw: random.Random, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    record = draw.choice(records)
    record["outcome"] = PASS if record["outcome"] == FAIL else FAIL
    return records


def _removed(draw: random.Random, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    at = draw.randrange(len(records))
    return [*records[:at], *records[at + 1 :]]


def _doubled(draw: random.Random, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*records, draw.choice(records)]


def _moved(draw: random.Random, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    record = draw.choice(records)
    record["testbed"] = next(bed for bed in _BEDS if bed != record["testbed"])
    return records


_EDITS: dict[str, tuple[_Edit, ...]] = {
    "verdicts": (_turned, _removed, _doubled),
    "tests": (_turned, _removed, _moved),
}


@judge
def forged(draw: random.Random) -> Case:
    """The truth is that of the verdicts as they were recorded; nothing is certified by what was edited."""
    with TemporaryDirectory() as folder:
        evidence = Path(folder)
        given = _record(draw, evidence)
        kind = draw.choice(["", *_EDITS])
        about = f"{given} unedited"
        if kind:
            edit, anew = draw.choice(_EDITS[kind]), draw.random() < 0.5
            path = evidence / f"{kind}.jsonl"
            records = edit(draw, [json.loads(line) for line in path.read_text().splitlines()])
            lines = [json.dumps(record) for record in records]
            path.write_text("".join(f"{line}\n" for line in (rechained(lines) if anew else lines)))
            about = f"{given}, {kind} {edit.__name__}, hashes anew: {anew}"
        found = read(evidence)
        certified = overall(found.outcomes())
    # A FAIL that was recorded is one, whatever else was edited; a PASS is worth nothing then.
    truth = False if FAIL in given else None if kind else True
    outcome = Outcome(certified) if certified in (PASS, FAIL) else Outcome.INCONCLUSIVE
    verdict = Verdict(outcome, "certificate", certified, PASS, "its records contradict each other")
    return Case("forged record", truth, verdict, "records were edited" if kind else "", about)


def _record(draw: random.Random, evidence: Path) -> list[str]:
    """Records tests on two testbeds. Returns their outcomes."""
    items = [Item(bed, f"{bed}.Suite", f"Test {n}") for bed in _BEDS for n in range(draw.randint(1, 2))]

    def outcomes(_item: Item) -> list[Outcome]:
        return [_outcome(draw, 0.25) for _ in range(draw.randint(1, 2))]

    return _recorded(evidence, items, outcomes)


def _outcome(draw: random.Random, part: float) -> Outcome:
    return Outcome.FAIL if draw.random() < part else Outcome.PASS


def _recorded(
    evidence: Path, items: Sequence[Item], outcomes: Callable[[Item], Sequence[Outcome]]
) -> list[str]:
    """Records tests with verdicts of these outcomes. Returns the outcomes of the tests."""
    start_run(evidence, "run")
    recorder = Recorder(evidence, "run")
    agenda.write(evidence, "Night", items)
    given = []
    for item in items:
        recorder.place = RecordPlace(item.testbed)
        recorder.begin_test(item.suite, item.test)
        for outcome in outcomes(item):
            recorder.verdict(Verdict(outcome, "loss", "1", "2"))
        ended = outcome_of("PASS", recorder.judgements.standing)
        given.append(ended)
        recorder.end_test(status=ended, outcome=ended, message="", tags=[], started_at="", elapsed_s=1)
    return given


@judge
def reported(draw: random.Random) -> Case:
    """At most one test of a campaign on several testbeds fails: certificate, JUnit and Allure say which.

    Reports that contradict each other count as the one that is wrong.
    """
    beds = draw.sample(["router", "switch-v1.0", "gateway", "nat.night"], draw.randint(2, 4))
    items = [
        Item(bed, f"Night.{bed}.{draw.choice(['Loss', 'Rate'])}", f"Test {number}")
        for bed in beds
        for number in range(draw.randint(1, 4))
    ]
    failed = draw.choice([None, draw.choice(items)])
    last = draw.random() < 0.5  # of its verdicts, the last one is the FAIL

    def outcomes(item: Item) -> list[Outcome]:
        verdicts = [Outcome.PASS] * draw.randint(1, 3)
        if item is failed:
            verdicts.insert(len(verdicts) if last else 0, Outcome.FAIL)
        return verdicts

    with TemporaryDirectory() as folder:
        output = Path(folder)
        _recorded(output / "evidence", items, outcomes)
        records = read(output / "evidence")
        shown = [
            _failed_of_certificate(certificate(records), items),
            _failed_of_junit(junit(records)),
            _failed_of_allure(output, records, items),
        ]
    wanted = {(failed.suite, failed.test)} if failed else set()
    wrong = next((names for names in shown if names != wanted), wanted)
    verdict = Verdict(Outcome.FAIL if wrong else Outcome.PASS, "reports", f"{len(wrong)} failed", "none")
    about = f"{failed} of {len(items)} tests on {beds}; {shown}"
    return Case(
        "one FAIL in all reports", failed is None if wrong == wanted else bool(wrong), verdict, "", about
    )


def _failed_of_certificate(page: str, items: Sequence[Item]) -> set[tuple[str, str]]:
    """The tests that have an entry among those that did not pass, where the page says FAIL at its head."""
    head = re.search(r'class="overall (\w+)', page)
    says_fail = head is not None and head[1] == "FAIL"
    named = {(i.suite, i.test) for i in items if f'id="{anchor_of(i.suite, i.test)}"' in page}
    return named if says_fail else set()


def _failed_of_junit(text: str) -> set[tuple[str, str]]:
    cases = ElementTree.fromstring(text).iter("testcase")
    return {(c.get("classname", ""), c.get("name", "")) for c in cases if c.find("failure") is not None}


def _failed_of_allure(output: Path, records: Records, items: Sequence[Item]) -> set[tuple[str, str]]:
    """Robot has told Allure that all tests passed."""
    results = output / "results"
    results.mkdir()
    for number, item in enumerate(items):
        result = {"name": item.test, "fullName": f"{item.suite}.{item.test}", "status": "passed"}
        (results / f"{number}-result.json").write_text(json.dumps(result))
    allure_input.write(results, output / "allure", records)
    told = [json.loads(path.read_text()) for path in (output / "allure").glob("*-result.json")]
    failed = {result["fullName"] for result in told if result["status"] == "failed"}
    return {(item.suite, item.test) for item in items if f"{item.suite}.{item.test}" in failed}


@judge
def edited(draw: random.Random) -> Case:
    """The truth is whether the files are those of the begin, by their content."""
    with TemporaryDirectory() as folder:
        output = Path(folder)
        paths = [output / f"{number}.yaml" for number in range(draw.randint(1, 4))]
        for path in paths:
            path.write_text(str(draw.random()))
        write_run_files(
            output, [RunFile(str(path), f"the file {path.name}", digest_of(path)) for path in paths]
        )
        files = RunFiles(output)
        same, about = True, []
        for _ in range(draw.randint(1, 4)):
            files.change()
            path = draw.choice(paths)
            about.append(_touched(draw, path))
            same = _same(paths, output)
        change = files.change()
    outcome = Outcome.FAIL if change else Outcome.PASS
    verdict = Verdict(outcome, "files of the run", change or "the same", "the same")
    return Case("edited in mid-run", same, verdict, "", ", ".join(about))


def _touched(draw: random.Random, path: Path) -> str:
    content = path.read_bytes() if path.exists() else b""
    how = draw.choice(["read", "written again", "replaced", "edited", "removed"])
    if how in ("written again", "replaced"):
        other = path.with_suffix(".new") if how == "replaced" else path
        other.write_bytes(content)
        other.replace(path)
    elif how == "edited":
        path.write_bytes(content[:-1] + bytes([(content or b"0")[-1] ^ 1]))  # of the same length
    elif how == "removed":
        path.unlink(missing_ok=True)
    return f"{path.name} {how}"


def _same(paths: Sequence[Path], output: Path) -> bool:
    noted = json.loads((output / "robot" / "files.json").read_text())
    return all(
        path.is_file() and digest_of(path) == file["sha256"] for path, file in zip(paths, noted, strict=True)
    )
