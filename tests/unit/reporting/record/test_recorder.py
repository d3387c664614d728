# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder's files on the disk, and those that survive a killed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import report_file
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.order import OrderResult
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pages.certificate import attempts_beside, certificate
from TesterLibrary.reporting.pages.markdown import markdown
from TesterLibrary.reporting.pages.statement import statement
from TesterLibrary.reporting.record.codec import decode, encode
from TesterLibrary.reporting.record.recorder import KINDS, RUN_VARIABLE, Recorder, derived
from TesterLibrary.reporting.record.records import read
from TesterLibrary.reporting.record.trial_schema import trial_schema
from TesterLibrary.verdict import Outcome, Verdict

from ..golden import GOLDEN, record_run
from ..simulated import SimulatedBench

SECOND = Duration(10**9)
ROOT = Path(__file__).parents[4]


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return tmp_path / "evidence"


def trial(number: int = 1) -> Trial:
    tester = SimulatedBench()
    for _ in range(number):
        made = tester.measure(Fraction(1, 7), SECOND)
    return made


def test_nothing_is_created_before_the_first_record(evidence: Path) -> None:
    Recorder(evidence)
    assert not evidence.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_every_line_keeps_its_schema(evidence: Path, kind: str) -> None:
    record_run(evidence)
    beside = evidence / f"{kind}.schema.json"
    path = beside if kind == "trial" else report_file(f"schemas/{kind}.schema.json")
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    lines = (evidence / f"{kind}s.jsonl").read_text().splitlines()
    assert lines
    for line in lines:
        jsonschema.Draft202012Validator(schema).validate(json.loads(line))


@pytest.mark.parametrize("name", ["run", "agenda"])
def test_every_file_keeps_its_schema(evidence: Path, name: str) -> None:
    record_run(evidence)
    schema = json.loads(report_file(f"schemas/{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads((evidence / f"{name}.json").read_text()))


def test_the_golden_files_are_what_is_written(evidence: Path) -> None:
    record_run(evidence)
    for golden in (GOLDEN / "evidence").iterdir():
        assert (evidence / golden.name).read_text() == golden.read_text(), golden.name


def test_trials_come_back_exactly(evidence: Path) -> None:
    recorder = Recorder(evidence)
    recorder.begin_test("Suite", "Test")
    recorder.trial(trial(), seed=42)
    (record,) = read(evidence).trials
    assert record.trial == trial()
    assert record.seed == 42
    assert (record.place.suite, record.place.test) == ("Suite", "Test")


def test_a_result_of_a_trial_of_a_setup_has_it_in_its_own_test(evidence: Path) -> None:
    """The trial at line rate judges `Find Maximum Burst    throughput=` of a device that forwards there."""
    recorder = Recorder(evidence)
    recorder.outside_tests("Suite")
    recorder.trial(trial())
    recorder.begin_test("Suite", "Test")
    recorder.result(OrderResult("north", (trial(),)))
    records = read(evidence)
    assert [record.place.test for record in records.trials] == ["", "Test"]
    assert records.results[0].result.trials == (trial(),)


def _as_known(value: Any, before: Any) -> Any:
    """The value without what an earlier version did not know."""
    if not isinstance(value, dict):
        return value
    return {name: _as_known(value[name], before[name]) for name in before}


def test_a_trial_that_an_earlier_version_has_recorded_is_read(evidence: Path) -> None:
    """The file is never written anew: counters that came later are what they are by default."""
    Recorder(evidence).trial(trial())
    old = Path(__file__).parents[1].joinpath("trial_of_2026.json").read_text()
    (evidence / "trials.jsonl").write_text(old)
    (record,) = read(evidence).trials
    (stream,) = record.trial.streams
    counters = stream.counters
    assert (counters.tx_packets, counters.latency.count, counters.rx_corrupted) == (81274, 81274, 0)
    assert counters.latency.buckets == {3185: 73147, 4209: 8127}
    assert (counters.rx_before_sent, counters.departures and counters.departures.max_ns) == (None, 600)
    before = json.loads(old)["streams"][0]["counters"]
    assert decode(StreamCounters, _as_known(encode(counters), before)) == decode(StreamCounters, before)
    assert derived(record.trial) == json.loads(old)["derived"]


def test_the_schema_holds_counters_to_their_definition(evidence: Path) -> None:
    schema = trial_schema()
    recorder = Recorder(evidence)
    recorder.trial(trial())
    record = json.loads((evidence / "trials.jsonl").read_text())
    counters = record["streams"][0]["counters"]
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(record)
    for name, wrong in [("tx_packets", -1), ("tx_packets", None), ("sending", 1), ("unheard", 1)]:
        changed = json.loads(json.dumps(record))
        changed["streams"][0]["counters"] = counters | {name: wrong}
        assert not validator.is_valid(changed), name
    described = schema["$defs"]["StreamCounters"]["properties"]
    assert described["rx_misrouted"]["description"].startswith("Frames that arrived on another port")
    assert described["rx_misrouted"]["description"].endswith("null where it is not counted")
    assert "minimum" not in schema["$defs"]["VariationCounters"]["properties"]["ipdv_min_ns"]


def test_zero_is_recorded_as_zero(evidence: Path) -> None:
    recorder = Recorder(evidence)
    recorder.trial(SimulatedBench(capacity=0).measure(Fraction(1), SECOND))
    derived = json.loads((evidence / "trials.jsonl").read_text())["derived"]
    assert derived["received"] == 0
    assert derived["loss_ratio"] == 1
    assert derived["latency_ns"]["mean"] is None


def test_what_is_not_counted_is_recorded_as_null_and_comes_back_as_none(evidence: Path) -> None:
    uncounted = SimulatedBench(counts=False).measure(Fraction(1), SECOND)
    Recorder(evidence).trial(uncounted)
    record = json.loads((evidence / "trials.jsonl").read_text())
    assert (record["derived"]["lost"], record["derived"]["loss_ratio"]) == (None, None)
    assert record["derived"]["gap_error_ns"]["mean"] is None
    assert record["evidence"]["rx_missed"] is None
    assert record["streams"][0]["counters"]["order"]["duplicated"] is None
    assert record["streams"][0]["counters"]["outages"] is None
    assert read(evidence).trials[0].trial == uncounted


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_cut_last_line_is_left_out_and_the_rest_is_kept(evidence: Path, cut: int) -> None:
    recorder = Recorder(evidence)
    recorder.trial(trial(1))
    recorder.trial(trial(2))
    path = evidence / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])

    records = read(evidence)
    assert [r.trial.number for r in records.trials] == [1]
    assert records.cut == ("trials.jsonl",)


def test_who_goes_on_after_a_cut_line_begins_a_new_one(evidence: Path) -> None:
    Recorder(evidence).trial(trial(1))
    with (evidence / "trials.jsonl").open("a") as file:
        file.write('{"kind":"tri')
    Recorder(evidence).trial(trial(2))
    assert [r.trial.number for r in read(evidence).trials] == [1, 2]


def test_a_wrong_line_elsewhere_is_an_error_that_names_it(evidence: Path) -> None:
    Recorder(evidence).trial(trial())
    path = evidence / "trials.jsonl"
    path.write_text("{}\n" + path.read_text())
    with pytest.raises(TesterLibraryError, match=r"trials\.jsonl:1 is not a record"):
        read(evidence)


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        ("verdict", '"least":"1/3"', '"least":"1/0"', "'1/0' is no fraction"),
        ("test", '"elapsed_s":1', '"elapsed_s":1e999', "1e999 is too large for a number"),
        ("test", '"elapsed_s":1', f'"elapsed_s":{"[" * 50_000}', "it is nested too deeply"),
    ],
)
def test_a_value_that_nobody_can_have_recorded_is_an_error_that_names_its_line(
    evidence: Path, kind: str, old: str, new: str, message: str
) -> None:
    recorder = Recorder(evidence)
    recorder.begin_test("Suite", "Test")
    recorder.verdict(Verdict(Outcome.PASS, "loss", "0", "1", least=Fraction(1, 3), most=Fraction(1)))
    recorder.end_test(outcome="PASS", status="PASS", message="", started_at="", elapsed_s=1)
    path = evidence / f"{kind}s.jsonl"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(TesterLibraryError, match=rf"{kind}s\.jsonl:1 is not a record: .*{message}"):
        read(evidence)


@pytest.mark.parametrize("content", ['{"title": "Night", "it', "[]", '{"title": "Night"}'])
def test_an_agenda_that_was_cut_off_is_an_error_that_names_it(evidence: Path, content: str) -> None:
    Recorder(evidence).event("one")
    (evidence / "agenda.json").write_text(content)
    with pytest.raises(TesterLibraryError, match=r"agenda\.json is not the agenda of a run"):
        read(evidence)


def test_a_later_format_is_refused(evidence: Path) -> None:
    Recorder(evidence).trial(trial())
    path = evidence / "trials.jsonl"
    path.write_text(path.read_text().replace('"schema":2', '"schema":3'))
    with pytest.raises(TesterLibraryError, match="schema 3, this version reads 2"):
        read(evidence)


def test_no_evidence_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TesterLibraryError, match=r"holds no run\.json"):
        read(tmp_path)


def test_another_run_moves_the_files_of_the_first_aside(
    evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "one")
    Recorder(evidence).trial(trial(1))
    monkeypatch.setenv(RUN_VARIABLE, "two")
    Recorder(evidence).trial(trial(2))

    assert [r.trial.number for r in read(evidence).trials] == [2]
    (aside,) = [path for path in evidence.parent.iterdir() if path != evidence]
    assert [r.trial.number for r in read(aside).trials] == [1]


def test_a_run_that_was_put_aside_is_named_with_its_outcomes(evidence: Path) -> None:
    said: list[str] = []
    for run, outcomes in {"one": ("PASS", "FAIL"), "two": ("PASS",), "three": ("PASS",)}.items():
        recorder = Recorder(evidence, run, warn=said.append)
        for number, outcome in enumerate(outcomes):
            recorder.begin_test("S", f"test {number}")
            recorder.end_test(status="PASS", outcome=outcome, message="", started_at="", elapsed_s=1)
    records = read(evidence)
    texts = [
        f"An earlier run in this folder (begun {earlier['started_at']}) was put aside at "
        f"{earlier['folder']}; it had"
        for earlier in records.run["earlier_runs"]
    ]
    assert attempts_beside(records) == (f"{texts[0]} 1 FAIL, 1 PASS", f"{texts[1]} 1 PASS")
    assert [text.partition(". ")[0].partition(" (")[2] for text in said] == [
        text.partition(" (")[2] for text in attempts_beside(records)
    ]
    for page in (certificate(records), markdown(records)):
        assert "it had 1 FAIL, 1 PASS" in page
    assert json.loads(statement(records, {}))["earlier_runs"][0]["counts"] == {"PASS": 1, "FAIL": 1}


@pytest.mark.parametrize("content", ['{"kind": "ru', '{"id": "one", "schema": 1}'])
def test_a_record_that_nobody_can_read_is_moved_aside(evidence: Path, content: str) -> None:
    evidence.mkdir()
    (evidence / "run.json").write_text(content)
    Recorder(evidence).trial(trial(1))
    assert len(read(evidence).trials) == 1
    (aside,) = [path for path in evidence.parent.iterdir() if path != evidence]
    assert (aside / "run.json").read_text() == content


def test_one_run_of_several_processes_shares_the_files(
    evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "one")
    Recorder(evidence).trial(trial(1))
    Recorder(evidence).trial(trial(2))
    assert [r.trial.number for r in read(evidence).trials] == [1, 2]


def test_a_killed_process_loses_no_finished_trial(evidence: Path) -> None:
    """The process kills itself, so nothing is flushed or closed on the way out."""
    program = f"""
import os, signal
from fractions import Fraction
from pathlib import Path
from typing import Any
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record.recorder import Recorder
from tests.unit.reporting.simulated import SimulatedBench
recorder, bench = Recorder(Path({str(evidence)!r})), SimulatedBench()
for _ in range(3):
    recorder.trial(bench.measure(Fraction(1, 2), Duration(10**9)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [r.trial.number for r in read(evidence).trials] == [1, 2, 3]


def test_a_withdrawn_verdict_is_known_again_whoever_recorded_it(evidence: Path) -> None:
    """Two libraries of a suite, or two processes of a run, share the files."""
    first, second = Recorder(evidence), Recorder(evidence)
    for number, recorder in enumerate((first, second, first, second), 1):
        recorder.begin_test("Suite", f"Test {number}")
        recorder.verdict(Verdict(Outcome.PASS, f"value {number}", "1", "1"))
    second.withdraw([3], by="TRY/EXCEPT")
    records = read(evidence)
    assert [found.number for found in records.verdicts] == [1, 2, 3, 4]
    assert [(found.place.test, found.caught_by) for found in records.caught] == [("Test 3", "TRY/EXCEPT")]
