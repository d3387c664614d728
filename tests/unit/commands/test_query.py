# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""SQL over the records of a run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.reporting.captures.frames import COLUMNS, FrameRows
from TesterLibrary.reporting.pages.tables import TABLES
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.trial_part import TrialPart

from ..reporting.golden import golden_records, record_run

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    record_run(folder / "evidence")
    return folder


def asked(run: Path, sql: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = cli.main(["query", str(run), sql, *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_an_answer_is_text_csv_or_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = "select suite, count(*) as trials, count(lost) as counted"
    sql = f"{counts} from trials where testbed = 'uncounted' group by 1"
    status, out, _ = asked(run, sql, capsys)
    assert status == 0
    assert out == "suite                 trials  counted\nuncounted.Frame Loss       2        0\n(1 rows)\n"
    assert asked(run, sql, capsys, "--csv")[1] == "suite,trials,counted\nuncounted.Frame Loss,2,0\n"
    expected = [{"suite": "uncounted.Frame Loss", "trials": 2, "counted": 0}]
    assert json.loads(asked(run, sql, capsys, "--json")[1]) == expected


def test_each_record_is_a_row(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = golden_records()
    counts = {
        "tests": len(records.tests),
        "trials": len(records.trials),
        "streams": sum(len(record.trial.streams) for record in records.trials),
        "intervals": 0,
        "verdicts": len(records.verdicts),
        "events": len(records.events),
    }
    assert set(counts) == set(TABLES)
    for name, count in counts.items():
        _, out, _ = asked(run, f"select count(*) as n from {name}", capsys, "--json")
        assert json.loads(out) == [{"n": count}]
        _, out, _ = asked(run, f"select * from {name} limit 0", capsys, "--csv")
        assert out.strip().split(",") == list(TABLES[name].columns)
    sql = "select sum(sent) as sent, sum(lost) as lost from trials"
    (total,) = json.loads(asked(run, sql, capsys, "--json")[1])
    assert int(total["sent"]) == sum(record.trial.sent for record in records.trials)
    assert int(total["lost"]) == sum(record.trial.lost or 0 for record in records.trials)


def test_what_was_not_counted_is_null(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "select reordered, late from streams where testbed = 'uncounted' limit 1"
    assert asked(run, sql, capsys)[1] == "reordered  late\n        –     –\n(1 rows)\n"
    assert asked(run, sql, capsys, "--csv")[1] == "reordered,late\n,\n"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select lots from trials", 'Referenced column "lots" not found'),
        ("select lots from trials", "`tester query --help` lists tables and columns"),
        ("selec", "the query cannot be answered: Parser Error"),
        ("", "give one SELECT"),
        ("drop table trials", "give one SELECT"),
        ("select 1; select 2", "give one SELECT"),
        ("copy trials to 'stolen.csv'", "give one SELECT"),
        ("set enable_external_access = true", "give one SELECT"),
        ("select * from read_text('secret.txt')", "file system operations are disabled by configuration"),
        ("select * from 'secret.csv'", "the query cannot be answered: "),
        ("select * from records", "Table with name records does not exist"),
        ("select * from glob('*')", "file system operations are disabled by configuration"),
    ],
)
def test_a_query_only_reads_the_tables(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sql: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("secret.txt", "secret.csv"):
        Path(name).write_text("secret\n1\n")
    status, out, err = asked(run, sql, capsys)
    assert (status, out) == (3, "")
    assert message.lower() in err.lower()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.csv", "secret.txt"]


def test_records_that_are_cut_off_or_foreign_are_said(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(run / "evidence", tmp_path / "evidence")
    with (tmp_path / "evidence" / "verdicts.jsonl").open("a") as verdicts:
        verdicts.write('{"kind": "verd')
    status, out, err = asked(tmp_path, "select count(*) as n from verdicts", capsys, "--json")
    assert (status, json.loads(out)) == (0, [{"n": len(golden_records().verdicts)}])
    assert "verdicts.jsonl: its last line was cut off" in err
    (tmp_path / "empty").mkdir()
    status, _, err = asked(tmp_path / "empty", "select 1", capsys)
    assert (status, "holds no run.json" in err) == (3, True)


@pytest.fixture
def captured(run: Path, tmp_path: Path) -> Path:
    """The run with the frames of two trials: 20 of the first one, 10 of the second."""
    pytest.importorskip("pyarrow")
    shutil.copytree(run / "evidence", tmp_path / "evidence")
    place = RecordPlace("bed", "Suite", "Test")
    rows = FrameRows("all", {7: "north"})
    rows.add(CapturedFrames.of(CapturedFrame(100 * n, "p1", True, 7, n, 60, b"") for n in range(30)))
    first = TrialPart(7, "north", 1, 1, place, 0, 1999, "p2", 2)
    second = TrialPart(7, "north", 2, 1, place, 2000, 9999, "p2", 0)
    files = rows.write(tmp_path / "evidence" / "frames", "all", place, {first: (3, 5), second: ()})
    record = {**GOLDEN_EVENT, "frames": [file.record(tmp_path / "evidence") for file in files]}
    with (tmp_path / "evidence" / "events.jsonl").open("a") as events:
        events.write(json.dumps(record) + "\n")
    return tmp_path


GOLDEN_EVENT = {
    "kind": "event",
    "schema": 2,
    "at": "",
    "testbed": "bed",
    "suite": "Suite",
    "test": "Test",
    "event": "capture",
}


def test_frames_are_a_table(run: Path, captured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = "count(*) as frames, count(event) as lost, max(size) as size"
    sql = f"select trial, stream, {counts} from frames group by all order by 1"
    status, out, err = asked(captured, sql, capsys, "--csv")
    assert (status, err) == (0, "")
    assert out == "trial,stream,frames,lost,size\n1,north,20,2,64\n2,north,10,0,64\n"
    for folder in (captured, run):  # one without frames has an empty table
        _, out, _ = asked(folder, "select * from frames limit 0", capsys, "--csv")
        assert out.strip().split(",") == list(COLUMNS)
    assert asked(run, "select count(*) as n from frames", capsys, "--csv")[1] == "n\n0\n"
    kinds = ", ".join(f"typeof({name}) as {name}" for name in COLUMNS)
    (found,) = json.loads(asked(captured, f"select {kinds} from frames limit 1", capsys, "--json")[1])
    assert found == {name: SQL_NAMES[kind] for name, kind in COLUMNS.items()}


SQL_NAMES = {"text": "VARCHAR", "bigint": "BIGINT", "integer": "INTEGER"}


def test_frames_that_are_cut_off_or_missing_are_said(
    captured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = sorted((captured / "evidence" / "frames").rglob("*.parquet"))
    whole = first.read_bytes()
    for content, problem in (
        (whole[:-1], "is cut off"),
        (whole[:100], "is cut off"),
        (b"", "is no Parquet file"),
        (b"junk", "is no Parquet file"),
        (b"PAR1\xff\xff\xff\x7fPAR1", "is cut off"),
    ):
        first.write_bytes(content)
        status, out, err = asked(captured, "select count(*) as n from frames", capsys, "--csv")
        assert (status, out) == (0, "n\n10\n"), problem
        assert f"tester: {first}: {problem}. Its rows are not in the table frames" in err
    first.unlink()
    (first.parent / "all.parquet.part").write_bytes(whole[:-1])  # of a run that was killed
    _, out, err = asked(captured, "select count(*) as n from frames", capsys, "--csv")
    assert (out, f"{first} is missing" in err) == ("n\n10\n", True)
    damaged = bytearray(second.read_bytes())
    footer = int.from_bytes(damaged[-8:-4], "little")
    damaged[4 : -8 - footer] = bytes(len(damaged) - 12 - footer)
    second.write_bytes(damaged)
    status, out, err = asked(captured, "select sum(sent_ns) from frames", capsys)
    assert (status, out) == (3, "")
    assert "the query cannot be answered" in err
    assert "all.parquet" in err


@pytest.mark.parametrize(
    "sql",
    [
        "copy frames to 'stolen.csv'",
        "select * from read_text('secret.txt')",
        "select * from glob('*')",
        "select * from read_parquet('other.parquet')",
    ],
)
def test_a_query_of_frames_reads_no_other_file(
    captured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sql: str
) -> None:
    monkeypatch.chdir(captured)
    Path("secret.txt").write_text("secret")
    shutil.copy(next((captured / "evidence" / "frames").rglob("*.parquet")), "other.parquet")
    assert asked(captured, sql, capsys)[0] == 3


def test_a_query_has_a_limit_of_memory(captured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "select count(distinct hash(i, j)) from range(3000) a(i), range(3000) b(j)"
    status, out, err = asked(captured, sql, capsys, "--memory", "32MB")
    assert (status, out) == (3, "")
    assert "the query needs more than 32MB of memory; ask for less" in err
    status, _, err = asked(captured, "select 1", capsys, "--memory", "lots")
    assert (status, "memory 'lots'; give a size such as 2GB" in err) == (3, True)


@pytest.mark.parametrize(("page", "number"), [("nightly.md", 3), ("capture.md", 4)])
def test_the_questions_of_the_pages_are_answered(
    captured: Path, capsys: pytest.CaptureFixture[str], page: str, number: int
) -> None:
    text = (Path(__file__).parents[3] / "docs" / page).read_text(encoding="utf-8")
    questions = re.findall(r'^tester query results/latest "(.*)"', text, re.M)
    assert len(questions) == number
    for question in questions:
        status, _, said = asked(captured, question, capsys)
        assert (status, said) == (0, ""), question
