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
from TesterLibrary.reporting.tables import TABLES

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


def test_the_questions_of_the_page_are_answered(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "nightly.md").read_text(encoding="utf-8")
    questions = re.findall(r'^tester query results/latest "(.*)"', page, re.M)
    assert len(questions) == 3
    for question in questions:
        assert asked(run, question, capsys)[0] == 0, question
