# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester trend` on simulated nights, and on files that are none of its own."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from pathlib import Path
from random import Random
from threading import Timer

import duckdb
import pytest

from TesterLibrary.commands.main import main
from tests.unit.reporting.golden import GOLDEN
from tests.unit.reporting.trend.nights import write_night


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "trend.duckdb"


@pytest.fixture
def usual(tmp_path: Path) -> list[str]:
    """Ten nights of noise."""
    random = Random(1)
    return [str(write_night(tmp_path, night, round(random.gauss(100, 0.3), 3))) for night in range(10)]


def test_a_planted_regression_ends_the_gate_with_1_in_its_first_night(
    tmp_path: Path, database: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    to = ["--database", str(database)]
    assert main(["trend", *usual, *to]) == 0
    assert "steady" in capsys.readouterr().out
    assert main(["trend", str(write_night(tmp_path, 10, 97.0)), *to]) == 2
    assert "measure it again" in capsys.readouterr().out
    assert main(["trend", str(write_night(tmp_path, 10, 97.1, hour=3)), *to]) == 1
    line = next(line for line in capsys.readouterr().out.splitlines() if "alarmed" in line)
    assert "Shaper · Rate Is Kept: rate of north, 512 bytes is 97.1 Mbps " in line
    assert "(99.9655 Mbps before, -2.97 % since 2026-01-11 02:00; candidate 2026-01-11 02:00, alarmed" in line
    assert main(["trend", *to]) == 1, "and it stays open"
    assert main(["trend", str(write_night(tmp_path, 11, 100.0)), *to]) == 0
    assert "recovered 2026-01-12" in capsys.readouterr().out


def test_a_run_is_added_once(database: Path, usual: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    to = ["--database", str(database), "--json"]
    main(["trend", *usual, *to])
    first = json.loads(capsys.readouterr().out)
    main(["trend", *usual, *to])
    again = json.loads(capsys.readouterr().out)
    assert again["figures"] == first["figures"]
    assert len(again["figures"][0]["points"]) == 10
    assert all(note.endswith("there already") for note in again["notes"])
    (figure,) = again["figures"]
    assert (figure["unit"], figure["size"], figure["version"]) == ("bps", 512, "1.0")


def test_a_tester_that_was_not_fit_is_a_gap_and_no_pass(
    tmp_path: Path, database: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    night = str(write_night(tmp_path, 10, 50.0, outcome="INCONCLUSIVE"))
    assert main(["trend", *usual, night, "--database", str(database), "--json"]) == 2
    (figure,) = json.loads(capsys.readouterr().out)["figures"]
    assert figure["standing"] == "not told"
    assert figure["reason"] == "the tester sent 1 of 2 frames"
    assert not figure["points"][-1]["fit"]
    assert not figure["alarms"]


def test_an_alarm_is_accepted_with_a_reason_only(
    tmp_path: Path, database: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    to = ["--database", str(database)]
    worse = [str(write_night(tmp_path, 10, 97.0)), str(write_night(tmp_path, 10, 97.1, hour=3))]
    assert main(["trend", *usual, *worse, *to]) == 1
    assert main(["trend", "--accept", "1", *to]) == 3
    assert "an accepted alarm says why" in capsys.readouterr().err
    assert main(["trend", "--accept", "1", "--because", "safer queue", *to]) == 2, "two values are few"
    assert main(["trend", "--accept", "1", "--because", "safer queue", *to]) == 3
    assert "figure 1 has no open alarm" in capsys.readouterr().err


def test_page_and_table_hold_every_figure(tmp_path: Path, database: Path, usual: list[str]) -> None:
    page, table = tmp_path / "trend.html", tmp_path / "trend.csv"
    main(["trend", *usual, "--database", str(database), "--html", str(page), "--csv", str(table)])
    text = page.read_text()
    assert "rate of north, 512 bytes" in text
    assert "<svg viewBox=" in text
    assert "var(--value)" in text
    assert "#000000" not in text
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 10
    assert rows[0]["verdict"] == "PASS"


@pytest.mark.parametrize(
    ("option", "value", "figures"),
    [("--size", "512", 1), ("--size", "64", 0), ("--test", "rate is", 1), ("--version", "9", 0)],
)
def test_figures_are_chosen(
    option: str,
    value: str,
    figures: int,
    database: Path,
    usual: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["trend", *usual, "--database", str(database), "--json", option, value])
    assert len(json.loads(capsys.readouterr().out)["figures"]) == figures


def test_the_run_that_is_kept_with_the_project_is_read(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trend", str(GOLDEN), "--database", str(database)]) == 2
    assert "throughput of north, 1518 bytes is 100 %" in capsys.readouterr().out


def test_a_line_that_was_cut_off_is_said(
    tmp_path: Path, database: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    night = write_night(tmp_path, 10, 100.0)
    with (night / "evidence" / "verdicts.jsonl").open("a") as file:
        file.write('{"kind":"verd')
    main(["trend", *usual, str(night), "--database", str(database)])
    assert "its last line was cut off when the run was killed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"kind": "ru', "run.json cannot be read"),
        ("[1]", "is not the run.json of a run of this library"),
        ('{"id": "1", "started_at": "", "testers": [], "schema": 9}', "has schema 9; this version reads 2"),
        (
            '{"id": "1", "started_at": "x", "testers": [], "schema": 2}',
            "is not that of a run of this library",
        ),
    ],
)
def test_a_truncated_or_foreign_record_is_refused(
    content: str, said: str, tmp_path: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(content)
    assert main(["trend", str(tmp_path), "--database", str(database)]) == 3
    assert said in capsys.readouterr().err
    assert not database.exists()


def test_a_database_that_is_none_of_ours_is_refused(
    tmp_path: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(database: str) -> str:
        assert main(["trend", *usual, "--database", database]) == 3
        return capsys.readouterr().err

    foreign = tmp_path / "foreign"
    foreign.write_text("not a database " * 1000)
    assert "cannot be used" in refused(str(foreign))
    assert foreign.read_text().startswith("not a database")
    newer = tmp_path / "newer.duckdb"
    main(["trend", usual[0], "--database", str(newer)])
    capsys.readouterr()
    with duckdb.connect(str(newer)) as connection:
        connection.execute("update meta set schema = 7")
    assert "has schema 7, and this version reads 1" in refused(str(newer))
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("create table t (a integer)")
    assert "is a DuckDB file, but no database of runs" in refused(str(other))
    assert "begins with mysql: is not supported" in refused("mysql://host/runs")
    assert "cannot be used" in refused(str(foreign / "trend.duckdb"))


@pytest.mark.parametrize(
    ("package", "extra"), [("duckdb", "trend"), ("jumpavg", "trend"), ("otava.analysis", "otava")]
)
def test_without_the_extra_it_says_what_to_install(
    package: str,
    extra: str,
    database: Path,
    usual: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    method = ["--method", "otava"] if extra == "otava" else []
    assert main(["trend", *usual, "--database", str(database), *method]) == 3
    assert f"install robotframework-testerlibrary[{extra}]" in capsys.readouterr().err


def test_without_a_database_nothing_is_made(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trend", "--database", str(database)]) == 3
    assert "there is no database" in capsys.readouterr().err
    assert not database.exists()


def test_another_writer_of_the_file_is_waited_for(database: Path, usual: list[str]) -> None:
    assert main(["trend", usual[0], "--database", str(database)]) == 2
    hold = "import duckdb, sys; file = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()
        Timer(0.5, other.stdin.close).start()
        assert main(["trend", usual[1], "--database", str(database)]) == 2
    assert main(["trend", *usual[:2], "--database", str(database)]) == 2


def test_a_full_disk_is_said_and_what_was_there_stays(
    tmp_path: Path, usual: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "trend.duckdb"
    assert main(["trend", *usual[:9], "--database", str(database)]) == 0
    capsys.readouterr()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        assert main(["trend", usual[9], "--database", str(database)]) == 3
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "What it held before is still there" in capsys.readouterr().err
    assert main(["trend", "--database", str(database), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 9
