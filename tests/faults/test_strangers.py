# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A user of the service tries to reach files of its machine by suites that come with the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.program import find_program
from tests.unit.service.served import JOB, Served

PLACES = "\n  hosts: {testbed: embedded/path-hosts, check: none}\n"
SUITE = "*** Test Cases ***\nRuns\n    Evaluate    __import__('pathlib').Path('MARK').touch()\n"
# Says what the service answers to another account of the machine.
STRANGER = """
import encodings.idna, os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as service:
    service.sendall(b"GET /v1/places HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
    print(b"".join(iter(lambda: service.recv(65536), b"")).decode())
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "suites").mkdir()
    service = Served(tmp_path, PLACES, more="suites: [suites]\n")
    for name, role in (("alice", "user"), ("root", "admin")):
        service.add(name, role)
    service.start()
    with closing(service):
        yield service


def campaign(url: str) -> str:
    return (
        "version: 1\nsuites: [inline/tcp_loss.robot]\ntests: [Nothing Is Lost]\n"
        f"variables: {{URL: {json.dumps(url)}}}\n"
    )


def test_a_text_of_a_campaign_is_no_option_of_a_program(service: Served, tmp_path: Path) -> None:
    """Behind the check of submissions curl takes it as one URL, on a host without the machine's files."""
    find_program()
    alice = service.user("alice")
    lease = alice.acquire("hosts")
    (tmp_path / "canary").write_text("a secret\n")
    options = f"--next --proto-default file --output {tmp_path}/stolen localhost{tmp_path}/canary"
    for url in (f"http://198.18.1.3/1kB {options}", f"file://{tmp_path}/canary"):
        assert "names a file of the server" in alice.submit(lease, campaign(url), 422)["error"]
    job = alice.ended(alice.submit(lease, campaign("http://198.18.1.3/1kB --output stolen")))
    assert job["outcome"] == "ERROR", job
    job = alice.ended(alice.submit(lease, campaign("http://198.18.1.3/100kB")))
    assert job["outcome"] in ("PASS", "INCONCLUSIVE"), job  # it was taken; the machine may be busy
    assert list(tmp_path.rglob("stolen")) == []


def test_a_job_file_that_is_a_suite_as_well_is_not_run(service: Served, tmp_path: Path) -> None:
    alice = service.user("alice")
    lease = alice.acquire("hosts")
    suite = json.dumps(SUITE.replace("MARK", str(tmp_path / "mark")))
    text = JOB.replace("rate: 20 %", f"rate: 20 %, payload: {{kind: text, content: {suite}}}")
    job = alice.submit(lease, text)
    alice.ask("DELETE", f"/v1/jobs/{job['id']}")
    kept = tmp_path / "service" / "jobs" / job["id"] / "job.yaml"
    assert kept.is_file()
    (tmp_path / "suites" / "own.robot").symlink_to(kept)
    for name in (f"jobs/{job['id']}/job.yaml", "job.yaml", "own.robot", "own"):
        refused = alice.submit(lease, f"version: 1\nsuites: [{name}]\n", 422)["error"]
        assert f"there is no '{name}' here" in refused or "job.yaml" in name
    assert not (tmp_path / "mark").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another account")
def test_another_account_of_the_machine_is_no_admin(tmp_path: Path) -> None:
    service = Served(tmp_path, PLACES)
    service.start()
    with closing(service):
        said = subprocess.run(
            [sys.executable, "-c", STRANGER, service.url.rpartition(":")[2]],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert said.startswith("HTTP/1.1 403 ")
        assert "may not use this service: it has no users" in said
