# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Who has the lease of a tester is the only one who uses it; the traffic of a client that is gone stops."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from TesterLibrary._generated.tester.v1 import capture_pb2, control_pb2, control_pb2_grpc, lease_pb2
from TesterLibrary.commands import main as cli
from TesterLibrary.errors import LeaseError, PlanError, TargetError
from TesterLibrary.measurement.evidence import Evidence
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.engine.address import open_channel
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.parts import LeaseTerms

from .cable import Cable
from .leased_client import TESTBED, said, sending
from .rig import PATIENCE, FakeRig, Rig, SwitchRig

PORTS = {"p1": "loop:x", "p2": "loop:x"}
SECOND = Duration(10**9)
BRIEFLY = Duration(3 * 10**9)  # a machine under load may take a second to renew it
MINUTE = Duration(60 * 10**9)


def terms(owner: str, ttl: Duration = MINUTE, *, force: bool = False) -> LeaseTerms:
    return LeaseTerms(owner, ttl, force)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def alice(process: EngineProcess) -> Iterator[subprocess.Popen[str]]:
    """A client in a process of its own that has the lease for three seconds, captures and sends."""
    with sending(process.address, "alice", 3) as client:
        yield client


@pytest.fixture
def bob(process: EngineProcess) -> Iterator[EngineTarget]:
    with closing(EngineTarget.connect(process.address)) as bob:
        yield bob


def nothing_is_said_of_her(process: EngineProcess, bob: EngineTarget) -> None:
    """The next client measures on a tester that has nothing of the one before."""
    bob.leases.acquire(terms("bob"))
    assert bob.snapshot().jobs == ()
    assert bob.snapshot().captures == ()
    rig = Rig(bob)
    plan = rig.load(rig.plan("north", first_id=8))
    before = bob.snapshot(["north"])
    after = rig.run(["north"], packets=1000)
    assert after.stream(8).rx_packets == 1000
    assert Evidence.between(plan, before, after).meddling == ()
    assert after.port("p1").tx_packets - before.port("p1").tx_packets == 1000
    assert "lease not renewed" in process.log.read_text()


def test_the_traffic_of_a_client_that_was_killed_stops(
    process: EngineProcess, alice: subprocess.Popen[str], bob: EngineTarget
) -> None:
    with pytest.raises(LeaseError, match=r"the tester is leased to \"alice\" \(TesterLibrary \("):
        bob.leases.acquire(terms("bob"))
    alice.kill()
    until(lambda: bob.leases.holder() is None)
    nothing_is_said_of_her(process, bob)


def test_a_client_that_is_stopped_for_longer_has_lost_the_tester(
    process: EngineProcess, alice: subprocess.Popen[str], bob: EngineTarget
) -> None:
    until(lambda: int(said(alice)) > 0)
    alice.send_signal(signal.SIGSTOP)
    until(lambda: bob.leases.holder() is None)
    nothing_is_said_of_her(process, bob)
    alice.send_signal(signal.SIGCONT)
    told = said(alice)
    assert told.startswith('LeaseError INCONCLUSIVE: TakeSnapshot: lease 1 of "alice" ended at ')
    assert "it was not renewed" in told
    assert 'the tester is leased to "bob" (TesterLibrary (' in told
    assert f"process {os.getpid()})" in told


@pytest.mark.long
@pytest.mark.usefixtures("process")
def test_a_client_that_lives_keeps_it(alice: subprocess.Popen[str], bob: EngineTarget) -> None:
    time.sleep(4.5)
    holder = bob.leases.holder()
    assert holder is not None
    assert (holder.owner, holder.number) == ("alice", 1)
    until(lambda: int(said(alice)) > 0)


def test_nobody_else_touches_the_traffic_or_reads_it(alice: subprocess.Popen[str], bob: EngineTarget) -> None:
    rig = Rig(bob)
    plan = rig.plan("his", first_id=9)
    calls: dict[str, Callable[[], object]] = {
        "Load": lambda: bob.load(plan),
        "Start": lambda: bob.start(["hers"]),
        "Stop": lambda: bob.stop(["hers"]),
        "Update": lambda: bob.update("hers", plan.streams[0]),
        "Unload": lambda: bob.unload(["hers"]),
        "Wait": lambda: bob.wait(["hers"], timeout=PATIENCE),
        "TakeSnapshot": lambda: bob.snapshot(),
        "Flip": lambda: bob.flip(["hers"]),
        "ReadFlows": lambda: list(bob.flows.read("hers", 7)),
        "StartCapture": lambda: bob.captures.start(Capture("his", ports=("p1",))),
        "StopCapture": lambda: bob.captures.stop("hers"),
        "ReadCapture": lambda: list(bob.captures.read("hers")),
        "ForgetCapture": lambda: bob.captures.forget("hers"),
        "Shutdown": lambda: bob.shutdown(SECOND),
    }
    for name, call in calls.items():
        with pytest.raises(LeaseError, match=f"{name}: the tester is leased to .* take it over by force"):
            call()
    earlier = int(said(alice))
    until(lambda: int(said(alice)) > earlier)


# What each call would do if it were let; the others look at nothing but the lease.
_MAC, _HERE, _THERE = bytes([2, 0, 0, 0, 0, 1]), bytes([198, 18, 0, 2]), bytes([198, 18, 0, 3])
_ASKED: dict[str, Mapping[str, Any]] = {
    "AcquireLease": {"owner": "bob", "ttl_ns": MINUTE.ns},
    **{call: {"jobs": ["hers"]} for call in ("Start", "Stop", "Unload", "Wait", "Flip", "TakeSnapshot")},
    "Inject": {"port": "p1", "frames": [bytes(60)]},
    "Resolve": {"port": "p1", "address": _THERE, "source_address": _HERE, "source_mac": _MAC},
    **{call: {"name": "hers"} for call in ("StopCapture", "ReadCapture", "ForgetCapture")},
}
_FOR_EVERYBODY = {"GetInfo", "GetLease", "ReadClock"}


_NO_TOKENS = ("", "0.", "1.ffffffffffffffffffffffffffffffff", "9" * 5000, "-1")


def test_no_call_is_let_without_the_token_of_the_lease(
    process: EngineProcess, alice: subprocess.Popen[str]
) -> None:
    """Whatever else is wrong with it: who has no lease learns that, and who has it."""
    service = control_pb2.DESCRIPTOR.services_by_name["Tester"]
    calls = [method for method in service.methods if method.name not in _FOR_EVERYBODY]
    with open_channel(process.address, None) as channel:
        stub = control_pb2_grpc.TesterStub(channel)
        for token, method in product(_NO_TOKENS, calls):
            request = GetMessageClass(method.input_type)(**_ASKED.get(method.name, {}))
            refused = process.log.read_text().count('"refused"')
            with pytest.raises(grpc.RpcError) as error:  # also of a call that would stream
                list(_answers(getattr(stub, method.name)(request, metadata=[("tester-lease", token)])))
            said_of = f"{method.name} with {token[:50]!r}: {error.value}"
            assert error.value.code() is grpc.StatusCode.PERMISSION_DENIED, said_of
            assert 'leased to "alice"' in error.value.details(), said_of
            until(lambda: process.log.read_text().count('"refused"') == refused + 1)  # noqa: B023
    sent = int(said(alice))
    until(lambda: int(said(alice)) > sent)  # it is sending as it was


def _answers(answer: Any) -> Iterable[Any]:
    return answer if isinstance(answer, grpc.Call) else [answer]


def test_a_capture_is_read_as_long_as_its_lease_lasts(process: EngineProcess, bob: EngineTarget) -> None:
    bob.leases.acquire(terms("bob"))
    rig = Rig(bob)
    rig.load(rig.plan("long", frame_size=1518, rate="40 kpps"))
    bob.captures.start(Capture("long", ports=("p1",), frames=20_000))
    rig.run(["long"], packets=20_000)
    bob.captures.stop("long")
    with open_channel(process.address, None) as channel:
        stub = control_pb2_grpc.TesterStub(channel)
        asked = capture_pb2.ReadCaptureRequest(name="long")
        chunks = stub.ReadCapture(asked, metadata=[("tester-lease", bob.leases.token)])
        next(chunks)  # the others have no room on the way
        stub.AcquireLease(lease_pb2.AcquireLeaseRequest(owner="eve", ttl_ns=MINUTE.ns, force=True))
        with pytest.raises(grpc.RpcError, match=r'was taken over by .*"eve'):
            list(chunks)


def test_a_lease_that_is_lost_in_mid_trial_says_who_has_it(process: EngineProcess, bob: EngineTarget) -> None:
    with closing(process_of_carol := EngineTarget.connect(process.address)) as carol:
        assert process_of_carol.leases.acquire(terms("carol")) is None
        rig = Rig(carol)
        rig.load(rig.plan("north"))
        carol.start(["north"], duration=MINUTE)
        taken: list[object] = []
        thief = threading.Timer(0.3, lambda: taken.append(bob.leases.acquire(terms("bob", force=True))))
        thief.start()
        with pytest.raises(LeaseError) as lost:
            carol.wait(["north"], timeout=PATIENCE)
        thief.join()
        assert re.match(
            r"INCONCLUSIVE: Wait: lease 1 of \"carol\" ended at .*: it was taken over by \"bob\" \(.*\); "
            r"the tester is leased to \"bob\" \(.*\) since .* UTC, until .* UTC unless it is renewed",
            str(lost.value),
        )
        (before,) = taken
        assert "'carol' (TesterLibrary (" in str(before)
        log = process.log.read_text()
        assert log.count('"event":"lease taken over"') == 1
        assert bob.snapshot().jobs == ()
        with pytest.raises(LeaseError):
            carol.snapshot(["north"])
        assert bob.leases.holder() is not None


@pytest.mark.parametrize("tenths", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_client_that_is_cut_off_for_less_than_its_lease_goes_on(
    process: EngineProcess, tmp_path: Path, tenths: int
) -> None:
    cable = Cable(process.address, tmp_path)
    with closing(EngineTarget.connect(cable.address)) as target:
        target.leases.acquire(terms("alice", Duration(tenths * 5 * 10**8)))
        rig = Rig(target)
        rig.load(rig.plan("north"))
        target.start(["north"])
        cable.cut(tenths / 10)
        assert target.snapshot(["north"]).stream(1).sending
        time.sleep(tenths * 0.45)
        assert target.snapshot(["north"]).stream(1).sending
        target.stop(["north"])


@pytest.mark.parametrize("seconds", [5, pytest.param(100, marks=pytest.mark.long)])
def test_a_client_that_is_cut_off_for_longer_has_measured_nothing(
    process: EngineProcess, tmp_path: Path, seconds: int
) -> None:
    cable = Cable(process.address, tmp_path)
    with closing(EngineTarget.connect(cable.address)) as target:
        target.leases.acquire(terms("alice", BRIEFLY))
        rig = Rig(target)
        rig.load(rig.plan("north"))
        assert rig.run(["north"], packets=10).stream(1).rx_packets == 10
        target.start(["north"])
        cable.cut(seconds)
        with pytest.raises(
            LeaseError, match=r"lease 1 of \"alice\" ended at .*; nobody holds one now: acquire"
        ):
            target.snapshot(["north"])


def test_while_the_network_is_gone_the_tester_does_not_answer(
    process: EngineProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("TesterLibrary.targets.engine.leases._ANSWER_S", 0.3)
    cable = Cable(process.address, tmp_path)
    with closing(EngineTarget.connect(cable.address)) as target:
        target.leases.acquire(terms("alice"))
        cable.whole.clear()
        with pytest.raises(TargetError, match="did not answer TakeSnapshot in time"):
            target.snapshot()
        cable.whole.set()
        assert target.snapshot().jobs == ()


def test_sessions_of_one_process_share_its_lease(process: EngineProcess, bob: EngineTarget) -> None:
    first, second = (EngineTarget.connect(process.address) for _ in range(2))
    first.leases.acquire(terms("alice", BRIEFLY))
    second.leases.acquire(terms("alice"))
    first.close()
    time.sleep(4.5)
    assert second.snapshot().jobs == ()
    with pytest.raises(LeaseError):
        bob.snapshot()
    second.close()
    assert bob.leases.holder() is None


@pytest.mark.parametrize("ttl", [Duration(0), Duration(10**9 - 1), Duration(3601 * 10**9), Duration(-1)])
@pytest.mark.parametrize("force", [False, True])
def test_a_time_that_is_no_time_of_a_lease_is_refused(bob: EngineTarget, ttl: Duration, force: bool) -> None:
    with pytest.raises(PlanError, match=r"lease: ttl_ns \d+; allowed are 1000000000 \(1 s\) to 36000"):
        bob.leases.acquire(terms("bob", ttl, force=force))
    assert bob.leases.holder() is None


@pytest.mark.parametrize("owner", ["", "bob\n", "Bjørn", "b" * 129])
def test_an_owner_who_cannot_be_named_is_refused(bob: EngineTarget, owner: str) -> None:
    with pytest.raises(PlanError, match="allowed are 1 to 128 printable characters of ASCII"):
        bob.leases.acquire(terms(owner))


@pytest.mark.parametrize("make", [FakeRig, SwitchRig])
def test_testers_that_have_no_lease_refuse_one(make: Callable[[], Rig]) -> None:
    with pytest.raises(
        PlanError,
        match=r"a (fake tester|switch) has no leases, .*; leave out lease, owner and force",
    ):
        part_of(make().target, "leases")


def test_what_runs_without_a_lease_is_not_disturbed(process: EngineProcess, bob: EngineTarget) -> None:
    rig = Rig(process.target())
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    with pytest.raises(LeaseError, match=r'job "north", which TesterLibrary \(.* started without a lease'):
        bob.leases.acquire(terms("bob"))
    assert rig.target.snapshot(["north"]).stream(1).sending
    bob.leases.acquire(terms("bob", force=True))
    assert bob.snapshot().jobs == ()


def test_the_command_shows_ends_and_refuses(
    process: EngineProcess, bob: EngineTarget, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    testbed = tmp_path / "lab.yaml"
    testbed.write_text(TESTBED.format(address=process.address), encoding="utf-8")
    assert cli.main(["lease", "show", str(testbed)]) == 0
    assert capsys.readouterr().out == "free: nobody has a lease\n"
    assert cli.main(["lease", "release", str(testbed), "--force"]) == 0
    bob.leases.acquire(terms("bob"))
    assert cli.main(["lease", "show", str(testbed)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("leased to 'bob' (TesterLibrary (")
    assert cli.main(["lease", "release", str(testbed)]) == 1
    assert "--force ends it, and all that runs there" in capsys.readouterr().out
    assert bob.snapshot().jobs == ()
    assert cli.main(["lease", "release", str(testbed), "--force", "--owner", "carol"]) == 0
    assert capsys.readouterr().out.startswith("ended the lease of 'bob' (")
    with pytest.raises(LeaseError, match=r'taken over by "carol".*; nobody holds one now'):
        bob.snapshot()
    assert cli.main(["lease", "show", "embedded/l2-bridge"]) == 3
    assert "is started on this machine by each run" in capsys.readouterr().err


def test_a_tester_is_held_until_the_command_ends(
    process: EngineProcess, bob: EngineTarget, tmp_path: Path
) -> None:
    testbed = tmp_path / "lab.yaml"
    testbed.write_text(TESTBED.format(address=process.address), encoding="utf-8")
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "lease", "hold", str(testbed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holding:
        assert holding.stdout
        assert holding.stdout.readline().endswith("Ctrl-C releases it\n")
        with pytest.raises(LeaseError):
            bob.leases.acquire(terms("bob"))
        holding.send_signal(signal.SIGINT)
        try:
            assert holding.wait(20) == 0
        finally:
            holding.kill()
        bob.leases.acquire(terms("bob"))


def test_metrics_and_health_are_for_everybody(process: EngineProcess, bob: EngineTarget) -> None:
    bob.leases.acquire(terms("bob"))
    with grpc.insecure_channel(process.address) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        assert check(b"", timeout=5) == b"\x08\x01"  # SERVING
    assert process.target().capabilities().target == "engine"
