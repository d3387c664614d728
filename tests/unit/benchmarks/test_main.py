# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command: what it runs, what it writes, how it ends. The benchmarks are of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.harness.frame import frame
from benchmarks.harness.outcome import Impossible, Outcome, Run, at_least
from benchmarks.harness.registry import Benchmark, Settings, load


def good(settings: Settings) -> Outcome:
    return Outcome(tuple(Run(settings.seconds, 1.0, 0.0) for _ in range(settings.runs)), "peer")


def impossible(_: Settings) -> Outcome:
    raise Impossible("no such program; install the package x")


def interrupted(_: Settings) -> Outcome:
    raise KeyboardInterrupt


@pytest.fixture
def run(monkeypatch, tmp_path):
    known = {
        f.__name__: Benchmark(f.__name__, "Mpps", at_least(1.0), "of this test", f)
        for f in (good, impossible, interrupted)
    }
    monkeypatch.setattr(command, "load", lambda _: known)
    monkeypatch.setattr(command.signal, "signal", lambda *_: None)
    path = tmp_path / "summary.json"

    def go(*arguments: str) -> tuple[int, dict]:
        status = command.main(["--output", str(path), *arguments])
        return status, json.loads(path.read_text()) if path.exists() else {}

    return go


def test_every_file_registers_a_benchmark_of_its_name():
    files = {path.stem for path in Path(command.__file__).parent.glob("[!_]*.py")}
    assert set(load("benchmarks")) == files
    assert "generate_fixed_64" in files
    assert all(each.description for each in load("benchmarks").values())


def test_settings_reach_the_benchmark(run):
    status, summary = run("--only", "good", "--runs", "2", "--seconds", "0.5")
    assert status == 0
    assert [each["value"] for each in summary["good"]["runs"]] == [0.5, 0.5]


def test_a_missed_bound_is_a_result_not_a_failure(run, capsys):
    status, _ = run("--only", "good", "--seconds", "0.5")
    assert status == 0
    assert "MISSED" in capsys.readouterr().out


def test_one_that_cannot_be_run_is_reported_and_the_others_run(run):
    status, summary = run("--only", "impossible", "--only", "good")
    assert status == 1
    assert summary["impossible"]["error"] == "Impossible: no such program; install the package x"
    assert summary["impossible"]["value"] is None
    assert summary["good"]["value"] == Settings().seconds


def test_after_an_interruption_what_was_finished_is_there(run):
    status, summary = run("--only", "good", "--only", "interrupted")
    assert status == 130
    assert list(summary) == ["good"]


def test_list_runs_nothing(run, capsys):
    status, summary = run("--list")
    assert (status, summary) == (0, {})
    assert capsys.readouterr().out.splitlines()[0].startswith("good ")


@pytest.mark.parametrize(
    "arguments",
    [["--runs", "0"], ["--runs", "x"], ["--seconds", "0"], ["--seconds", "nan"], ["--only", "none"]],
)
def test_wrong_arguments(run, arguments):
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2


def test_all_sides_send_64_bytes_with_fcs():
    assert len(frame()) + 4 == 64
