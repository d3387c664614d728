# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A suite that attacks the service which runs it, as a system user of its own; see `attack.py`."""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from TesterLibrary.service import account
from tests.unit.service.served import JOB, ROOT, USERS, Served, until

RUNNER = "games"  # a user of Debian, of whom nothing runs
PLACES = f"""
  north: {{testbed: simulated/breakpoint, check: none, runner: {{user: {RUNNER}}}}}
"""
CAMPAIGN = "version: 1\ntitle: Night\nsuites: [attacking.robot]\nprofile: mine\n"
SUITE = """
*** Settings ***
Library    {library}
*** Test Cases ***
Attacks
    Attack    {service}    {done}
"""
STOPPING = """
import os, signal, time
print(flush=True)
while True:
    try:
        os.kill(-1, signal.SIGSTOP)  # all of its user but itself
    except ProcessLookupError:
        time.sleep(0.001)
"""
_CAPABILITIES = "+chown,+dac_override,+fowner,+kill,+setgid,+setuid"
AS_MAIL = (
    *("setpriv", "--reuid=mail", "--regid=mail", "--clear-groups"),
    *(f"--inh-caps={_CAPABILITIES}", f"--ambient-caps={_CAPABILITIES}"),
)
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="runs jobs as another user")


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    """A Python that other users reach, too, with all that the library needs."""
    uid, packages = pwd.getpwnam(RUNNER).pw_uid, sysconfig.get_path("purelib")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), packages)))
        for path in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
            with suppress(OSError):
                command = [path, "-c", "import TesterLibrary.service.server"]
                done = subprocess.run(command, user=uid, capture_output=True, text=True, check=False, cwd="/")
                if done.returncode == 0:
                    yield path
                    return
    pytest.skip(f"{RUNNER} reaches neither {sys.executable} nor the system's Python with its packages")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder into which other users can go, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp(prefix="runner-"))
    folder.chmod(0o755)
    suites = folder / "suites"
    suites.mkdir()
    words = {"library": Path(__file__).with_name("attack.py"), "service": folder / "service"}
    (suites / "attacking.robot").write_text(SUITE.format(**words, done=folder / "done"))
    (suites / "mine.yaml").write_text("PROFILE: {version: 1, name: mine}\n")
    key = folder / "lab.key"
    key.write_text("a key")
    key.chmod(0o600)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def _sole_runner() -> Iterator[None]:
    """All processes of the runner are of this test: another one would count them, or kill them."""
    with Path(tempfile.gettempdir(), f"{RUNNER}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def processes_of_runner() -> list[int]:
    """Those that run; who has lost his parent may stay a zombie for a while."""
    uid = pwd.getpwnam(RUNNER).pw_uid
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if process.stat().st_uid == uid and state != "Z":
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.usefixtures("_sole_runner")
@pytest.mark.parametrize("user", ["root", pytest.param("mail", marks=pytest.mark.long)])
def test_a_suite_gets_at_nothing_of_the_service_or_of_others(folder: Path, python: str, user: str) -> None:
    """The service is root, or has the capabilities alone, as in a unit of systemd."""
    service = Served(folder, PLACES, more="suites: [suites]")
    service.python = [*(AS_MAIL if user == "mail" else ()), python]
    for name, role in USERS.items():
        service.add(name, role)
    for path in (folder, folder / "lab.key", folder / "service", *(folder / "service").iterdir()):
        shutil.chown(path, user)
    with closing(service):
        service.start()
        alice, bob = service.user("alice"), service.user("bob")
        lease = alice.acquire("north")
        hers = alice.submit(lease, JOB)
        until(lambda: alice.ended(hers)["ended_at"], 120)
        hers = alice.ended(hers)
        assert (hers["outcome"], hers["said"]) == ("PASS", ""), alice.get(f"/v1/jobs/{hers['id']}/log")
        alice.release(lease)
        (folder / "known").write_text(hers["id"])
        secret = folder / "service" / "jobs" / "other"
        secret.mkdir()
        (secret / "secret").write_text('{"secret": "of others"}\n')

        lease = bob.acquire("north")
        his = bob.submit(lease, CAMPAIGN)
        path = f"/v1/jobs/{his['id']}"
        until(lambda: "found.json" in str(bob.get(f"{path}/reports")) or bob.get(path)["ended_at"], 120)
        found = bob.get(f"{path}/reports/found.json")
        uid = pwd.getpwnam(RUNNER).pw_uid
        assert found[0] == f"uid {uid}"
        assert [line for line in found if not re.match("uid |groups |CapBnd|CapInh", line)] == []
        assert bob.get(f"{path}/records/results")["records"] == [], "its link leads to nothing of others"
        assert processes_of_runner()
        (folder / "done").touch()
        until(lambda: bob.ended(his)["ended_at"], 120)
        assert bob.ended(his)["state"] == "ended"
        assert processes_of_runner() == [], "what it has left must not look at the next job"
        run = folder / "service" / "jobs" / his["id"]
        assert run.stat().st_mode & 0o777 == 0o700
        assert not (run / "home").exists()
        assert bob.get(f"{path}/reports/found.json") == found, "the service still reads what it has left"


@pytest.mark.usefixtures("_sole_runner")
def test_a_process_that_stops_whoever_would_end_it_is_ended(
    python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it looks at the next job, and its own is never over."""
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(account, "_END_S", 2.0)
    uid = pwd.getpwnam(RUNNER).pw_uid
    with subprocess.Popen([python, "-c", STOPPING], user=uid, stdout=subprocess.PIPE, cwd="/") as stopping:
        assert stopping.stdout
        stopping.stdout.readline()
        account.Account.of(RUNNER).end_all()
        assert processes_of_runner() == []


@pytest.mark.parametrize(
    ("user", "places", "said"),
    [
        ("root", PLACES, "root reads everything on this machine"),
        ("no-such-user", PLACES, "this machine has no user 'no-such-user'; make one for it alone: useradd"),
        (RUNNER, "\n  e: {testbed: embedded/l2-bridge, runner: {user: games}}", "starts its tester, as root"),
        (RUNNER, "\n  u: {testbed: unix.yaml, runner: {user: games}}", "listens on a UNIX socket"),
        (
            RUNNER,
            f"{PLACES}  south: {{testbed: simulated/queue, runner: {{user: games}}}}",
            "give each a user",
        ),
        (RUNNER, PLACES, "nobody has to say who he is here, so jobs would be admins"),
    ],
    ids=["root", "nobody", "embedded", "unix", "shared", "open"],
)
def test_a_runner_that_would_be_no_safer_is_refused(folder: Path, user: str, places: str, said: str) -> None:
    from tests.contract.leased_client import TESTBED

    (folder / "unix.yaml").write_text(TESTBED.format(address="unix:/run/testerd.sock"))
    service = Served(folder, places.replace(RUNNER, user))
    assert said in serve(service.file, sys.executable)


def test_a_service_that_may_not_change_users_says_what_it_lacks(folder: Path, python: str) -> None:
    service = Served(folder, PLACES)
    service.add("alice")
    for path in (folder, folder / "service", *(folder / "service").iterdir()):
        shutil.chown(path, "mail")
    said = serve(service.file, "setpriv", "--reuid=mail", "--regid=mail", "--clear-groups", python)
    assert (
        "runner: games: to run jobs as another user the service has to be root, or to have CAP_CHOWN" in said
    )
    assert "it lacks CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_KILL, CAP_SETGID, CAP_SETUID" in said


def serve(file: Path, *python: str) -> str:
    """How a service that cannot start ends."""
    command = [*python, "-m", "TesterLibrary.commands.main", "serve", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=file.parent)
    assert done.returncode == 3, done.stdout
    return " ".join(done.stderr.split())
