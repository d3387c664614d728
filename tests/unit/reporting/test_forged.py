# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Records that were edited: lines of a file are a chain, and a test agrees with its verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.campaign.interrupted_run import set_aside
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.outcome import outcome_of, overall
from TesterLibrary.reporting.record.record_chain import FIELD, rechained
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.recorder import Recorder, start_run
from TesterLibrary.reporting.record.records import Records, read, read_consistent, read_verdicts
from TesterLibrary.verdict import Outcome, Verdict

from .simulated import SimulatedBench

SUITE = "bed.Suite"
SECOND = Duration.parse("1 s")


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    start_run(tmp_path, "run")
    made = Recorder(tmp_path, "run")
    made.place = RecordPlace("bed")
    return made


def record_test(recorder: Recorder, name: str, *outcomes: str) -> None:
    recorder.begin_test(SUITE, name)
    recorder.trial(SimulatedBench().measure(Fraction(1, 7), SECOND))
    for outcome in outcomes:
        recorder.verdict(Verdict(Outcome(outcome), "throughput", "60 %", ">= 70 %", "late"))
    ended = outcome_of("PASS", recorder.judgements.standing)
    recorder.end_test(status="PASS", outcome=ended, message="", tags=[], started_at="", elapsed_s=1)


@pytest.fixture
def evidence(recorder: Recorder) -> Path:
    """The records of three tests, of which B has failed."""
    for name, outcomes in (("A", ["PASS"]), ("B", ["PASS", "FAIL"]), ("C", ["PASS"])):
        record_test(recorder, name, *outcomes)
    return recorder.directory


def lines_of(evidence: Path, kind: str) -> list[str]:
    return (evidence / f"{kind}s.jsonl").read_text().splitlines()


def write(evidence: Path, kind: str, lines: Sequence[str]) -> None:
    (evidence / f"{kind}s.jsonl").write_text("".join(f"{line}\n" for line in lines))


def forge(evidence: Path, kind: str, number: int, **values: Any) -> None:
    """Edits a record, and all hashes after it."""
    records = [json.loads(line) for line in lines_of(evidence, kind)]
    records[number] |= values
    write(evidence, kind, rechained(map(json.dumps, records)))


def outcomes(records: Records) -> dict[str, str]:
    return {test.test: test.outcome for test in records.tests}


def test_what_was_recorded_agrees_with_itself(evidence: Path) -> None:
    records = read(evidence)
    assert outcomes(records) == {"A": "PASS", "B": "FAIL", "C": "PASS"}
    assert (records.faults, records.contradictions) == ((), ())


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda lines: [lines[0].replace("60 %", "90 %"), *lines[1:]], 2),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [*lines, lines[-1]], 5),
        (lambda lines: [*lines[:3], json.dumps({**json.loads(lines[3]), FIELD: ""})], 4),
    ],
    ids=["edited", "removed", "first removed", "swapped", "added", "hash removed"],
)
def test_a_line_that_was_edited_is_named(
    edit: Callable[[list[str]], list[str]], line: int, evidence: Path
) -> None:
    write(evidence, "verdict", edit(lines_of(evidence, "verdict")))
    records = read_verdicts(evidence)
    assert records.faults[0].startswith(f"verdicts.jsonl:{line} does not follow ")
    assert overall(records.outcomes()) in ("FAIL", "ERROR")
    assert "ERROR" in records.outcomes()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"outcome": "PASS", "status": "PASS"}, "says PASS, its verdict 3 says FAIL"),
        ({"outcome": "NOT JUDGED"}, "says NOT JUDGED, its verdict 2 says PASS"),
        ({"outcome": "INCONCLUSIVE"}, "says INCONCLUSIVE, its verdict 3 says FAIL"),
        ({"verdicts": 3}, "has 3 verdicts, and 2 records of them"),
        ({"trials": 2}, "has 2 trials, and 1 record of them"),
    ],
)
def test_a_test_that_says_something_else_than_its_verdicts_is_an_error(
    values: dict[str, Any], said: str, evidence: Path
) -> None:
    forge(evidence, "test", 1, **values)
    records = read(evidence)
    assert records.faults == ()
    assert records.contradictions == (f"the record of test B {said}",)
    assert outcomes(records) == {"A": "PASS", "B": "ERROR", "C": "PASS"}
    assert records.tests[1].said.startswith(f"the record of test B {said}")


def test_verdicts_that_are_removed_in_mid_run_are_missed(recorder: Recorder) -> None:
    record_test(recorder, "A", "PASS")
    (recorder.directory / "verdicts.jsonl").unlink()
    record_test(recorder, "B", "PASS")
    records = read(recorder.directory)
    assert records.faults[0].startswith("verdicts.jsonl:1 does not follow the begin of the file")
    assert outcomes(records) == {"A": "ERROR", "B": "PASS"}
    assert records.contradictions == (
        "the record of test A says PASS, and no verdict of it that says so is recorded",
    )


def test_a_verdict_edited_with_all_hashes_is_missed_by_its_number(evidence: Path) -> None:
    lines = lines_of(evidence, "verdict")
    write(evidence, "verdict", rechained([*lines[:1], *lines[2:]]))
    assert read(evidence).faults == ("verdict 2 of the run is missing: verdict 3 follows",)


def test_a_test_of_another_testbed_than_the_agenda_says_is_an_error(evidence: Path) -> None:
    agenda.write(evidence, "Night", [Item("router" if name == "B" else "bed", SUITE, name) for name in "ABC"])
    records = read(evidence)
    assert records.contradictions == (
        "the record of test B is of the testbed bed, and the run asked for router",
    )
    assert outcomes(records)["B"] == "ERROR"


def test_a_withdrawn_verdict_is_none_that_the_outcome_is_held_against(recorder: Recorder) -> None:
    recorder.begin_test(SUITE, "A")
    recorder.verdict(Verdict(Outcome.FAIL, "loss", "1", "0", ""))
    recorder.withdraw([1], by="Run Keyword And Return Status")
    recorder.verdict(Verdict(Outcome.PASS, "loss", "0", "0", ""))
    recorder.end_test(status="PASS", outcome="PASS", message="", tags=[], started_at="", elapsed_s=1)
    records = read(recorder.directory)
    assert (records.contradictions, outcomes(records)) == ((), {"A": "PASS"})


def test_a_test_that_ran_twice_has_the_verdicts_of_both(recorder: Recorder) -> None:
    """Robot runs two tests of one name."""
    record_test(recorder, "A", "PASS")
    record_test(recorder, "A", "FAIL")
    records = read(recorder.directory)
    assert records.contradictions == ()
    assert [test.outcome for test in records.tests] == ["PASS", "FAIL"]


def test_records_of_an_earlier_version_have_no_chain(evidence: Path) -> None:
    run = json.loads((evidence / "run.json").read_text())
    del run["chain"]
    (evidence / "run.json").write_text(json.dumps(run))
    for kind in ("trial", "verdict", "test"):
        old = [json.loads(line) for line in lines_of(evidence, kind)]
        for record in old:
            del record[FIELD]
        write(evidence, kind, list(map(json.dumps, old)))
    records = read(evidence)
    assert (records.faults, records.contradictions) == ((), ())
    Recorder(evidence, "run").event("mark")  # and go on with one
    assert read(evidence).faults == ()


def test_values_of_records_that_were_edited_are_not_used(evidence: Path) -> None:
    assert read_consistent(evidence).tests
    forge(evidence, "test", 1, outcome="PASS")
    with pytest.raises(TesterLibraryError, match=r"the record of test B says PASS, .* are not used"):
        read_consistent(evidence)


def test_a_run_with_a_chain_has_one_in_each_line(evidence: Path) -> None:
    lines = lines_of(evidence, "verdict")
    write(evidence, "verdict", [json.dumps({**json.loads(lines[0]), FIELD: None}), *lines[1:]])
    assert read(evidence).faults


def test_a_test_that_is_run_again_leaves_a_chain_without_a_gap(evidence: Path, recorder: Recorder) -> None:
    set_aside(evidence, [Item("bed", SUITE, "B")])
    records = read(evidence)
    assert (records.faults, records.contradictions) == ((), ())
    assert [record.number for record in records.verdicts] == [1, 2]
    again = Recorder(evidence, "run")
    again.place = RecordPlace("bed")
    record_test(again, "B", "FAIL")
    records = read(evidence)
    assert (records.faults, records.contradictions) == ((), ())
    assert [record.number for record in records.verdicts] == [1, 2, 3]
    assert recorder.directory == evidence


def test_a_verdict_that_is_withdrawn_stays_so_when_others_are_put_aside(recorder: Recorder) -> None:
    record_test(recorder, "A", "FAIL")
    record_test(recorder, "B", "FAIL", "PASS")
    recorder.withdraw([2], by="TRY / EXCEPT")
    set_aside(recorder.directory, [Item("bed", SUITE, "A")])
    again = Recorder(recorder.directory, "run")
    again.place = RecordPlace("bed")
    record_test(again, "A", "FAIL")
    verdicts = read(recorder.directory).verdicts
    assert [(v.place.test, v.number, v.caught_by) for v in verdicts] == [
        ("B", 1, "TRY / EXCEPT"),
        ("B", 2, ""),
        ("A", 3, ""),
    ]
