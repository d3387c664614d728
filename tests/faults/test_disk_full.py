# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A disk without room: nobody is told of something that was not kept, and what comes next works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from tests.contract.leased_client import TESTBED
from tests.unit.service.served import JOB, PLACES, Served, until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")


@contextmanager
def small_disk(at: Path, kib: int) -> Iterator[Path]:
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(at)], check=True)
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)


def fill(disk: Path) -> Path:
    """Takes all room that is left."""
    file = disk / "ballast"
    with file.open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4096))
        except OSError:
            return file


def run(folder: Path, output: Path) -> subprocess.CompletedProcess[str]:
    job = folder / "job.yaml"
    job.write_text(JOB)
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "run", str(job)]
    more = ["--testbed", "simulated/breakpoint", "--output", str(output)]
    return subprocess.run([*command, *more], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "kib", [pytest.param(32, marks=pytest.mark.long), pytest.param(120, marks=pytest.mark.long), 300]
)
def test_a_run_whose_disk_is_full_says_so(tmp_path: Path, kib: int) -> None:
    """At its begin, in the middle, and where the trials were kept but the reports have no room."""
    with small_disk(tmp_path / "small", kib) as disk:
        done = run(tmp_path, disk / "run")
        said = done.stdout + done.stderr
        assert done.returncode == 3, said
        assert "No space left on device" in said
        assert "Traceback" not in said


_CAPTURING = """
*** Settings ***
Library           TesterLibrary    testbed=${TESTBED}
Library           OperatingSystem
Suite Setup       Open Tester
Suite Teardown    Close Tester
*** Test Cases ***
Fills The Disk
    Start Capture    all
    Send For A Moment
    Stop Capture    all
Works Again
    Remove File    ${BALLAST}
    Send For A Moment
*** Keywords ***
Send For A Moment
    Create Stream    north    tx=p1    rx=p2    frame_size=1518    rate=2 kpps
    Measure Loss    duration=0.5 s
    Verify Loss Below    0
"""


@pytest.mark.long
def test_a_capture_that_has_no_room_is_an_error_and_the_next_test_runs(
    engine: EngineProcess, tmp_path: Path
) -> None:
    (tmp_path / "testbed.yaml").write_text(TESTBED.format(address=engine.address))
    suite = tmp_path / "capturing.robot"
    suite.write_text(_CAPTURING)
    with small_disk(tmp_path / "small", 1500) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(300 << 10))
        variables = {"TESTBED": str(tmp_path / "testbed.yaml"), "BALLAST": str(ballast)}
        words = [text for name, value in variables.items() for text in ("--variable", f"{name}:{value}")]
        command = [
            sys.executable,
            "-m",
            "robot",
            "--outputdir",
            str(disk),
            "--log",
            "NONE",
            "--report",
            "NONE",
        ]
        done = subprocess.run([*command, *words, str(suite)], capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        lines = [json.loads(line) for line in (disk / "evidence" / "tests.jsonl").read_text().splitlines()]
        assert [(line["test"], line["outcome"]) for line in lines] == [
            ("Fills The Disk", "ERROR"),
            ("Works Again", "PASS"),
        ], said
        assert "No space left on device" in said
        assert not [path for path in disk.rglob("*.pcapng*") if path.stat().st_size], "half a file was left"
    with closing(EngineTarget.connect(engine.address)) as direct:
        assert direct.leases.holder() is None
        assert direct.snapshot().captures == ()


def test_a_service_whose_disk_is_full_promises_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 1024) as disk:
        service = Served(tmp_path, PLACES, database=str(disk / "service.sqlite"))
        for name, role in (("alice", "user"), ("bob", "user"), ("root", "admin")):
            service.add(name, role)
        service.start()
        try:
            alice, bob = service.user("alice"), service.user("bob")
            hers = alice.acquire("north")
            ballast = fill(disk)
            said = bob.error("POST", "/v1/leases", 503, json={"place": "south"})
            assert "the database of the service cannot be written" in said
            assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["state"] == "acquired"
            ballast.unlink()
            until(lambda: bob.session.get(f"{service.url}/v1/health", timeout=30).status_code == 200)
            assert bob.get("/v1/places/south")["owner"] == ""
            assert bob.acquire("south")["state"] == "acquired"
            assert alice.release(hers)["state"] == "released"
        finally:
            service.close()
