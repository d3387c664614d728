# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on four testers over Ray goes on though a tester, a worker and the head die; `tox -e fleet`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.commands.fleets import campaign, night, outcomes, ran

pytest.importorskip("ray", reason="tox -e fleet installs it")

ROOT = Path(__file__).parents[2]
TESTERS = "".join(f"  t{n}: {{testbeds: [{'broken' if n == 1 else 'bed'}.yaml]}}\n" for n in range(1, 5))
SUITES = tuple("abcdef")
MARK = "TESTER_TEST_FOLDER"  # in the environment of all processes of a test


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0123456789abcdef" * 4)
    monkeypatch.setenv(MARK, str(tmp_path))
    yield
    until(lambda: not left(tmp_path))


def left(folder: Path) -> list[int]:
    """The processes of a test, Ray's own included, whoever their parent is."""
    return processes(f"{MARK}={folder}", "environ")


def processes(text: str, where: str = "cmdline") -> list[int]:
    """The processes with a text in their command line, or in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and text in (folder / where).read_text().replace("\0", " "):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def until(holds: Callable[[], object], patience_s: float = 90.0) -> None:
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def start(file: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "campaign", file, *more]
    with Path("said").open("a") as said:
        return subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, text=True)


def robot_of(suite: str) -> int:
    """The process of Robot that runs a suite."""
    found = [pid for pid in processes(f"/{suite}.robot") if "-m robot" in _line(pid)]
    return found[0] if found else 0


def _line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def parent(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def hanging(folder: Path, suite: str, file: str) -> None:
    """Lets the second test of a suite wait until it is killed, as long as a file is not there."""
    path = folder / f"{suite}.robot"
    wait = f"    ${{go}} =    Evaluate    __import__('os').path.exists('{folder}/{file}')\n"
    wait += "    IF    not ${go}    Sleep    300 s\n"
    path.write_text(path.read_text().replace("    Judge    ${OUTCOME}", f"{wait}    Judge    ${{OUTCOME}}"))


def test_a_campaign_survives_the_death_of_a_tester_a_worker_and_the_head(tmp_path: Path) -> None:
    file = campaign(tmp_path, TESTERS, suites=SUITES)
    hanging(tmp_path, "c", "go-c")
    hanging(tmp_path, "f", "go-f")
    head = start(file)
    until(lambda: robot_of("c") and "bed.C on bed" in _ran(tmp_path))
    (tmp_path / "go-c").touch()
    os.kill(parent(robot_of("c")), signal.SIGKILL)  # the worker
    until(lambda: all(f"bed.{name} on bed" in _ran(tmp_path) for name in "ABCDEF"))
    until(lambda: _over() == set("ABCDE"))
    head.kill()
    head.wait()
    until(lambda: not left(tmp_path))
    (tmp_path / "go-f").touch()
    assert start(file, "--resume").wait(120) == 0, _said()

    assert outcomes() == [f"bed.{name}/{test} PASS" for name in "ABCDEF" for test in ("First", "Second")]
    assert [verdict.number for verdict in night().verdicts] == list(range(1, 13))
    assert Counter(ran(tmp_path)) - Counter({"bed.C on bed": 2, "bed.F on bed": 2}) == Counter(
        [*(f"bed.{name} on bed" for name in "ABDE"), *(each for each in ran(tmp_path) if "broken" in each)]
    )
    said = _said()
    assert "t1 has not finished it: no tester answers at unix:/run/north" in said
    assert "has not finished it: its worker died" in said
    reasons = {
        event.facts["reason"].partition(":")[0] for event in night().events if event.event == "run_again"
    }
    assert reasons == {"no tester answers at unix", "its worker died"}


def _ran(folder: Path) -> list[str]:
    return ran(folder) if (folder / "ran").exists() else []


def _over() -> set[str]:
    """The suites that came to their end."""
    found = set()
    for path in Path("night", "cells").glob("*/*/attempt.json"):
        attempt = json.loads(path.read_text())
        if attempt["ended_at"] and not attempt["fault"]:
            found.add(path.parts[2].rpartition(".")[2])
    return found


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    file = campaign(tmp_path, TESTERS.partition("\n")[2], suites=("a",))
    hanging(tmp_path, "a", "never")
    head = start(file)
    until(lambda: robot_of("a") and _ran(tmp_path))
    head.send_signal(signal.SIGINT)
    assert head.wait(60) == 3
    until(lambda: not left(tmp_path), 20)
    assert f"Go on: tester campaign {file} --resume" in _said()
    assert outcomes()[0] == "bed.A/First PASS"


def test_testers_that_no_machine_has_are_named_before_anything_is_run(tmp_path: Path) -> None:
    file = campaign(tmp_path, TESTERS, suites=("a",))
    port = "26379"
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}"]
    options = ["--node-ip-address=127.0.0.1", "--include-dashboard=false", '--resources={"tester:t1": 1}']
    with subprocess.Popen([*ray, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as cluster:
        try:
            until(lambda: start(file, "--address", f"127.0.0.1:{port}").wait(60) == 3 and MISSING in _said())
            assert f"ray start --address=127.0.0.1:{port} --resources='" in _said()
            assert not Path("night", "cells", "0001-bed.A").exists()
        finally:
            cluster.terminate()


MISSING = "no machine of the Ray cluster has the testers t2, t3, t4; start Ray where they are reached"


def _said() -> str:
    return Path("said").read_text()
