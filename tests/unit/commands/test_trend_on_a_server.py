# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester trend` on a PostgreSQL server: the same answers as with a file, and clear refusals."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import psycopg
import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.trend.baseline import find_baseline
from TesterLibrary.reporting.trend.database import open_database
from TesterLibrary.verdict import Outcome, Verdict
from tests.unit.reporting.trend import postgres
from tests.unit.reporting.trend.nights import write_night
from tests.unit.reporting.trend.test_baseline import sought

ROOT = Path(__file__).parents[3]
_NAMES = (f"runs_{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def database(server: str) -> str:
    return postgres.make_database(server, next(_NAMES))


def nights(folder: Path, count: int = 10) -> list[str]:
    random = Random(1)
    return [str(write_night(folder, night, round(random.gauss(100, 0.3), 3))) for night in range(count)]


def test_a_server_says_what_a_file_says(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = nights(tmp_path)
    worse = [str(write_night(tmp_path, 10, 97.0)), str(write_night(tmp_path, 10, 97.1, hour=3))]
    unfit = str(write_night(tmp_path, 12, 50.0, outcome="INCONCLUSIVE"))
    accepted = ["--accept", "1", "--because", "safer queue"]
    calls = [usual, [], worse[:1], worse[1:], usual[:1], accepted, [unfit], ["--version", "9"]]
    said = []
    for where in (str(tmp_path / "trend.duckdb"), database):
        statuses = [main(["trend", *call, "--database", where, "--json"]) for call in calls]
        said.append((statuses, capsys.readouterr().out))
    assert said[0][0] == [0, 0, 2, 1, 1, 2, 2, 2]
    without_time = [text.replace(_accepted_at(text), "now") for _, text in said]
    assert without_time[0] == without_time[1]
    assert said[0][0] == said[1][0]


def _accepted_at(text: str) -> str:
    """When the alarm was accepted, which is the only thing that differs."""
    return text.partition('"state": "accepted",\n              "at": "')[2][:29]


def test_its_password_is_never_printed(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trend", *nights(tmp_path, 6), "--database", database]) == 0
    said = capsys.readouterr()
    assert "6 runs in postgresql://lab:***@127.0.0.1:" in said.out
    assert "s3cret" not in said.out + said.err


def test_writers_at_the_same_time_all_land(tmp_path: Path, database: str) -> None:
    def add(record: str) -> int:
        command = [sys.executable, "-m", "TesterLibrary.commands.main", "trend", record]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [*command, "--database", database], check=False, capture_output=True, env=environment
        ).returncode

    with ThreadPoolExecutor() as several:
        statuses = list(several.map(add, nights(tmp_path, 3)))
    assert set(statuses) <= {0, 2}, "the new database was made by one of them"
    with open_database(database, make=False) as opened:
        assert [run for run, _ in opened.runs()] == ["0-2", "1-2", "2-2"]
        (series,) = opened.series()
        assert len(series.points) == 3


def test_a_writer_waits_for_another_one(tmp_path: Path, database: str) -> None:
    first, second = nights(tmp_path, 2)
    assert main(["trend", first, "--database", database]) == 2
    with ThreadPoolExecutor() as one, psycopg.connect(database) as other:
        other.execute("select pg_advisory_xact_lock(hashtext('TesterLibrary: runs'))")
        status = one.submit(main, ["trend", second, "--database", database])
        with pytest.raises(TimeoutError):
            status.result(0.5)
        other.rollback()
        assert status.result(20) == 2


def test_what_is_read_is_not_changed(tmp_path: Path, database: str) -> None:
    main(["trend", *nights(tmp_path, 1), "--database", database])
    with open_database(database, make=False) as opened, pytest.raises(Exception, match="read-only"):
        opened._do("delete from runs")


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["trend", *arguments]) == 3
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    return said.err


def test_a_database_of_another_kind_is_refused(
    tmp_path: Path, server: str, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    night = nights(tmp_path, 1)
    assert "there are no runs in postgresql://lab:***@" in _refused(capsys, "--database", database)
    main(["trend", *night, "--database", database])
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("update meta set schema = 7")
    assert "has schema 7, and this version reads 1" in _refused(capsys, *night, "--database", database)
    other = postgres.make_database(server, next(_NAMES))
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute("create table t (a integer)")
        connection.execute("create schema nightly")
    said = _refused(capsys, *night, "--database", other)
    assert "is a PostgreSQL database with other tables, but no database of runs" in said
    schema = f"{other}?options=-csearch_path%3Dnightly"
    assert main(["trend", *night, "--database", schema]) == 2


def test_a_server_that_does_not_let_us_in_is_said(
    tmp_path: Path, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    night = nights(tmp_path, 1)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        said = _refused(capsys, *night, "--database", f"postgresql://lab:s3cret@127.0.0.1:{port}/runs")
        assert f"postgresql://lab:***@127.0.0.1:{port}/runs cannot be opened" in said
        assert "Connection refused" in said
    wrong = server.replace(postgres.PASSWORD, "s3cret-but-wrong")
    said = _refused(capsys, *night, "--database", f"{wrong}/postgres")
    assert 'password authentication failed for user "lab"' in said
    assert "PGPASSWORD" in said
    assert 'database "absent" does not exist' in _refused(capsys, *night, "--database", f"{server}/absent")
    assert 'invalid URI query parameter: "colour"' in _refused(
        capsys, *night, "--database", f"{server}/runs?colour=red"
    )


def test_a_server_that_goes_away_is_said(tmp_path: Path, database: str) -> None:
    main(["trend", *nights(tmp_path, 1), "--database", database])

    def lose_it() -> None:
        others = "datname = current_database() and pid <> pg_backend_pid()"
        with open_database(database) as opened:
            with psycopg.connect(database, autocommit=True) as other:
                other.execute(
                    f"select pg_terminate_backend(pid) from pg_stat_activity where {others}".encode()
                )
            opened.runs()

    with pytest.raises(TesterLibraryError, match="cannot be used: terminating connection"):
        lose_it()
    with open_database(database) as opened:
        assert len(opened.runs()) == 1


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = _refused(capsys, *nights(tmp_path, 1), "--database", "postgresql://lab@127.0.0.1/runs")
    assert "install robotframework-testerlibrary[postgres]" in said


def test_it_is_a_baseline(tmp_path: Path, database: str) -> None:
    main(["trend", *nights(tmp_path, 6), "--database", database])
    subject = "rate of north, 512 bytes"
    wanted = replace(
        sought("Rate Is Kept", "embedded/shaper"),
        suite="Nightly.Shaper",
        device_kind="embedded",
        profile="",
        judged=Verdict(Outcome.PASS, subject, "99 Mbps", ">= 90 Mbps", least=99_000_000, most=99_000_000),
    )
    found, doubt = find_baseline(database, wanted)
    assert doubt == ""
    assert found is not None
    assert found.source == "level of 6 values"


def test_json_of_a_chosen_part(tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["trend", *nights(tmp_path, 6), "--database", database, "--size", "64", "--json"])
    assert json.loads(capsys.readouterr().out)["figures"] == []


def test_a_file_is_copied_to_a_server_and_back(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, back = str(tmp_path / "trend.duckdb"), str(tmp_path / "back.duckdb")
    worse = [str(write_night(tmp_path, 10, 97.0)), str(write_night(tmp_path, 10, 97.1, hour=3))]
    main(["trend", *nights(tmp_path), *worse, "--database", file])
    for _ in range(2):  # the second time nothing is new
        assert main(["trend", "--database", file, "--copy-to", database]) == 1
    assert main(["trend", "--database", database, "--copy-to", back]) == 1
    assert "12 runs copied from postgresql://lab:***@127.0.0.1:" in capsys.readouterr().out
    told = []
    for where in (file, database, back):
        main(["trend", "--database", where, "--json"])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] == told[2]
    assert main(["trend", "--accept", "1", "--because", "slower", "--database", back]) == 2
    assert "a published alarm is never withdrawn" in _refused(capsys, "--database", file, "--copy-to", back)
    main(["trend", str(write_night(tmp_path, 12, 99.9)), "--database", database])
    said = _refused(capsys, "--database", file, "--copy-to", database)
    assert "is not replaced: it has 1 run that the copied database has not, such as 12-2" in said
    with open_database(database, make=False) as opened:
        assert len(opened.runs()) == 13
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("update meta set schema = 7")
    assert "has schema 7, and this version reads 1" in _refused(
        capsys, "--database", file, "--copy-to", database
    )
    assert "is the database itself" in _refused(capsys, "--database", file, "--copy-to", file)
