# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements against a delay that is known: the engine's own, between two of its ports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.model.plan.match import Match
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import PATIENCE, Rig

pytestmark = pytest.mark.usefixtures("engine")  # skipped where there is none


@contextmanager
def delayed(delay: str) -> Iterator[EngineProcess]:
    """An engine whose frames take so many nanoseconds from p1 to p2, and none back."""
    process = EngineProcess.launch(ports={"p1": "delay:x,0", "p2": f"delay:x,{delay}"})
    try:
        yield process
    finally:
        process.stop()


@pytest.fixture(scope="module")
def scattering() -> Iterator[EngineProcess]:
    """Up to five milliseconds, for each frame another time."""
    with delayed("0-5000000") as process:
        yield process


@pytest.fixture
def scattered(scattering: EngineProcess) -> Iterator[Rig]:
    rig = Rig(scattering.target())
    yield rig
    rig.clear()


@pytest.mark.parametrize("delay_ns", [1_000, 10_000, 100_000, 1_000_000, 10_000_000])
def test_no_frame_is_faster_than_the_line(delay_ns: int) -> None:
    with delayed(str(delay_ns)) as process:
        rig = Rig(process.target())
        rig.load(rig.plan("north"))
        (counted,) = rig.run(["north"], packets=500).streams
    assert counted.rx_packets == 500
    assert counted.latency.min_ns >= delay_ns * 0.999  # two clocks, each measured for itself
    (first, second) = counted.versions
    blind = first.rx_time_ns / first.rx_packets - first.tx_time_ns / first.tx_packets
    assert second.rx_packets == 0
    assert blind == pytest.approx(counted.latency.sum_ns / counted.latency.count, abs=1)
    assert counted.order.duplicated == counted.order.extent_max == counted.rx_out_of_order == 0
    assert counted.variation.ipdv_count == 499


def test_no_interval_loses_what_another_one_sent(scattered: Rig) -> None:
    """Frames of an interval are still on their way while those of the next one overtake them."""
    scattered.load(scattered.plan("north", rate="50 kpps"))
    scattered.target.start(["north"])
    before = scattered.target.snapshot(["north"]).streams[0]
    for number in range(30):
        time.sleep(0.01)
        closed = scattered.target.flip(["north"]).closed_version
        assert closed == number % 2
        at_once = scattered.target.snapshot(["north"]).streams[0]
        settled = _await(scattered, lambda s, v=closed: s.versions[v].rx_packets == s.versions[v].tx_packets)
        assert settled.versions[closed].tx_packets == at_once.versions[closed].tx_packets, "closed is closed"
        assert settled.versions[closed].rx_packets == settled.versions[closed].tx_packets
        assert settled.versions[closed].tx_packets > before.versions[closed].tx_packets
        before = settled
    scattered.target.stop(["north"])
    (counted,) = scattered.settled(["north"]).streams
    assert counted.rx_version_rewritten == 0
    assert sum(v.tx_packets for v in counted.versions) == counted.tx_packets
    assert sum(v.rx_packets for v in counted.versions) == counted.rx_packets == counted.tx_packets
    assert sum(v.rx_bytes for v in counted.versions) == counted.rx_bytes
    assert counted.rx_out_of_order > 0
    assert counted.order.extent_max > 1
    assert counted.order.duplicated == counted.order.late == 0
    assert counted.order.next_sequence == counted.tx_packets


def test_a_flip_before_a_stop_loses_nothing(scattered: Rig) -> None:
    scattered.load(scattered.plan("north", rate="50 kpps"))
    for _ in range(10):
        scattered.target.start(["north"])
        time.sleep(0.005)
        assert scattered.target.flip(["north"]).closed_version == 0, "a start begins with version 0"
        scattered.target.stop(["north"])
        (counted,) = scattered.settled(["north"]).streams
        assert [v.rx_packets for v in counted.versions] == [v.tx_packets for v in counted.versions]
        assert counted.rx_packets == counted.tx_packets == sum(v.rx_packets for v in counted.versions)


def test_counters_survive_a_client(scattering: EngineProcess, scattered: Rig) -> None:
    client = EngineTarget.connect(scattering.address)
    client.load(scattered.plan("north"))
    client.start(["north"], packets=100)
    client._calls.channel.close()  # no word of farewell, as when its process is killed
    scattered.target.wait(["north"], timeout=PATIENCE)
    (counted,) = scattered.settled(["north"]).streams
    scattered.target.unload(["north"])
    assert counted.rx_packets == counted.tx_packets == 100


def test_a_stream_without_version_can_not_be_flipped(scattered: Rig) -> None:
    plan = scattered.plan("north")
    scattered.load(replace(plan, streams=(replace(plan.streams[0], version=None),)))
    with pytest.raises(PlanError, match="no stream of them has a version"):
        scattered.target.flip(["north"])


def test_flows_are_told_apart(scattered: Rig) -> None:
    plan = scattered.plan("north", rate="50 kpps")
    scattered.load(replace(plan, streams=(replace(plan.streams[0], flows=10_000),)))
    counted = scattered.run(["north"], packets=12_345).streams[0]
    chunks = list(scattered.target.flows.read("north", 1))
    assert [chunk.first for chunk in chunks] == [0, 8192]
    sent, received = ([n for chunk in chunks for n in getattr(chunk, f"{d}_packets")] for d in ("tx", "rx"))
    assert sent == received == [2] * 2345 + [1] * 7655
    assert sum(sum(chunk.rx_bytes) for chunk in chunks) == counted.rx_bytes
    assert sum(sum(chunk.latency_sum_ns) for chunk in chunks) == counted.latency.sum_ns
    assert min(min(chunk.latency_min_ns) for chunk in chunks) == counted.latency.min_ns
    assert max(max(chunk.latency_max_ns) for chunk in chunks) == counted.latency.max_ns


def test_frames_without_signature_are_known_by_their_bytes(scattered: Rig) -> None:
    plan = scattered.plan("north")
    (stream,) = plan.streams
    addresses = stream.frame[26:34]  # of IPv4
    scattered.load(_matching(plan, addresses))
    (counted,) = scattered.run(["north"], packets=100).streams
    assert (counted.rx_packets, counted.rx_bytes) == (100, 6400)
    assert counted.versions[0].rx_packets == 100
    assert counted.latency.count == 0


def _matching(plan: Plan, addresses: bytes) -> Plan:
    match = Match(offset=26, mask=b"\xff" * len(addresses), value=addresses)
    return replace(
        plan, streams=(replace(plan.streams[0], signature=False, matches=(match,), payload_offset=0),)
    )


def _await(rig: Rig, settled: Callable[[StreamCounters], bool]) -> StreamCounters:
    """The counters of the one stream when they have settled, or after two seconds."""
    deadline = time.monotonic() + 2
    while True:
        snapshot: Snapshot = rig.target.snapshot(["north"])
        if settled(snapshot.streams[0]) or time.monotonic() > deadline:
            return snapshot.streams[0]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_a_worker_that_only_receives_is_as_awake_as_the_sender() -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    process = EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"}, cpus=cpus)
    try:
        rig = Rig(process.target())
        rig.load(rig.plan("north"))
        snapshot = rig.run(["north"], packets=1000)
    finally:
        process.stop()
    assert snapshot.streams[0].rx_packets == 1000
    assert snapshot.port("p2").rx_foreign == 0
    assert [worker.cpu for worker in snapshot.workers] == cpus
    assert all(worker.worst_gap_ns > 0 for worker in snapshot.workers), "gaps are known while polling"
