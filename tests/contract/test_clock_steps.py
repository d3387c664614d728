# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Somebody sets the machine's clock while it measures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary._generated.tester.v1 import control_pb2_grpc, lease_pb2
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.address import open_channel
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.parts import LeaseTerms

from .rig import Rig
from .stepping import stepping_clock


@pytest.fixture
def stepped(engine: EngineProcess, tmp_path: Path) -> Iterator[EngineProcess]:
    """An engine whose wall clock steps by an hour at each reading."""
    del engine  # where there is none, this test is skipped as others are
    library = stepping_clock(tmp_path)
    preload = ["env", f"LD_PRELOAD={library}"]
    process = EngineProcess.launch(ports={"p1": "loop:y", "p2": "loop:y"}, command_prefix=preload)
    assert str(library) in Path(f"/proc/{process.pid}/maps").read_text()
    yield process
    process.stop()


@pytest.fixture
def rig(stepped: EngineProcess) -> Rig:
    return Rig(stepped.target())


def test_steps_of_the_wall_clock_do_not_matter(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    for _ in range(4):
        rig.pass_time(0.05)
        rig.target.flip(["north"])
    rig.target.stop(["north"])
    snapshot = rig.settled(["north"])
    (counted,) = snapshot.streams
    assert counted.tx_packets == counted.rx_packets > 1000
    assert counted.latency.max_ns < 10**9
    assert 10**8 < counted.last_rx_ns - counted.first_tx_ns < 10**10
    assert [v.rx_packets for v in counted.versions] == [v.tx_packets for v in counted.versions]
    clock = snapshot.clock
    drift = (clock.engine_now_ns - clock.engine_start_ns) - (clock.raw_now_ns - clock.raw_start_ns)
    assert abs(drift) < 10**6


def test_a_trial_ends_when_it_should(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], packets=2000).streams
    assert counted.intended_packets == counted.rx_packets == 2000
    assert counted.last_tx_ns - counted.first_tx_ns < 10**9


def test_a_lease_ends_when_it_should(stepped: EngineProcess) -> None:
    """It is renewed and kept while its client lives; one that nobody renews ends after its time."""
    with closing(EngineTarget.connect(stepped.address)) as target:
        target.leases.acquire(LeaseTerms("alice", Duration(2 * 10**9)))
        time.sleep(4)
        holder = target.leases.holder()
        assert holder is not None
        assert holder.owner == "alice"
        rig = Rig(target)
        rig.load(rig.plan("north"))
        assert rig.run(["north"], packets=100).streams[0].rx_packets == 100
    with open_channel(stepped.address, None) as channel:
        stub = control_pb2_grpc.TesterStub(channel)
        stub.AcquireLease(lease_pb2.AcquireLeaseRequest(owner="bob", ttl_ns=2 * 10**9))
        assert stub.GetLease(lease_pb2.GetLeaseRequest()).HasField("lease")
        deadline = time.monotonic() + 10
        while stub.GetLease(lease_pb2.GetLeaseRequest()).HasField("lease"):
            assert time.monotonic() < deadline
            time.sleep(0.1)
