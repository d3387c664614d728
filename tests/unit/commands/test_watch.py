# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester watch`, and `--live` of the commands that run something."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.service.web.server import listen
from tests.unit.reporting.golden import record_run

from .test_main import suite

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def address(process: subprocess.Popen[str]) -> str:
    """The address that a command prints."""
    assert process.stdout is not None
    return next(found[0] for line in process.stdout if (found := re.search(r"http://\S+/", line)))


def told_until(url: str, wanted: str) -> list[dict[str, object]]:
    """The messages to a page, up to one of this type."""
    found: list[dict[str, object]] = []
    with urlopen(f"{url}events", timeout=60) as events:
        for line in events:
            if line.startswith(b"data: ["):
                found += json.loads(line.removeprefix(b"data: "))
            if any(message["type"] == wanted for message in found):
                return found
    raise AssertionError(f"no {wanted} among {found}")


@pytest.mark.parametrize("named", ["run", "run/evidence"])
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_run_is_served_until_ctrl_c(tmp_path: Path, named: str, end: int) -> None:
    record_run(tmp_path / "run" / EVIDENCE)
    with start("watch", str(tmp_path / named)) as process:
        url = address(process)
        with urlopen(url, timeout=60) as page:
            assert b"<title>Run</title>" in page.read()
        assert {"run", "trial", "verdict", "test"} <= {str(m["type"]) for m in told_until(url, "reports")}
        process.send_signal(end)
        assert process.wait(60) == 0


def test_live_serves_the_run_while_it_goes_on_and_ends_with_it(tmp_path: Path) -> None:
    path = suite(tmp_path, "Passes", "Waits")
    with start(
        "certify", "--testbed", "l2-bridge", "--suite", str(path), "--output", "out", "--live"
    ) as process:
        url = address(process)
        told = told_until(url, "test")
        assert [message["outcome"] for message in told if message["type"] == "test"] == ["PASS"]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == cli.STATUS["ERROR"]
    with pytest.raises(OSError, match="refused"):
        urlopen(url, timeout=10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "there is no folder nowhere; give that of a run"),
        ([], "there is no folder results/latest; give that of a run"),
        (["empty"], "empty is no run: its folder 'evidence' has no run.json"),
        (
            ["run", "--address", "localhost"],
            "--address 'localhost' is no address; give one such",
        ),
        (["run", "--address", "192.0.2.1"], "of 192.0.2.1 cannot be served"),
    ],
)
def test_what_cannot_be_served_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "empty" / EVIDENCE).mkdir(parents=True)
    record_run(tmp_path / "run" / EVIDENCE)
    assert cli.main(["watch", *arguments]) == 3
    assert message in capsys.readouterr().err


def test_a_port_in_use_is_said_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite(tmp_path, "Passes")
    before = sorted(tmp_path.iterdir())
    with listen(0) as taken:
        number = taken.getsockname()[1]
        arguments = ["--testbed", "l2-bridge", "--suite", str(path)]
        assert cli.main(["certify", *arguments, f"--live={number}"]) == 3
    assert f"port {number} of 127.0.0.1 cannot be served" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("number", ["65536", "-1", "http", ""])
@pytest.mark.parametrize(
    "arguments", [["watch", "run", "--port"], ["certify", "--live"], ["run", "x.yaml", "--live"]]
)
def test_what_is_no_port_is_a_wrong_command_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], number: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments[:-1], f"{arguments[-1]}={number}"])
    assert ended.value.code == 64
    assert f"{number!r} is no port; give 0 to 65535" in capsys.readouterr().err
