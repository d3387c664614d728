# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The driver on the model, opened by the shipped testbed: counts, not rates, because the model keeps none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.job import Job
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.opening import open_target
from TesterLibrary.testbeds import open_testbed

from .running import RunningModel

_COUNT = 40
_PATIENCE = Duration(60 * 10**9)
_PEER = ip_interface("198.18.0.99/24")
_SERVER = "198.18.0.88"


class Driver:
    """A target, its ports for the planner, and the jobs to take out."""

    def __init__(self, target: Target, ports: dict[str, Port]) -> None:
        self.target, self.ports = target, ports
        self._loaded: list[str] = []

    def load(self, name: str, *streams: Stream, ends: tuple[Responder, ...] = ()) -> None:
        """Loads streams by a plan, as a suite does; their addresses are known."""
        plan = compile_job(Job(name, streams, ends=ends), ports=self.ports, gateways={}, max_streams=64)
        self.target.load(plan)
        self._loaded.append(name)

    def until(self, holds: Callable[[Snapshot], bool]) -> Snapshot:
        """The first snapshot for which this holds, or the last one of a minute."""
        deadline = time.monotonic() + _PATIENCE.seconds
        while not holds(snapshot := self.target.snapshot()) and time.monotonic() < deadline:
            pass
        return snapshot

    def settled(self) -> StreamCounters:
        """Counters of the only stream, when all its frames have arrived."""
        (found,) = self.until(
            lambda snapshot: snapshot.streams[0].tx_packets == snapshot.streams[0].rx_packets
        ).streams
        return found

    def clear(self) -> None:
        """Nothing loops any more."""
        self.target.unload(self._loaded)
        self._loaded = []


@pytest.fixture(scope="module")
def opened(model: RunningModel, configuration: Path) -> Iterator[Driver]:
    assert configuration
    with model.inside.entered(), open_testbed("tofino-model") as testbed:
        model.inside.address("p1", _PEER)
        target = open_target(testbed)
    with closing(target):
        infos = target.capabilities().ports
        known = {port.name: port for port in testbed.testbed.ports}
        yield Driver(
            target,
            {info.name: known[info.name].described_by(info.mac, info.max_frame_size) for info in infos},
        )


@pytest.fixture
def driver(opened: Driver) -> Iterator[Driver]:
    yield opened
    opened.clear()


def stream(**changes: object) -> Stream:
    given = {"rate": Rate.parse("100 kpps"), "frame_size": FrameSize(128), **changes}
    return Stream("s", "p1", "p2", **given)  # type: ignore[arg-type]


@contextmanager
def cable(model: RunningModel, *, missing: Mapping[int, Collection[int]] | None = None) -> Iterator[None]:
    """A cable from p1 to p2 that loses the frames of these numbers, by version."""
    ends, over = (model.tap("p1"), model.tap("p2")), threading.Event()
    seen = [0, 0]

    def carry() -> None:
        while not over.is_set():
            for frame in ends[0].frames(1, seconds=0.2):
                version = frame[18] >> 7  # the first bit of IP.id
                if seen[version] not in (missing or {}).get(version, ()):
                    ends[1].send(frame)
                seen[version] += 1

    carrier = threading.Thread(target=carry)
    carrier.start()
    try:
        yield
    finally:
        over.set()
        carrier.join()
        for end in ends:
            end.close()


def test_exactly_so_many_frames_leave_arrive_and_are_timed(model: RunningModel, driver: Driver) -> None:
    driver.load("job", stream())
    with cable(model):
        driver.target.start(["job"], packets=_COUNT)
        driver.target.wait(["job"], timeout=_PATIENCE)
        found = driver.settled()
    assert (found.tx_packets, found.rx_packets, found.intended_packets) == (_COUNT, _COUNT, _COUNT)
    assert (found.tx_bytes, found.rx_bytes) == (_COUNT * 128, _COUNT * 128)
    assert (found.sending, found.rx_out_of_order, found.order.next_sequence) == (False, 0, _COUNT)
    assert found.latency.count == sum(found.latency.buckets.values()) == _COUNT
    assert 0 < found.latency.min_ns <= found.latency.max_ns
    assert 0 < found.first_tx_ns <= found.last_tx_ns


def test_ports_count_the_frames_of_streams(model: RunningModel, driver: Driver) -> None:
    driver.load("job", stream())
    before = driver.target.snapshot()
    with cable(model):
        driver.target.start(["job"], packets=_COUNT)
        driver.target.wait(["job"], timeout=_PATIENCE)
        driver.settled()
    after = driver.target.snapshot()
    assert after.port("p1").tx_packets - before.port("p1").tx_packets == _COUNT
    assert after.port("p2").rx_packets - before.port("p2").rx_packets == _COUNT
    assert after.port("p2").rx_foreign == before.port("p2").rx_foreign


def test_a_pattern_passes_and_skips_exactly(model: RunningModel, driver: Driver) -> None:
    driver.load("job", stream(shaping=Pattern((Stage(4, 6),)), rate=Rate.parse("10 kpps")))
    tap = model.tap("p1")
    driver.target.start(["job"], packets=_COUNT)
    driver.target.wait(["job"], timeout=_PATIENCE)
    frames = tap.frames(_COUNT + 1, seconds=3)
    tap.close()
    assert len(frames) == driver.target.snapshot().streams[0].tx_packets == _COUNT


def test_frames_that_are_lost_are_found_in_the_version_that_they_left_in(
    model: RunningModel, driver: Driver
) -> None:
    driver.load("job", stream(rate=Rate.parse("123 pps")))
    lost = {0: (2, 3, 9), 1: (0, 4, 5, 6, 11)}
    gone = sum(map(len, lost.values()))
    with cable(model, missing=lost):
        driver.target.start(["job"])
        driver.until(lambda snapshot: snapshot.streams[0].versions[0].tx_packets > _COUNT)
        assert driver.target.flip(["job"]).closed_version == 0
        driver.until(lambda snapshot: snapshot.streams[0].versions[1].tx_packets > _COUNT)
        driver.target.stop(["job"])
        found = driver.until(
            lambda snapshot: snapshot.streams[0].tx_packets - snapshot.streams[0].rx_packets == gone
        )
    assert [version.tx_packets - version.rx_packets for version in found.streams[0].versions] == [
        len(sequences) for sequences in lost.values()
    ]
    assert found.streams[0].order.next_sequence == found.streams[0].tx_packets


def test_a_job_that_is_started_again_begins_anew(model: RunningModel, driver: Driver) -> None:
    driver.load("job", stream())
    driver.target.start(["job"], packets=_COUNT)
    driver.target.flip(["job"])
    driver.target.wait(["job"], timeout=_PATIENCE)
    with cable(model):
        driver.target.start(["job"], packets=2 * _COUNT)
        driver.target.wait(["job"], timeout=_PATIENCE)
        found = driver.settled()
    assert [version.tx_packets for version in found.versions] == [2 * _COUNT, 0]
    assert (found.rx_packets, sum(found.latency.buckets.values())) == (2 * _COUNT, 2 * _COUNT)
    assert (found.order.next_sequence, found.rx_out_of_order) == (2 * _COUNT, 0)


def test_neighbours_are_asked_and_answered(model: RunningModel, driver: Driver) -> None:
    driver.load("job", stream())
    port = driver.ports["p1"]
    assert port.address is not None
    tap = model.tap("p1")
    asked = b"\xff" * 6 + bytes((2, 0, 0, 0, 0, 0x77)) + bytes.fromhex("0806 0001 0800 0604 0001")
    asked += bytes((2, 0, 0, 0, 0, 0x77)) + ip_address("198.18.0.77").packed + bytes(6)
    tap.send((asked + port.address.ip.packed).ljust(60, b"\0"))
    (answer,) = tap.frames(1)
    tap.close()
    assert answer[:12] == bytes((2, 0, 0, 0, 0, 0x77)) + port.mac
    assert answer[20:32] == b"\0\2" + port.mac + port.address.ip.packed
    found = driver.target.frames.resolve("p1", _PEER.ip, source=port.address.ip, source_mac=port.mac)
    assert found == bytes((2, 0, 0, 0, 2, 1))  # as running.py gives it to that end


def test_curl_is_served(model: RunningModel, driver: Driver) -> None:
    servers = Endpoints(AddressRange.parse(_SERVER), PortRange(80))
    driver.load("job", ends=(Responder(name="web", port="p1", protocol="http-get", servers=servers),))
    driver.target.start(["job"])
    assert model.fetched(_SERVER) == 1000
    driver.target.stop(["job"])
    end = driver.target.snapshot(["job"]).end("job", "web")
    assert (end.answering, end.not_sent) == (False, 0)
    assert end.rx_packets >= end.tx_packets >= 3  # to SYN, request and FIN
