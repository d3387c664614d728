# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of campaigns whose records somebody edits, or whose files somebody edits in mid-run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.digests import digest_of
from TesterLibrary.reporting.record.outcome import FAIL, PASS, outcome_of, overall
from TesterLibrary.reporting.record.record_chain import rechained
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.recorder import Recorder, start_run
from TesterLibrary.reporting.record.records import read
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
    start_run(evidence, "run")
    recorder = Recorder(evidence, "run")
    items = [Item(bed, f"{bed}.Suite", f"Test {n}") for bed in _BEDS for n in range(draw.randint(1, 2))]
    agenda.write(evidence, "Night", items)
    given = []
    for item in items:
        recorder.place = RecordPlace(item.testbed)
        recorder.begin_test(item.suite, item.test)
        for _ in range(draw.randint(1, 2)):
            outcome = Outcome.FAIL if draw.random() < 0.25 else Outcome.PASS
            recorder.verdict(Verdict(outcome, "loss", "1", "2"))
        ended = outcome_of("PASS", recorder.judgements.standing)
        given.append(ended)
        recorder.end_test(status=ended, outcome=ended, message="", tags=[], started_at="", elapsed_s=1)
    return given


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
