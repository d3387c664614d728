# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on four testers over Ray goes on though a tester, a worker and the head die; `tox -e fleet`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.campaign import engines, has_begun, in_folder, left, parent, robot_of, said, start, survives
from tests.unit.commands.fleets import campaign, night, outcomes, ran
from tests.unit.service.served import until

pytest.importorskip("ray", reason="tox -e fleet installs it")

TESTERS = "".join(f"  t{n}: {{testbeds: [{'broken' if n == 1 else 'bed'}.yaml]}}\n" for n in range(1, 5))
SUITES = tuple("abcdef")
PATIENCE_S = 90.0


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0123456789abcdef" * 4)
    with in_folder(tmp_path, monkeypatch):
        yield


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
    head = start("campaign", file)
    until(lambda: robot_of("c") and has_begun("bed.C on bed"), PATIENCE_S)
    (tmp_path / "go-c").touch()
    os.kill(parent(robot_of("c")), signal.SIGKILL)  # the worker
    until(lambda: has_begun(*(f"bed.{name} on bed" for name in "ABCDEF")), PATIENCE_S)
    until(lambda: _over() == set("ABCDE"), PATIENCE_S)
    head.kill()
    head.wait()
    until(lambda: not left(tmp_path), PATIENCE_S)
    (tmp_path / "go-f").touch()
    assert start("campaign", file, "--resume").wait(120) == 0, said()

    assert outcomes() == [f"bed.{name}/{test} PASS" for name in "ABCDEF" for test in ("First", "Second")]
    assert [verdict.number for verdict in night().verdicts] == list(range(1, 13))
    assert Counter(ran(tmp_path)) - Counter({"bed.C on bed": 2, "bed.F on bed": 2}) == Counter(
        [*(f"bed.{name} on bed" for name in "ABDE"), *(each for each in ran(tmp_path) if "broken" in each)]
    )
    told = said()
    assert "t1 has not finished it: no tester answers at unix:/run/north" in told
    assert "has not finished it: its worker died" in told
    reasons = {
        event.facts["reason"].partition(":")[0] for event in night().events if event.event == "run_again"
    }
    assert reasons == {"no tester answers at unix", "its worker died"}


def test_a_campaign_on_real_engines_survives_the_same(tmp_path: Path) -> None:
    with engines(tmp_path) as fleet:
        survives(fleet, "campaign")


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
    head = start("campaign", file)
    came_home = tmp_path / "night" / "cells" / "0001-bed.A" / "1" / "evidence" / "tests.jsonl"
    until(lambda: robot_of("a") and has_begun("bed.A on bed") and came_home.exists(), PATIENCE_S)
    head.send_signal(signal.SIGINT)
    assert head.wait(60) == 3
    until(lambda: not left(tmp_path), 20)
    assert f"Go on: tester campaign {file} --resume" in said()
    assert outcomes()[0] == "bed.A/First PASS"


def test_testers_that_no_machine_has_are_named_before_anything_is_run(tmp_path: Path) -> None:
    file = campaign(tmp_path, TESTERS, suites=("a",))
    port = "26379"
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}"]
    options = ["--node-ip-address=127.0.0.1", "--include-dashboard=false", '--resources={"tester:t1": 1}']
    with subprocess.Popen([*ray, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as cluster:
        try:
            address = f"127.0.0.1:{port}"
            until(
                lambda: start("campaign", file, "--address", address).wait(60) == 3 and MISSING in said(),
                PATIENCE_S,
            )
            assert f"ray start --address=127.0.0.1:{port} --resources='" in said()
            assert not Path("night", "cells", "0001-bed.A").exists()
        finally:
            cluster.terminate()


MISSING = "no machine of the Ray cluster has the testers t2, t3, t4; start Ray where they are reached"
