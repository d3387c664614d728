# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that users share, with the real engine: whatever dies, nobody touches the traffic of another."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.errors import LeaseError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.parts import LeaseTerms
from tests.contract.leased_client import TESTBED, said, sending
from tests.contract.stepping import stepping_clock
from tests.unit.service.served import Served, User, served, until

_PLACES = "\n  lab: {{testbed: {testbed}, check: cable, cables: [[p1, p2]]}}\n"
_JOB = """
version: 1
name: long
duration: 60 s
loss: 0
ports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]
streams: [{name: north, tx: p1, rx: p2, frame_size: 64, rate: 1 kpps}]
"""


@pytest.fixture
def service(engine: EngineProcess, tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "testbed.yaml").write_text(TESTBED.format(address=engine.address))
    with served(tmp_path, _PLACES.format(testbed="testbed.yaml")) as service:
        yield service


@pytest.fixture
def alice(service: Served) -> User:
    return service.user("alice")


@pytest.fixture
def bob(service: Served) -> User:
    return service.user("bob")


@contextmanager
def client(lease: dict[str, Any], address: str) -> Iterator[subprocess.Popen[str]]:
    """A suite on the machine of a user, who was given the lease of the tester."""
    with sending(address, "somebody", 60, lambda: str(lease["tester"])) as process:
        yield process


def jobs_of(engine: EngineProcess, lease: dict[str, Any]) -> list[str]:
    """The jobs that the engine has, as the holder of a lease sees them."""
    with closing(EngineTarget.connect(engine.address)) as target:
        target.leases.keep(lease["tester"].rpartition(" ")[2])
        try:
            return [job.name for job in target.snapshot().jobs]
        finally:
            assert target._calls.lease
            target._calls.lease.is_given = True  # its holder goes on with it


def test_two_users_fight_over_one_tester(
    service: Served, engine: EngineProcess, alice: User, bob: User
) -> None:
    hers = alice.acquire("lab", ttl_s=600)
    his = bob.lease("lab", ttl_s=600)
    assert (hers["state"], his["state"], his["tester"]) == ("acquired", "waiting", "")
    assert bob.get(f"/v1/leases/{hers['id']}")["tester"] == "", "the token is hers alone"
    with client(hers, engine.address) as sending:
        first = int(said(sending))
        with closing(EngineTarget.connect(engine.address)) as direct:
            for call in (
                lambda: direct.stop(["hers"]),
                lambda: direct.unload(["hers"]),
                lambda: direct.snapshot(),
                lambda: direct.leases.acquire(LeaseTerms("bob", Duration(10**9))),
            ):
                with pytest.raises(LeaseError, match=r'the tester is leased to \\?"alice\\?"'):
                    call()
        until(lambda: int(said(sending)) > first)
        root = service.user("root")
        taken = root.lease("lab", ttl_s=600, force=True)
        taken = root.get(f"/v1/leases/{taken['id']}?wait=60")
        assert taken["state"] == "acquired"
        assert taken["fence"] > hers["fence"]
        told = said(sending)
        assert told.startswith('LeaseError INCONCLUSIVE: TakeSnapshot: lease 1 of "alice" ended at ')
        assert jobs_of(engine, taken) == []
        root.release(taken)
        his = bob.get(f"/v1/leases/{his['id']}?wait=60")
        with client(his, engine.address) as sending_too:
            assert "lease 1 of" in said(sending), "an old token stays refused"
            before = int(said(sending_too))
            until(lambda: int(said(sending_too)) > before)
            assert jobs_of(engine, his) == ["hers"]


def test_a_user_who_is_killed_loses_tester_and_traffic(engine: EngineProcess, alice: User, bob: User) -> None:
    hers = alice.acquire("lab", ttl_s=600)
    alice.release(hers)
    is_sending = threading.Event()

    def beat() -> None:
        while not is_sending.wait(0.3):
            alice.post(f"/v1/leases/{hers['id']}/heartbeat")

    with ThreadPoolExecutor() as beside, ExitStack() as ends:
        ends.callback(is_sending.set)

        def acquire() -> str:
            hers.update(alice.acquire("lab", ttl_s=3))
            beside.submit(beat)
            return str(hers["tester"])

        client = ends.enter_context(sending(engine.address, "somebody", 60, acquire))
        is_sending.set()
        client.send_signal(signal.SIGSTOP)  # neither a heartbeat nor a renewal comes any more
        his = bob.acquire("lab", ttl_s=600)
        assert jobs_of(engine, his) == []
        assert "alice was not heard of for 3 s" in alice.get(f"/v1/leases/{hers['id']}")["reason"]
        client.send_signal(signal.SIGCONT)
        assert said(client).startswith("LeaseError")


def test_a_lease_that_is_lost_in_mid_trial_makes_the_job_inconclusive(
    service: Served, engine: EngineProcess, alice: User
) -> None:
    lease = alice.acquire("lab", ttl_s=600)
    job = alice.submit(lease, _JOB)
    until(lambda: "live.jsonl" in str(alice.get(f"/v1/jobs/{job['id']}/reports")), 60)
    until(lambda: "long" in str(jobs_of(engine, lease)) or "trial" in str(jobs_of(engine, lease)), 60)
    assert cli.main(["lease", "release", str(service.folder / "testbed.yaml"), "--force"]) == 0
    job = alice.ended(job)
    assert (job["state"], job["outcome"]) in (("lease ended", ""), ("ended", "INCONCLUSIVE"))
    tests = alice.get(f"/v1/jobs/{job['id']}/records/tests")["records"]
    assert [test["outcome"] for test in tests] == ["INCONCLUSIVE"]
    until(lambda: alice.get(f"/v1/leases/{lease['id']}")["state"] == "lost")
    assert alice.acquire("lab")["state"] == "acquired"


def test_a_service_that_is_killed_leaves_traffic_to_its_owner_and_comes_back(
    service: Served, engine: EngineProcess, alice: User, bob: User
) -> None:
    hers = alice.acquire("lab", ttl_s=600)
    with client(hers, engine.address) as sending:
        service.stop(signal.SIGKILL)
        before = int(said(sending))
        service.start()
        alice, bob = service.user("alice"), service.user("bob")
        assert bob.lease("lab")["state"] == "waiting"
        assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["tester"] == hers["tester"]
        until(lambda: int(said(sending)) > before)
        alice.release(hers)
        assert said(sending).startswith("LeaseError")


@pytest.mark.long
def test_a_service_that_stays_away_stops_what_it_ran(
    service: Served, engine: EngineProcess, alice: User
) -> None:
    lease = alice.acquire("lab", ttl_s=3)
    alice.submit(lease, _JOB, query="?keeps_lease=true")
    until(lambda: alice.get(f"/v1/leases/{lease['id']}")["state"] == "acquired")
    service.stop(signal.SIGKILL)
    with closing(EngineTarget.connect(engine.address)) as direct:
        until(lambda: direct.leases.holder() is None)
        direct.leases.acquire(LeaseTerms("bob", Duration(10**9)))
        assert direct.snapshot().jobs == ()


def test_an_engine_that_is_killed_is_leased_to_nobody(
    service: Served, engine: EngineProcess, alice: User, bob: User
) -> None:
    lease = alice.acquire("lab", ttl_s=600)
    os.kill(engine.pid, signal.SIGKILL)
    alice.release(lease)
    assert bob.lease("lab", ttl_s=600)["state"] in ("waiting", "checking")
    until(lambda: bob.get("/v1/places/lab")["problem"])
    assert bob.get("/v1/places/lab")["problem"].startswith("no tester answers at unix:")
    assert ("the service", "find unfit", 503) in {line[:3] for line in service.audit()}


@pytest.mark.long
def test_somebody_beside_the_service_keeps_the_tester(engine: EngineProcess, alice: User) -> None:
    with closing(EngineTarget.connect(engine.address)) as direct:
        direct.leases.acquire(LeaseTerms("carol", Duration(60 * 10**9)))
        alice.lease("lab", ttl_s=600)
        until(lambda: alice.get("/v1/places/lab")["problem"])
        problem = alice.get("/v1/places/lab")["problem"]
        assert problem.startswith(
            "somebody uses it beside this service: AcquireLease: the tester is leased to"
        )
        assert '"carol"' in problem


@pytest.mark.long
def test_a_service_that_is_asked_to_end_tells_its_jobs(service: Served, alice: User) -> None:
    lease = alice.acquire("lab", ttl_s=600)
    job = alice.submit(lease, _JOB)
    until(lambda: alice.get(f"/v1/jobs/{job['id']}")["state"] == "running")
    service.stop()
    service.start()
    alice = service.user("alice")
    job = alice.get(f"/v1/jobs/{job['id']}")
    assert (job["state"], job["said"]) == ("interrupted", "the service was ended")
    assert alice.get(f"/v1/leases/{lease['id']}")["state"] == "acquired"
    with suppress(AssertionError):
        alice.release(lease)


@pytest.mark.long
def test_many_users_at_once_get_one_tester_one_after_the_other(
    engine: EngineProcess, service: Served
) -> None:
    fences: list[int] = []

    def use(name: str) -> None:
        user = service.user(name)
        for _ in range(3):
            lease = user.acquire("lab", ttl_s=600)
            assert lease["state"] == "acquired"
            fences.append(lease["fence"])
            with closing(EngineTarget.connect(engine.address)) as target:
                holder = target.leases.holder()
                assert holder is not None
                assert holder.owner == name
            user.release(lease)

    with ThreadPoolExecutor() as several:
        list(several.map(use, ["alice", "bob", "root"]))
    assert fences == sorted(fences)
    assert len(set(fences)) == 9


def test_a_tester_that_is_started_here_is_looked_at_by_a_process_of_its_own(tmp_path: Path) -> None:
    good = "{testbed: embedded/loopback, check: cable, cables: [[p1, p2]]}"
    with served(tmp_path, f"\n  cable: {good}\n") as service:
        alice = service.user("alice")
        assert alice.acquire("cable", ttl_s=600)["state"] == "acquired"
        assert alice.get("/v1/places/cable")["looked_at"]


@pytest.mark.long
def test_steps_of_the_wall_clock_end_no_lease_and_keep_none(tmp_path: Path) -> None:
    """By an hour at each reading, in the service and in its jobs."""
    service = Served(tmp_path)
    for name in ("alice", "bob"):
        service.add(name, days=1)
    service.add("root", "admin")
    library = stepping_clock(tmp_path)
    service.python = ["env", f"LD_PRELOAD={library}", *service.python]
    with closing(service):
        service.start()
        assert str(library) in Path(f"/proc/{service.pid}/maps").read_text()
        alice, bob = service.user("alice"), service.user("bob")
        hers, his = alice.acquire("north", ttl_s=600), bob.acquire("south", ttl_s=2)
        until(lambda: alice.get(f"/v1/leases/{his['id']}")["state"] == "expired")
        job = alice.submit(hers)
        until(lambda: alice.ended(job)["ended_at"], 120)
        assert alice.ended(job)["outcome"] == "PASS"
        assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["expires_in_s"] > 500
        did = [line[1] for line in service.audit()]
        assert did.index("ask for a lease") < did.index("grant") < did.index("end a lease")
