# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client against a server that answers as it is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import grpc
import pytest

from TesterLibrary._generated.tester.v1 import control_pb2, control_pb2_grpc, counters_pb2, lease_pb2
from TesterLibrary.errors import Inconclusive, LeaseError, PlanError, TargetError, TestbedError
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame, Plan, PlannedStream
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine import frames
from TesterLibrary.targets.engine.calls import EngineCalls
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.parts import LeaseTerms

SECOND = Duration(10**9)
PLAN = Plan("job", 1, ())
HERE, THERE = IPv4Address("192.0.2.2"), IPv4Address("192.0.2.1")
STREAM = PlannedStream(1, "north", "p1", "p2", (bytes(60),), True, even(Fraction(1, 1000)))


@dataclass
class Server(control_pb2_grpc.TesterServicer):
    """Answers everything, unless `status` or `delay_s` is set for a call."""

    status: dict[str, tuple[grpc.StatusCode, str]] = field(default_factory=dict)
    delay_s: dict[str, float] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def _answer(self, request: Any, context: Any, answer: Any) -> Any:
        call = type(request).__name__.removesuffix("Request")
        self.asked.append((call, request))
        time.sleep(self.delay_s.get(call, 0))
        if call in self.status:
            context.abort(*self.status[call])
        return answer

    def GetInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        answer = control_pb2.GetInfoResponse(ports=[control_pb2.Port(name="p1")])
        answer.limits.max_inject_frames = 2
        return self._answer(request, context, answer)

    def TakeSnapshot(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self._answer(request, context, counters_pb2.Snapshot(taken_at_ns=5))

    def Resolve(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self._answer(request, context, control_pb2.ResolveResponse(mac=b"\x02\0\0\0\0\x01"))

    def AcquireLease(self, request: Any, context: Any) -> Any:  # noqa: N802
        lease = lease_pb2.Lease(owner=request.owner, ttl_ns=request.ttl_ns)
        return self._answer(request, context, lease_pb2.AcquireLeaseResponse(token="1", lease=lease))

    def RenewLease(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self._answer(request, context, lease_pb2.RenewLeaseResponse())

    def ReleaseLease(self, request: Any, context: Any) -> Any:  # noqa: N802
        return self._answer(request, context, lease_pb2.ReleaseLeaseResponse())

    def Wait(self, request: Any, context: Any) -> Any:  # noqa: N802
        yield control_pb2.Progress(tx_packets=1, sending=True)
        self._answer(request, context, None)
        yield control_pb2.Progress(tx_packets=2)


for _name in ("Load", "Start", "Stop", "Update", "Unload", "Inject", "Shutdown"):
    _type = getattr(control_pb2, f"{_name}Response")
    setattr(Server, _name, lambda self, request, context, t=_type: self._answer(request, context, t()))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Server, str]]:
    servicer, address = Server(), f"unix:{tmp_path}/s"
    running = grpc.server(ThreadPoolExecutor(4))
    control_pb2_grpc.add_TesterServicer_to_server(servicer, running)
    running.add_insecure_port(address)
    running.start()
    yield servicer, address
    running.stop(None).wait()


CALLS: dict[str, Callable[[EngineTarget], object]] = {
    "Load": lambda t: t.load(PLAN),
    "Start": lambda t: t.start(["job"]),
    "Stop": lambda t: t.stop(["job"]),
    "Update": lambda t: t.update("job", STREAM),
    "Unload": lambda t: t.unload(["job"]),
    "Wait": lambda t: t.wait(["job"], timeout=SECOND),
    "TakeSnapshot": lambda t: t.snapshot(),
    "Inject": lambda t: t.frames.inject([LearningFrame("p1", bytes(60))]),
    "Resolve": lambda t: t.frames.resolve("p1", THERE, source=HERE, source_mac=bytes(6)),
}


REFUSED = ["INVALID_ARGUMENT", "ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"]
SINGLE_FRAMES = ("Inject", "Resolve")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (call, code)
        for call in CALLS
        for code in REFUSED
        if code != "FAILED_PRECONDITION" or call not in SINGLE_FRAMES
    ],
)
def test_a_refusal_is_a_plan_error_in_the_testers_words(
    server: tuple[Server, str], call: str, code: str
) -> None:
    servicer, address = server
    servicer.status[call] = (grpc.StatusCode[code], "given 1, allowed 2")
    with pytest.raises(PlanError, match=r"^given 1, allowed 2$"):
        CALLS[call](EngineTarget.connect(address))


@pytest.mark.parametrize("call", SINGLE_FRAMES)
def test_a_port_that_takes_no_frames_is_inconclusive(server: tuple[Server, str], call: str) -> None:
    servicer, address = server
    said = 'inject on "p1": the port took 0 of 1 frames within a second; is its link up?'
    servicer.status[call] = (grpc.StatusCode.FAILED_PRECONDITION, said)
    with pytest.raises(TargetError) as error:
        CALLS[call](EngineTarget.connect(address))
    assert error.value.reason == said


@pytest.mark.parametrize("call", CALLS)
def test_a_tester_that_somebody_else_has_is_inconclusive(server: tuple[Server, str], call: str) -> None:
    servicer, address = server
    servicer.status[call] = (grpc.StatusCode.PERMISSION_DENIED, "the tester is leased to bob")
    with pytest.raises(LeaseError, match=f"^INCONCLUSIVE: {call}: the tester is leased to bob$"):
        CALLS[call](EngineTarget.connect(address))


def test_a_job_that_went_with_its_lease_is_told_with_the_lease(server: tuple[Server, str]) -> None:
    """A client that was stopped for longer than its lease, in mid-trial: the engine has unloaded the job."""
    servicer, address = server
    target = EngineTarget.connect(address)
    target.leases.acquire(LeaseTerms("alice", SECOND))
    target.load(PLAN)
    servicer.status["TakeSnapshot"] = (grpc.StatusCode.NOT_FOUND, "no job 'job'")
    with pytest.raises(TargetError, match="somebody else has unloaded it"):
        target.snapshot(["job"])
    servicer.status["RenewLease"] = (grpc.StatusCode.PERMISSION_DENIED, 'lease 1 of "alice" ended at 12:00')
    with pytest.raises(LeaseError, match='TakeSnapshot: lease 1 of "alice" ended at 12:00; what was loaded'):
        target.snapshot(["job"])
    target.close()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("code", ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "UNIMPLEMENTED"])
def test_a_broken_tester_is_inconclusive(server: tuple[Server, str], call: str, code: str) -> None:
    servicer, address = server
    servicer.status[call] = (grpc.StatusCode[code], "a worker does not move")
    with pytest.raises(TargetError, match=f"{address}.*a worker does not move"):
        CALLS[call](EngineTarget.connect(address))


@pytest.mark.parametrize("call", [c for c in CALLS if c != "Wait"])
def test_a_late_answer_is_inconclusive(
    server: tuple[Server, str], call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    servicer, address = server
    target = EngineTarget.connect(address)
    target.capabilities()
    monkeypatch.setattr(EngineCalls, "answer_s", 0.1)
    monkeypatch.setattr(frames, "_INJECT_S", 0.1)
    servicer.delay_s[call] = 0.4
    with pytest.raises(TargetError, match=f"{address} did not answer {call} in time"):
        CALLS[call](target)


def test_waiting_longer_than_allowed_says_for_what(server: tuple[Server, str]) -> None:
    servicer, address = server
    servicer.delay_s["Wait"] = 0.4
    with pytest.raises(TargetError, match="tester is late: jobs a, b were still sending after 100 ms"):
        EngineTarget.connect(address).wait(["a", "b"], timeout=Duration(10**8))


def test_progress_is_handed_on(server: tuple[Server, str]) -> None:
    seen: list[int] = []
    EngineTarget.connect(server[1]).wait(
        ["a"], timeout=SECOND, on_progress=lambda p: seen.append(p.tx_packets)
    )
    assert seen == [1, 2]


def test_nobody_answers_is_no_fault_of_the_tester(server: tuple[Server, str]) -> None:
    servicer, address = server
    servicer.status["Resolve"] = (grpc.StatusCode.DEADLINE_EXCEEDED, "asked three times")
    with pytest.raises(
        Inconclusive, match=r"nobody answers at 192\.0\.2\.1 on port 'p1': asked three"
    ) as error:
        CALLS["Resolve"](EngineTarget.connect(address))
    assert not isinstance(error.value, TargetError)


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=f"no tester answers at unix:{tmp_path}/nothing"):
        EngineTarget.connect(f"unix:{tmp_path}/nothing")


def test_how_the_engine_ended_goes_into_the_error(server: tuple[Server, str]) -> None:
    servicer, address = server
    servicer.status["Stop"] = (grpc.StatusCode.UNAVAILABLE, "socket closed")
    channel = grpc.insecure_channel(address)
    target = EngineTarget(channel, address, obituary=lambda: "testerd was killed by SIGKILL")
    with pytest.raises(TargetError, match="Stop: testerd was killed by SIGKILL"):
        target.stop(["job"])


def test_ports_are_checked_before_the_first_frame_is_sent(server: tuple[Server, str]) -> None:
    servicer, address = server
    target = EngineTarget.connect(address)
    with pytest.raises(PlanError, match="no port 'p9'; it has p1"):
        target.frames.inject([LearningFrame("p1", bytes(60)), LearningFrame("p9", bytes(60))])
    target.frames.inject([LearningFrame("p1", bytes(60))] * 3)
    assert [len(r.frames) for call, r in servicer.asked if call == "Inject"] == [2, 1]


def test_closing_unloads_what_was_loaded_and_nothing_else(server: tuple[Server, str]) -> None:
    servicer, address = server
    target = EngineTarget.connect(address)
    for job in ("a", "b"):
        target.load(Plan(job, 1, ()))
    target.unload(["a"])
    target.close()
    target.close()
    assert [list(r.jobs) for call, r in servicer.asked if call == "Unload"] == [["a"], ["b"]]
    assert not [call for call, _ in servicer.asked if call == "Shutdown"]


def test_closing_never_raises(server: tuple[Server, str]) -> None:
    servicer, address = server
    target = EngineTarget.connect(address)
    target.load(PLAN)
    servicer.status["Unload"] = (grpc.StatusCode.INTERNAL, "broken")
    target.close()


@pytest.mark.parametrize(
    "address", ["localhost:50051", "unix:relative", "grpc+tls:host", "grpc:host:1", "tcp:a:1", ""]
)
def test_an_address_of_no_known_form_is_refused(address: str) -> None:
    with pytest.raises(TestbedError, match="write unix:/PATH or grpc\\+tls:HOST:PORT"):
        EngineTarget.connect(address)


def test_tls_needs_certificates() -> None:
    with pytest.raises(TestbedError, match="TLS needs certificates"):
        EngineTarget.connect("grpc+tls:tester.example:50051")
