# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two clients of one engine: who has stopped, changed or unloaded what of the other's is known."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from TesterLibrary._generated.tester.v1 import control_pb2, control_pb2_grpc
from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.job_counters import JobCounters
from TesterLibrary.measurement.query import time_objections
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.query import Function, Query, QueryField
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.query import plan_query
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.engine import convert
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program

from .rig import PATIENCE, Rig

PORTS = {"p1": "loop:x", "p2": "loop:x"}
ASKED = Duration(60 * 10**9)

pytestmark = pytest.mark.usefixtures("engine")


class Bob:
    """Another client, which calls itself bob."""

    def __init__(self, process: EngineProcess) -> None:
        options = (("grpc.primary_user_agent", "bob"),)
        self._channel = grpc.insecure_channel(process.address, options=options)
        self.stub = control_pb2_grpc.TesterStub(self._channel)

    def close(self) -> None:
        self._channel.close()


@pytest.fixture
def rig(process: EngineProcess) -> Rig:
    return Rig(process.target())


@pytest.fixture
def bob(process: EngineProcess) -> Iterator[Bob]:
    bob = Bob(process)
    yield bob
    bob.close()


@pytest.fixture
def plan(rig: Rig) -> Plan:
    return rig.load(rig.plan("north"))


def job_of(rig: Rig) -> JobCounters:
    job = rig.target.snapshot(["north"]).job("north")
    assert job is not None
    return job


def test_what_somebody_else_has_stopped_is_an_objection(rig: Rig, bob: Bob, plan: Plan) -> None:
    before = rig.target.snapshot(["north"])
    rig.target.start(["north"], duration=ASKED)
    time.sleep(0.2)
    bob.stub.Stop(control_pb2.StopRequest(jobs=["north"]))
    rig.target.wait(["north"], timeout=PATIENCE)
    after = rig.settled(["north"])
    objections = list(Evidence.between(plan, before, after).objections(EvidenceLimits()))
    assert objections[0].startswith("north was stopped after ")
    assert objections[0].endswith(" ms of 60 s by bob (somebody else)")
    job = job_of(rig)
    assert job.cut_short
    assert job.started_by == "", "that is this client"
    assert job.asked_duration_ns == ASKED.ns


def test_an_end_of_ones_own_is_none(rig: Rig, plan: Plan) -> None:
    before = rig.target.snapshot(["north"])
    rig.target.start(["north"])
    time.sleep(0.05)
    rig.target.stop(["north"])
    evidence = Evidence.between(plan, before, rig.settled(["north"]))
    assert evidence.meddling == ()
    assert job_of(rig).stopped_by == ""


def test_a_change_by_somebody_else_is_an_objection(rig: Rig, bob: Bob, plan: Plan) -> None:
    before = rig.target.snapshot(["north"])
    rig.target.start(["north"])
    changed = replace(plan.streams[0], departures=even(plan.streams[0].departures.rate / 2))
    rig.target.update("north", changed)
    assert Evidence.between(plan, before, rig.target.snapshot(["north"])).meddling == ()
    message = convert.stream_message(changed)
    bob.stub.Update(control_pb2.UpdateRequest(job="north", stream=message))
    (found,) = Evidence.between(plan, before, rig.target.snapshot(["north"])).meddling
    assert found == "a stream of job 'north' was changed while it was sending by bob (somebody else)"


@pytest.mark.usefixtures("plan")
def test_what_somebody_else_has_unloaded_is_missed_by_name(rig: Rig, bob: Bob) -> None:
    rig.target.start(["north"], duration=ASKED)
    bob.stub.Unload(control_pb2.UnloadRequest(jobs=["north"]))
    for call in (rig.target.snapshot, rig.target.stop, rig.target.unload):
        with pytest.raises(TargetError, match=r'no job "north"; it was unloaded by bob; .* somebody else'):
            call(["north"])
    with pytest.raises(PlanError, match='no job "other"; loaded are none'):
        rig.target.snapshot(["other"])


@pytest.mark.usefixtures("plan")
def test_whoever_waits_learns_who_has_ended_the_tester(rig: Rig, bob: Bob) -> None:
    rig.target.start(["north"], duration=ASKED)
    threading.Timer(0.3, bob.stub.Shutdown, [control_pb2.ShutdownRequest()]).start()
    with pytest.raises(TargetError, match="the tester was told to end by bob"):
        rig.target.wait(["north"], timeout=PATIENCE)


def stall(process: EngineProcess) -> None:
    """The tester stands still for 600 ms."""
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.6)
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(0.1)


def test_a_stall_is_in_the_evidence_whatever_somebody_starts_after_it(
    process: EngineProcess, rig: Rig, bob: Bob, plan: Plan
) -> None:
    rig.load(rig.plan("south", first_id=2, back=True))
    before = rig.target.snapshot(["north"])
    rig.target.start(["north"])
    time.sleep(0.1)
    stall(process)
    bob.stub.Start(control_pb2.StartRequest(jobs=["south"], packets_per_stream=10))
    after = rig.target.snapshot(["north", "south"])
    evidence = Evidence.between(plan, before, after)
    assert evidence.worst_worker_gap_ns >= 300_000_000
    assert any("a worker did not run for" in o for o in evidence.objections(EvidenceLimits()))
    south = after.job("south")
    assert south is not None
    assert south.worst_gap_ns(None) < 300_000_000
    later = Evidence.between(plan, after, rig.target.snapshot(["north"]))
    assert later.worst_worker_gap_ns < 300_000_000, "it was before this interval"


def test_a_stall_is_in_the_evidence_of_a_query_beside_no_job(process: EngineProcess, rig: Rig) -> None:
    """The gap between two packets is then the tester's, not the device's."""
    query = Query(name="silences", value=QueryField.parse("gap"), function=Function.MAX, port="p2")
    before = rig.target.snapshot()
    part_of(rig.target, "queries").start(plan_query(query, rig.ports, list(rig.ports)))
    frame = LearningFrame("p1", bytes(60))
    rig.target.frames.inject([frame])
    time.sleep(0.1)
    stall(process)
    rig.target.frames.inject([frame])
    time.sleep(0.1)
    part_of(rig.target, "queries").stop("silences")
    _, rows = part_of(rig.target, "queries").read("silences")
    (row,) = rows
    assert row.frames == 2
    assert row.value is not None
    assert row.value >= 600_000_000
    after = rig.target.snapshot()
    (counters,) = after.queries
    assert counters.worst_worker_gap_ns is not None
    assert counters.worst_worker_gap_ns >= 300_000_000
    (objection,) = time_objections("silences", before, after, EvidenceLimits())
    assert objection.startswith("a worker did not run for ")
    stall(process)
    assert rig.target.snapshot().queries == (counters,), "it had been stopped"


def test_sigterm_stops_the_traffic_first(tmp_path: Path) -> None:
    """Though somebody reads the metrics a byte at a time, and whoever read the log is gone."""
    path = tmp_path / "testerd.sock"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        metrics = taken.getsockname()
    ports = ("--port", "p1=loop:x", "--port", "p2=loop:x")
    metrics_at = f"{metrics[0]}:{metrics[1]}"
    command = [str(find_program()), "--listen", f"unix:{path}", *ports, "--metrics", metrics_at]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as engine:
        assert engine.stderr
        while b"ready" not in (line := engine.stderr.readline()):
            assert line
        engine.stderr.close()  # from here on, what it logs is a broken pipe
        with grpc.insecure_channel(f"unix:{path}") as channel:
            stub = control_pb2_grpc.TesterStub(channel)
            stub.GetInfo(control_pb2.GetInfoRequest())
            with suppress(grpc.RpcError):  # refused, which is logged
                stub.Stop(control_pb2.StopRequest(jobs=["nothing"]))
            stub.GetInfo(control_pb2.GetInfoRequest())
        slow = threading.Thread(target=_dribble, args=(metrics,))
        slow.start()
        time.sleep(0.2)
        engine.send_signal(signal.SIGTERM)
        assert engine.wait(5) == 0
        slow.join()


def _dribble(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection, suppress(OSError):
        for _ in range(40):
            connection.sendall(b"G")
            time.sleep(0.25)
