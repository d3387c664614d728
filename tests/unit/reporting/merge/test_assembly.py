# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One run of the cells of a campaign: whose records count, and files of one name in two cells."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import report_file
from TesterLibrary.reporting.merge.assembly import assemble, merge
from TesterLibrary.reporting.merge.cells import (
    Attempt,
    PlannedCell,
    attempts,
    begin_attempt,
    cell_outcome,
    end_attempt,
    left,
    read_plan,
    records_of,
    unsettled,
    write_plan,
)
from TesterLibrary.reporting.pages import rebuild
from TesterLibrary.reporting.pages.certificate import attempt_text, attempts_beside, certificate
from TesterLibrary.reporting.pages.junit import junit
from TesterLibrary.reporting.pages.markdown import markdown
from TesterLibrary.reporting.pages.statement import statement
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.record_place import EVIDENCE, RecordPlace
from TesterLibrary.reporting.record.recorder import TESTER_FAULT, Recorder, start_run
from TesterLibrary.reporting.record.records import Records, read
from TesterLibrary.verdict import Outcome, Verdict

CELLS = tuple(
    PlannedCell(f"000{number}-bed.{name}", "bed", tuple(Item("bed", f"bed.{name}", test) for test in "12"))
    for number, name in ((1, "A"), (2, "B"))
)


class Attempted:
    """An attempt at a cell, as its tester records it."""

    def __init__(self, run: Path, cell: PlannedCell, tester: str) -> None:
        self.cell, self.attempt = cell, begin_attempt(run, cell, tester)
        start_run(self.attempt.evidence, "run")
        self.recorder = Recorder(self.attempt.evidence, "run")
        self.recorder.place = RecordPlace("bed")

    def test(self, name: str, outcome: str, *, fault: str = "", ends: bool = True) -> None:
        recorder = self.recorder
        recorder.begin_test(self.cell.suite, name)
        if fault:
            recorder.event(TESTER_FAULT, reason=fault)
        if outcome in ("PASS", "FAIL", "INCONCLUSIVE"):
            recorder.verdict(Verdict(Outcome(outcome), f"value of {name}", "1", "2", fault))
        if ends:
            recorder.end_test(outcome=outcome, status="SKIP", message="", started_at="", elapsed_s=1)

    def setup(self, *, fault: str = "", outcome: str = "") -> None:
        self.recorder.outside_tests(self.cell.suite)
        if fault:
            self.recorder.event(TESTER_FAULT, reason=fault)
        if outcome:
            self.recorder.verdict(Verdict(Outcome(outcome), "setup", "1", "2"))

    def file(self, name: str, text: str) -> None:
        path = self.attempt.evidence / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.recorder.event("capture", file=name)

    def rest(self, interrupted: str = "") -> tuple[list[str], str]:
        """The tests that are run again, and why."""
        items, reason = unsettled(records_of(self.attempt), self.cell.items, interrupted=interrupted)
        end_attempt(self.attempt, reason)
        return [item.test for item in items], reason


@pytest.fixture
def run(tmp_path: Path) -> Path:
    start_run(tmp_path / EVIDENCE, "run")
    write_plan(tmp_path, CELLS)
    return tmp_path


def whole(run: Path) -> Records:
    assemble(run)
    return read(run / EVIDENCE)


def outcomes(records: Records) -> list[str]:
    return [f"{test.suite}/{test.test} {test.outcome}" for test in records.tests]


@pytest.mark.parametrize("outcome", ["PASS", "FAIL", "INCONCLUSIVE", "NOT JUDGED", "ERROR"])
def test_what_a_sound_tester_has_found_is_never_run_again(run: Path, outcome: str) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.test("1", outcome)
    attempt.test("2", outcome)
    assert attempt.rest() == ([], "")


@pytest.mark.parametrize("outcome", ["INCONCLUSIVE", "ERROR"])
def test_only_the_tests_in_which_the_tester_broke_are_run_again(run: Path, outcome: str) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.test("1", "INCONCLUSIVE")
    attempt.test("2", outcome, fault="gone")
    assert attempt.rest() == (["2"], "gone")


@pytest.mark.parametrize("outcome", ["PASS", "FAIL"])
def test_a_verdict_stays_though_the_tester_broke_afterwards(run: Path, outcome: str) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.test("1", outcome, fault="gone")
    attempt.test("2", outcome)
    assert attempt.rest("Robot was killed") == ([], "")


def test_a_tester_that_cannot_be_opened_has_done_nothing(run: Path) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.setup(fault="no tester answers")
    for test in "12":
        attempt.test(test, "INCONCLUSIVE")
    assert attempt.rest() == (["1", "2"], "no tester answers")


def test_a_setup_that_judged_the_device_is_not_repeated(run: Path) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.setup(outcome="FAIL", fault="gone")
    assert attempt.rest("Robot was killed") == ([], "")


def test_what_was_cut_off_is_run_again_and_nothing_else(run: Path) -> None:
    attempt = Attempted(run, CELLS[0], "t1")
    attempt.test("1", "FAIL")
    attempt.test("2", "PASS", ends=False)
    assert attempt.rest("Robot was killed") == (["2"], "Robot was killed")
    assert [item.test for item in left(run, CELLS[0])] == ["2"]


def test_an_attempt_without_a_record_is_repeated_only_if_it_was_cut_off() -> None:
    assert unsettled(None, CELLS[0].items, interrupted="its worker died") == (
        CELLS[0].items,
        "its worker died",
    )
    assert unsettled(None, CELLS[0].items, interrupted="") == ((), "")


def test_the_last_attempt_counts_and_the_order_is_that_of_the_file(run: Path) -> None:
    second = Attempted(run, CELLS[1], "t2")
    for test in "12":
        second.test(test, "PASS")
    second.rest()
    first = Attempted(run, CELLS[0], "t1")
    first.test("1", "INCONCLUSIVE", fault="gone")
    first.test("2", "FAIL")
    first.rest()
    again = Attempted(run, CELLS[0], "t2")
    again.test("1", "PASS")
    again.rest()
    records = whole(run)
    assert outcomes(records) == ["bed.A/1 PASS", "bed.A/2 FAIL", "bed.B/1 PASS", "bed.B/2 PASS"]
    assert [verdict.number for verdict in records.verdicts] == [1, 2, 3, 4]
    events = {event.event: event.facts.get("tester") or event.facts["outcome"] for event in records.events}
    assert events == {"run_again": "t1", "earlier_attempt": "INCONCLUSIVE"}
    assert cell_outcome(run, CELLS[0]) == "FAIL"
    before = {path.name: path.read_bytes() for path in (run / EVIDENCE).iterdir() if path.is_file()}
    assemble(run)
    assert before == {path.name: path.read_bytes() for path in (run / EVIDENCE).iterdir() if path.is_file()}


def test_an_attempt_that_only_began_a_test_does_not_replace_its_end(run: Path) -> None:
    first = Attempted(run, CELLS[0], "t1")
    first.test("1", "INCONCLUSIVE", fault="gone")
    first.test("2", "PASS")
    first.rest()
    Attempted(run, CELLS[0], "t2").test("1", "PASS", ends=False)  # and it was killed
    records = whole(run)
    assert outcomes(records) == ["bed.A/1 INCONCLUSIVE", "bed.A/2 PASS"]
    assert [verdict.verdict.outcome.value for verdict in records.verdicts] == ["PASS", "INCONCLUSIVE"][::-1]
    assert records.not_run == {}


def test_withdrawn_verdicts_stay_withdrawn(run: Path) -> None:
    for cell in CELLS:
        attempt = Attempted(run, cell, "t1")
        attempt.test("1", "PASS")
        attempt.test("2", "FAIL", ends=False)
        attempt.recorder.withdraw([2], by="Run Keyword And Ignore Error")
        attempt.rest()
    assert [(found.number, bool(found.caught_by)) for found in whole(run).verdicts] == [
        (1, False),
        (2, True),
        (3, False),
        (4, True),
    ]


def test_files_of_one_name_are_kept_apart(run: Path) -> None:
    for cell in CELLS:
        attempt = Attempted(run, cell, "t1")
        attempt.test("1", "PASS", ends=False)
        attempt.file("captures/all.pcapng", cell.name)
        attempt.file("frames/trial=1/all.parquet", cell.name)
        attempt.rest()
    files = [event.facts["file"] for event in whole(run).events]
    assert files == [
        "captures/all.pcapng",
        "frames/trial=1/all.parquet",
        "captures/0002-bed.B-1/all.pcapng",
        "frames/trial=1/0002-bed.B-1-all.parquet",
    ]
    texts = [(run / EVIDENCE / file).read_text() for file in files]
    assert texts == [CELLS[0].name] * 2 + [CELLS[1].name] * 2


def test_a_plan_of_another_version_is_said(run: Path) -> None:
    plan = run / "cells" / "plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "schema": 7}))
    with pytest.raises(Exception, match="is not the plan of a campaign on several testers: schema 7"):
        read_plan(run)


def test_attempts_are_numbered(run: Path) -> None:
    numbers: list[Attempt] = [begin_attempt(run, CELLS[0], "t1") for _ in range(11)]
    assert [attempt.folder.name for attempt in numbers] == [str(number) for number in range(1, 12)]


def test_ten_outputs_of_robot_are_in_their_order() -> None:
    names = [f"{number}-bed ({number}).xml" for number in range(1, 12)]
    found = sorted(sorted(map(Path, names)), key=rebuild._number)
    assert [path.name for path in found] == names


TESTER = {"target": "engine", "version": "1", "details": "", "ports": []}


def robot_run(folder: Path, outcomes: dict[str, str], testbed: str = "bed", profile: str = "quick") -> Path:
    """The evidence of a run of Robot."""
    recorder = Recorder(folder / EVIDENCE, str(folder))
    recorder.run(testbed=testbed, capabilities=TESTER, seed=1, profile=profile)
    for test, outcome in outcomes.items():
        recorder.begin_test("Suite", test)
        recorder.verdict(Verdict(Outcome(outcome), f"value of {test}", folder.name, "2"))
        recorder.end_test(
            outcome=outcome, status="", message=f"{outcome}: in {folder.name}", started_at="", elapsed_s=1
        )
    return folder


def test_of_merged_runs_the_last_attempt_counts_and_the_earlier_one_is_shown(tmp_path: Path) -> None:
    first = robot_run(tmp_path / "first", {"1": "FAIL", "2": "PASS"})
    second = robot_run(tmp_path / "second", {"1": "PASS"})
    merge([first / EVIDENCE, second], tmp_path / "whole")
    records = read(tmp_path / "whole" / EVIDENCE)
    assert outcomes(records) == ["Suite/1 PASS", "Suite/2 PASS"]
    assert [(v.number, v.verdict.measured) for v in records.verdicts] == [(1, "first"), (2, "second")]
    (attempt,) = records.earlier_attempts(records.tests[0])
    assert attempt_text(attempt) == "earlier attempt: FAIL: in first"
    assert attempts_beside(records) == (
        "Of 1 test that ran again the last attempt counts; the earlier ones were 1 FAIL",
    )
    for page in (certificate(records), markdown(records), junit(records), statement(records, {})):
        assert "FAIL: in first" in page
    schema = json.loads(report_file("schemas/certificate.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(statement(records, {})), schema)
    merge([tmp_path / "whole", robot_run(tmp_path / "third", {"1": "PASS"})], tmp_path / "again")
    records = read(tmp_path / "again" / EVIDENCE)
    assert len(records.earlier_attempts(records.tests[0])) == 2


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"testbed": "other"}, "Suite.1 was run on bed and on other; only attempts on one testbed"),
        ({"profile": "full"}, "the profile of bed is another one in"),
    ],
)
def test_runs_of_two_devices_are_not_merged(tmp_path: Path, second: dict[str, str], message: str) -> None:
    runs = [robot_run(tmp_path / "a", {"1": "FAIL"}), robot_run(tmp_path / "b", {"1": "PASS"}, **second)]
    with pytest.raises(TesterLibraryError, match=message):
        merge(runs, tmp_path / "whole")
    assert not (tmp_path / "whole").exists()


def test_an_attempt_whose_tester_was_killed_as_it_began_is_none(tmp_path: Path) -> None:
    """Its folder stays, and no later attempt gets it."""
    begun = begin_attempt(tmp_path, CELLS[0], "t1")
    (begun.folder.parent / "2").mkdir()
    assert attempts(tmp_path, CELLS[0]) == (begun,)
    assert begin_attempt(tmp_path, CELLS[0], "t2").folder.name == "3"
