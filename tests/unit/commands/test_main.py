# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command, run for real on suites whose device is simulated."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from TesterLibrary import commands
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
_GO = "${go} =    Evaluate    __import__('os').path.exists('go')"
TESTS = {
    "Passes": "Loss Is Below    10 %    0 %",
    "Fails": "Loss Is Below    100 %    0.001 %",
    "Is Inconclusive": "Loss Is Below    100 %    0.001 %    tester_limit=${0}",
    "Has An Error": "No Such Keyword",
    "Waits": f"{_GO}\n    IF    not ${{go}}    Sleep    30 s\n    Loss Is Below    10 %    0 %",
    "Needs A File": f"{_GO}\n    IF    not ${{go}}    No Such Keyword\n    Loss Is Below    10 %    0 %",
    "Judges Nothing": "Half A Trial",
    "Asks First": "Run Keyword And Return Status    Judge    FAIL\n    Judge    PASS",
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def suite(folder: Path, *names: str) -> Path:
    """A suite of the tests named."""
    rows = "\n".join(f"{name}\n    {TESTS[name]}" for name in names)
    path = folder / "loss.robot"
    path.write_text(f"*** Settings ***\nLibrary    {LIBRARY}\n\n*** Test Cases ***\n{rows}\n")
    return path


def certify(folder: Path, *names: str, more: tuple[str, ...] = ()) -> int:
    path = str(suite(folder, *names))
    return cli.main(["certify", "--testbed", "embedded/l2-bridge", "--suite", path, *more])


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["Passes"], 0),
        (["Passes", "Fails", "Is Inconclusive", "Has An Error"], 1),
        (["Passes", "Is Inconclusive"], 2),
        (["Passes", "Is Inconclusive", "Has An Error"], 3),
        (["Passes", "Judges Nothing"], 4),
        (["Judges Nothing", "Is Inconclusive"], 2),
        (["Is Inconclusive"], 2),
        (["Asks First"], 0),
    ],
)
def test_the_exit_status_tells_the_verdict(tmp_path: Path, names: list[str], status: int) -> None:
    assert certify(tmp_path, *names) == status


def test_the_last_lines_tell_the_verdict_of_each_test_and_where_the_report_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    certify(tmp_path, "Passes", "Fails", "Is Inconclusive", "Has An Error")
    out = capfd.readouterr().out
    assert "PASS         l2-bridge.Loss · Passes: frame loss of north, 64 bytes is 0 %" in out
    assert "FAIL         l2-bridge.Loss · Fails: frame loss of north, 64 bytes is 79.84 %" in out
    assert (
        "INCONCLUSIVE l2-bridge.Loss · Is Inconclusive: frame loss of north, 64 bytes: the tester sent 0"
        in out
    )
    assert "ERROR        l2-bridge.Loss · Has An Error: No keyword with name 'No Such Keyword' found." in out
    assert "FAIL (1 PASS, 1 FAIL, 1 INCONCLUSIVE, 1 ERROR, " in out
    assert "results/latest/certificate.html" in out


def test_all_files_are_written_and_can_be_made_again(tmp_path: Path) -> None:
    certify(tmp_path, "Passes", "Fails")
    latest = tmp_path / "results" / "latest"
    first = (latest / "certificate.html").read_bytes()
    for name in ("output.xml", "log.html", "report.html", "certificate.html"):
        (latest / name).unlink()

    cli.main(["report", str(latest)])

    assert (latest / "certificate.html").read_bytes() == first
    for name in ("output.xml", "log.html", "report.html"):
        assert (latest / name).stat().st_size > 0
    assert [r.trial.lost for r in read(latest / EVIDENCE).trials] == [0, 1_188_095]


def test_log_shows_the_trials_and_tags_the_verdict(tmp_path: Path) -> None:
    certify(tmp_path, "Fails")
    output = (tmp_path / "results" / "latest" / "output.xml").read_text()
    assert "<tag>verdict-fail</tag>" in output
    assert "tester-trials" in output
    assert "1,188,095" in output
    assert "data:image/svg+xml" in output


def test_allure_gets_the_trials(tmp_path: Path) -> None:
    pytest.importorskip("allure_robotframework")
    certify(tmp_path, "Fails")
    results = tmp_path / "results" / "latest" / "allure-results"
    (result,) = (json.loads(path.read_text()) for path in results.glob("*-result.json"))
    attached = {a["name"]: results / a["source"] for a in result["attachments"]}
    for table in ("trials", "streams"):
        (row,) = csv.DictReader(attached[f"{table}.csv"].read_text().splitlines())
        assert (row["test"], row["lost"]) == ("Fails", "1188095")
    assert attached["plot.svg"].read_text().lstrip().startswith("<?xml")
    assert {"name": "tag", "value": "verdict-fail"} in result["labels"]


def test_ctrl_c_reports_what_was_measured(tmp_path: Path) -> None:
    path = suite(tmp_path, "Passes", "Waits")
    command = [
        sys.executable,
        "-m",
        "TesterLibrary.commands.main",
        "certify",
        "--testbed",
        "l2-bridge",
        "--suite",
        str(path),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    evidence = tmp_path / "results" / "latest" / EVIDENCE
    give_up = time.monotonic() + 120
    while not (evidence / "tests.jsonl").exists() and time.monotonic() < give_up:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)

    assert process.returncode == cli.STATUS["ERROR"]
    assert "Interrupted" in out
    assert [t.outcome for t in read(evidence).tests] == ["PASS", "ERROR"]
    assert (tmp_path / "results" / "latest" / "certificate.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--profile", "quickest"],
            "'quickest' does not come with the library; these do: data-center, full, mlrsearch, mu",
        ),
        (["--testbed", "l2-bride"], "did you mean 'l2-bridge'?"),
        (["--suite", "nowhere.robot"], "there is no suite nowhere.robot"),
        (["--criteria", "my.yaml"], "there is no file my.yaml"),
        (
            ["--criteria", "/tmp"],
            "criteria: /tmp is a folder; give a file with bounds. Shipped are those of emb",
        ),
        (
            ["--size", "64", "--size", "jumbo"],
            "'jumbo' is no frame size; write 1518, imix, or 64-1518/128 for each 128 bytes",
        ),
        (["--size", "512", "--test", "Nothing"], "there is no test with test Nothing in "),
        (["--size", "512", "--test", "Nothing"], "; the names there are 64 Bytes, 128 Bytes, "),
        (["--include", "rfc2544", "--include", "rfc9999"], "there is no test with include rfc9999 in "),
        (["--resume", "results", "--profile", "full"], "--resume goes on with the run as it was begun"),
        (["--resume", "results"], "results is no run of tester certify"),
        (["--testbed", "embedded/l2-bridge", "--testbed", "l2-bridge"], "two testbeds have the same name"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert cli.main(["certify", *arguments]) == 64
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["certify", "--no-such-option"], ["certify", "--profile"], ["certfy"], [], ["report"]]
)
def test_a_wrong_command_line_has_a_status_of_its_own(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 64
    assert ended.value.code not in cli.STATUS.values()
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["certfy"],
            "tester: error: argument COMMAND: invalid choice: 'certfy' (did you mean 'certify'?); choose",
        ),
        (
            ["report", "--pdff", "DIR"],
            "tester report: error: unrecognized arguments: --pdff (did you mean '--pdf'?)",
        ),
        (["run", "job.yaml", "--ouput=out"], "(did you mean '--output'?)"),
        (["p4", "biuld"], "(did you mean 'build'?)"),
        (["run", "job.yaml", "another"], "tester run: error: unrecognized arguments: another\n"),
    ],
)
def test_a_misspelt_word_has_a_suggestion(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    with pytest.raises(SystemExit):
        cli.main(arguments)
    assert told in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("tester ")


@pytest.mark.parametrize("command", ["certify", "report", ""])
def test_help_tells_the_exit_statuses(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*filter(None, [command]), "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "exit status:" in out
    assert "64" in out
    if command == "certify":
        assert all(f"{status}  " in out for status in cli.STATUS.values())


def test_each_file_beside_it_is_the_subcommand_of_its_name() -> None:
    files = {path.stem for path in Path(commands.__path__[0]).glob("[!_]*.py")} - {"main"}
    code = "from TesterLibrary.commands import main, _command; main._parser(); "
    code += "print(*(known.name for known in _command.registered))"
    assert sorted(in_python(code).split()) == sorted(files)


def test_help_loads_nothing_that_takes_long() -> None:
    code = "import sys; from TesterLibrary.commands import main; main._parser(); print(*sys.modules)"
    slow = {"grpc", "google.protobuf", "matplotlib", "numpy", "pyroute2", "scapy", "z3"}
    assert slow.isdisjoint(in_python(code).split())


def in_python(code: str) -> str:
    """The output of a program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_the_report_of_what_was_caught_says_the_same_again(tmp_path: Path) -> None:
    assert certify(tmp_path, "Asks First") == 0
    latest = tmp_path / "results" / "latest"
    first = (latest / "certificate.html").read_text()
    assert "1 verdict does not count, because Run Keyword And Return Status caught its failure" in first
    cli.main(["report", str(latest)])
    assert (latest / "certificate.html").read_text() == first


def test_a_certificate_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certify(tmp_path, "Passes")
    latest = (tmp_path / "results" / "latest").resolve()
    (latest / "certificate.html").unlink()
    (latest / "certificate.html").mkdir()
    assert cli.main(["report", str(latest)]) == 3
    assert f"{latest}/certificate.html could not be written: Is a directory" in capsys.readouterr().err


def test_a_folder_with_something_in_it_is_not_written_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    assert certify(tmp_path, "Passes", more=("--output", "mine")) == 64
    assert capsys.readouterr().err.endswith("mine is not empty; give another --output\n")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    (tmp_path / "mine" / "evidence").mkdir()
    assert certify(tmp_path, "Passes", more=("--output", "mine")) == 64
    assert "; --resume goes on with the run that is there" in capsys.readouterr().err


def test_no_evidence_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", str(tmp_path)]) == 3
    assert "holds no run.json" in capsys.readouterr().err


def test_info_and_testbeds_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info"]) == 0
    assert cli.main(["testbed", "list"]) == 0
    out = capsys.readouterr().out
    assert "processors" in out
    assert "embedded/l2-bridge" in out
    assert "embedded/l3-router" in out


def test_robot_alone_writes_the_same_evidence(tmp_path: Path) -> None:
    """Without the command there is no agenda, and a second run does not mix with the first."""
    path = suite(tmp_path, "Passes")
    for _ in range(2):
        command = [sys.executable, "-m", "robot", "--outputdir", "out", str(path)]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout
    assert len(read(tmp_path / "out" / EVIDENCE).trials) == 1
    assert len([p for p in (tmp_path / "out").iterdir() if p.name.startswith("evidence-")]) == 1


def test_a_run_of_robot_alone_has_a_report_without_allure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is missing: robot records nothing for Allure."""
    command = [sys.executable, "-m", "robot", "--outputdir", "out", str(suite(tmp_path, "Passes"))]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert cli.main(["report", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "no Allure report: robot records nothing for it" in said.out
    assert (said.err, (tmp_path / "out" / "certificate.html").is_file()) == ("", True)


@pytest.mark.parametrize("arguments", [["report", "nope"], ["compare", "nope", "."], ["watch", "nope"]])
def test_a_folder_that_is_not_there_is_named(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 3
    assert "there is no folder nope; give that of a run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (OSError(28, "No space left on device"), "tester: [Errno 28] No space"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_a_fault_is_an_error_and_never_the_fail_of_a_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: Exception, said: str
) -> None:
    """Python's own status of a traceback is 1, as is that of a FAIL."""

    class Faulty:
        def parse_known_args(self, _: object) -> tuple[object, list[str]]:
            return Mock(run=Mock(side_effect=fault), status_fd=None), []

    monkeypatch.setattr(cli, "_parser", Faulty)
    assert cli.main([]) == 3
    assert said in capsys.readouterr().err


def test_otg_without_its_extra_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("serving", "http"):
        monkeypatch.delitem(sys.modules, f"TesterLibrary.service.otg.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert cli.main(["otg", "simulated/queue"]) == 3
    said = capsys.readouterr().err
    assert "tester otg needs orjson: install robotframework-testerlibrary[otg]" in said


def test_otg_at_a_port_that_is_taken_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        given = ["otg", "simulated/queue", "--http", "0", "--grpc", str(port), "--results", str(tmp_path)]
        assert cli.main(given) == 3
    assert f"127.0.0.1:{port} cannot be had: Address already in use; end what" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_help_of_testbed_says_what_its_actions_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["testbed", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "list those that come with the library, and those that are open now" in said
    assert "clean end testbeds of killed runs, remove their folders, and restore interfaces" in said
