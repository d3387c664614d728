# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of the service: run, looked at, cancelled, refused, and what becomes of them with their lease."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from TesterLibrary.service import runs
from TesterLibrary.service.config import JOBS
from TesterLibrary.service.job import Job
from TesterLibrary.service.jobs import Jobs
from TesterLibrary.service.ledger import Caller, Work
from TesterLibrary.service.refusal import Misfit, Wrong
from TesterLibrary.service.submission import Submission
from TesterLibrary.service.user import Role

from .served import JOB, PLACES, Served, User, served, until

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}
Library    OperatingSystem
*** Test Cases ***
First
    Judge    PASS
Second
    Wait Until Created    GO    timeout=100 s
    Judge    PASS
"""
CAMPAIGN = "version: 1\ntitle: Night\nsuites: [waiting.robot]\nprofile: mine\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("service")
    suites = folder / "suites"
    suites.mkdir()
    (suites / "waiting.robot").write_text(SUITE.replace("GO", str(folder / "go")))
    (suites / "mine.yaml").write_text("PROFILE: {version: 1, name: mine}\n")
    with served(folder, PLACES, more="suites: [suites]") as service:
        yield service


@pytest.fixture
def alice(service: Served) -> Iterator[User]:
    alice = service.user("alice")
    yield alice
    for lease in service.user("alice").get("/v1/leases"):
        service.user("alice").release(lease)


def processes(job: dict[str, Any]) -> list[str]:
    """The processes of a job."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if f"TESTER_JOB={job['id']}".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_a_file_that_goes_while_files_are_listed_is_left_out(tmp_path: Path) -> None:
    """A run that goes on replaces files."""
    for name in "ab":
        (tmp_path / name).touch()
    listed = runs.files(tmp_path)
    assert next(listed) == ("a", 0)
    (tmp_path / "b").unlink()
    assert list(listed) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[1]", "it is no JSON object"),
        (b'{"a": "\\ud800"}', "unexpected end of hex escape"),
        (b'{"a": ' + b"[" * 100_000, "recursion limit exceeded"),
        (b"9" * 100, "it has no end within 64 bytes"),
    ],
)
def test_a_record_that_a_suite_has_forged_is_named(
    line: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was 500, and a line without end filled the memory of the service."""
    if line[0] == ord("9"):
        monkeypatch.setattr(runs, "_LONGEST_RECORD", 64)
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "trials.jsonl").write_bytes(b"{}\n" + line + b"\n")
    assert runs.records(tmp_path, "trials", 0, 1) == ([{}], 1)
    with pytest.raises(Wrong, match=f"record 2 of trials cannot be read: .*{said}"):
        runs.records(tmp_path, "trials", 1, 10)


def test_a_file_whose_name_is_no_text_is_left_out(tmp_path: Path) -> None:
    """It has no path of a URL, and the list of files with it was 500."""
    for name in (b"a", b"\xff"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    assert list(runs.files(tmp_path)) == [("a", 0)]


def test_a_job_file_is_run_and_what_it_measured_is_served(service: Served, alice: User) -> None:
    lease = alice.acquire("north", ttl_s=600)
    job = alice.ended(alice.submit(lease))
    assert (job["state"], job["outcome"], job["status"], job["kind"]) == ("ended", "PASS", 0, "streams")
    path = f"/v1/jobs/{job['id']}"
    assert "PASS: frame loss of north, 512 bytes is 0 %" in alice.get(f"{path}/log")
    assert alice.get(f"{path}/log?offset=100000") == ""
    assert alice.get(f"{path}/log?offset={2**53}") == ""
    page = alice.get(f"{path}/records/trials")
    (trial,) = page["records"]
    assert trial["derived"]["lost"] == 0
    assert alice.get(f"{path}/records/trials?after={page['next']}")["records"] == []
    assert "there are no 'x'; there are trials" in alice.error("GET", f"{path}/records/x", 404)
    files = {file["path"]: file["bytes"] for file in service.user("looker").get(f"{path}/reports")}
    assert {"certificate.html", "log.html", "evidence/trials.jsonl"} <= set(files)
    assert len(alice.get(f"{path}/reports/certificate.html").encode()) == files["certificate.html"]
    assert f'href="{path}/reports/certificate.html"' in alice.get("/")
    _nothing_else_is_served(service, alice, path)
    _the_live_page_is_there(alice, path)
    assert processes(job) == []


def _nothing_else_is_served(service: Served, alice: User, path: str) -> None:
    run = service.folder / "service" / path.removeprefix("/v1/") / "run"
    (run / "link").symlink_to("/etc/passwd")
    (run / "folder").symlink_to("/etc")
    os.mkfifo(run / "pipe")
    for name in (
        "../job.yaml",
        "%2e%2e/job.yaml",
        "..%2Fjob.yaml",
        "%2Fetc%2Fpasswd",
        "link",
        "folder/passwd",
        "pipe",
        "evidence",
        "",
        "a%00b",
    ):
        # As it is written: `requests` would make `..` of a path short itself.
        request = alice.session.prepare_request(_get(alice, f"{path}/reports/x"))
        request.url = f"{alice.url}{path}/reports/{name}"
        answer = alice.session.send(request, timeout=30)
        assert answer.status_code == 404, name
    assert "link" not in {file["path"] for file in alice.get(f"{path}/reports")}


def _get(user: User, path: str) -> Any:
    import requests

    return requests.Request("GET", f"{user.url}{path}", headers={"Authorization": f"Bearer {user.token}"})


def _the_live_page_is_there(alice: User, path: str) -> None:
    page = alice.get(f"{path}/live")  # leads to live/
    for part in re.findall(r'(?:href|src)="([^":]+)"', page):
        assert alice.get(f"{path}/live/{part}")
    assert "<html" in alice.get(f"{path}/live/certificate.html")
    answer = alice.session.send(
        alice.session.prepare_request(_get(alice, f"{path}/live/events")), stream=True, timeout=30
    )
    told = b""
    for piece in answer.iter_content(None):
        told += piece
        if b'"type":"verdict"' in told:
            break
    answer.close()
    alice.error("GET", f"{path}/live/..%2Fjob.yaml", 404)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", "job.yaml:1: give the YAML of a campaign or of a job file: a mapping"),
        ("a: [", "job.yaml:1: not YAML"),
        (
            "version: 1\nsuites: [/etc/x.robot]\n",
            "job.yaml:2: suites[0]: '/etc/x.robot' names a file of the server",
        ),
        (
            "version: 1\nsuites: [rfc2544/../../x]\n",
            "suites[0]: 'rfc2544/../../x' names a file of the server",
        ),
        ("version: 1\ncriteria: ~root/x.yaml\n", "criteria: '~root/x.yaml' names a file of the server"),
        (
            "version: 1\nsuites: [nothing]\n",
            "suites[0]: there is no 'nothing' here; there are apps, data_center, inline, job, meas",
        ),
        ("version: 1\noutput: here\n", "output: is the server's own; leave it out"),
        (
            "version: 1\ntestbeds: [two-nics]\n",
            "testbeds[0]: 'two-nics' is not the place that is leased, 'north'",
        ),
        (JOB + "testbed: two-nics\n", "testbed: 'two-nics' is not the place that is leased, 'north'"),
        (JOB.replace("20 %", "20 x"), "job.yaml:7: streams[0].rate: '20 x' is not a rate"),
        (JOB.replace("rx: p2", "rx: p9"), "stream 'north': rx='p9' is no port"),
        (
            JOB.replace("rate: 20 %", "replay: {file: ../../x.pcap}"),
            "streams[0].replay.file: '../../x.pcap' names",
        ),
        (CAMPAIGN + "colour: red\n", "colour: there is no such key"),
    ],
)
def test_what_may_not_be_run_is_refused_with_its_line(alice: User, text: str, said: str) -> None:
    lease = alice.acquire("north", ttl_s=600)
    before = len(alice.get("/v1/jobs"))
    refused = alice.submit(lease, text, 422)["error"]
    assert said in refused
    assert "/service/jobs/" not in refused
    assert len(alice.get("/v1/jobs")) == before


def test_what_is_submitted_is_checked_one_after_the_other(tmp_path: Path) -> None:
    """Each check is a process, beside the testers: a user who submits a hundred files at once starts one."""
    going, most = 0, 0

    async def check(*_: Any) -> Submission:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await asyncio.sleep(0)
        going -= 1
        return Submission("streams", "")

    async def keep(_: Work) -> None:
        await asyncio.sleep(0)

    async def asked() -> list[Job | BaseException]:
        lab = Mock()
        lab.config.folder = tmp_path
        lab.usable.side_effect = lambda _, lease, **__: Mock(id=lease, place="north")
        jobs = Jobs(lab, Mock(keep=keep))
        jobs._checked, jobs._run_next = check, Mock()  # type: ignore[assignment, method-assign]
        alice = Caller("alice", Role.USER)
        calls = [jobs.submit(alice, "one", b"", keeps_lease=False) for _ in range(101)]
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(asked())
    assert most == 1
    (refused,) = (answer for answer in answers if isinstance(answer, BaseException))
    assert isinstance(refused, Misfit)
    assert str(refused).startswith("lease one has 100 jobs that are not over")


def test_what_a_killed_service_left_of_a_submission_goes_and_runs_stay(tmp_path: Path) -> None:
    """Runs stay also where the database does not know them: nothing measured is lost."""
    lab = Mock()
    lab.config.folder = tmp_path
    for name in ("submitted", "run/run"):
        (tmp_path / JOBS / name).mkdir(parents=True)
    Jobs(lab, Mock()).restore([])
    assert [folder.name for folder in (tmp_path / JOBS).iterdir()] == ["run"]


@pytest.mark.long
def test_jobs_end_with_their_lease_and_a_killed_service_leaves_none(service: Served, alice: User) -> None:
    """One campaign, which is cancelled, loses its lease, is cut off by a killed service, and is resumed."""
    lease = alice.acquire("south", ttl_s=600)
    first, second = alice.submit(lease, CAMPAIGN), alice.submit(lease, CAMPAIGN)
    _until_first_is_over(alice, first)
    assert alice.get(f"/v1/jobs/{second['id']}")["state"] == "waiting"
    assert (
        service.user("bob")
        .ask("DELETE", f"/v1/jobs/{first['id']}", 403)["error"]
        .endswith("is that of alice; ask alice, or an admin")
    )
    alice.ask("DELETE", f"/v1/jobs/{second['id']}")
    service.stop(9)
    until(lambda: processes(first) == [])
    service.start()
    alice = service.user("alice")
    assert alice.post(f"/v1/leases/{lease['id']}/heartbeat")["state"] == "acquired"
    states = {job["id"]: job["state"] for job in alice.get("/v1/jobs")}
    assert (states[first["id"]], states[second["id"]]) == ("interrupted", "cancelled")
    resumed = alice.post(f"/v1/jobs/{first['id']}/resume", {"lease": lease["id"]})
    until(lambda: alice.get(f"/v1/jobs/{first['id']}")["state"] == "running")
    alice.release(lease)
    lost = alice.ended(resumed)
    assert (lost["state"], lost["said"]) == ("lease ended", "it was released")
    assert processes(first) == []
    (service.folder / "go").touch()
    lease = alice.acquire("south", ttl_s=600)
    alice.post(f"/v1/jobs/{first['id']}/resume", {"lease": lease["id"]})
    done = alice.ended(first)
    assert (done["state"], done["outcome"]) == ("ended", "PASS")
    tests = alice.get(f"/v1/jobs/{first['id']}/records/tests")["records"]
    assert [(test["test"], test["outcome"]) for test in tests] == [("First", "PASS"), ("Second", "PASS")]
    said = alice.error("POST", f"/v1/jobs/{first['id']}/resume", 409, json={"lease": lease["id"]})
    assert "has come to its end, PASS; submit it again instead" in said


def _until_first_is_over(alice: User, job: dict[str, Any]) -> None:
    until(lambda: alice.get(f"/v1/jobs/{job['id']}/records/tests")["records"], 100)
