# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two engines with a cable between them, as one target. TESTER_JOINED=1 runs the other tests on them, too."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.model.plan.plan import Plan, SenderClock
from TesterLibrary.model.units.units import Duration

from .engines import TwoEngines, two_engines
from .rig import PATIENCE, Rig

SECOND = Duration(10**9)


@pytest.fixture(scope="module")
def engines() -> Iterator[TwoEngines]:
    with two_engines() as engines:
        yield engines


@pytest.fixture
def rig(engines: TwoEngines) -> Iterator[Rig]:
    rig = Rig(engines.target)
    yield rig
    rig.clear()


def _both_ways(rig: Rig, rate: str = "10 kpps") -> Plan:
    there, back = rig.plan("both", rate=rate), rig.plan("back", rate=rate, back=True, first_id=2)
    return replace(there, streams=(*there.streams, *back.streams))


def test_each_frame_is_counted_at_both_ends(rig: Rig) -> None:
    rig.load(_both_ways(rig))
    before = rig.target.snapshot()
    after = rig.run(["both"], packets=5_000)
    for stream in after.streams:
        assert (stream.intended_packets, stream.tx_packets, stream.rx_packets) == (5_000,) * 3
        assert stream.tx_bytes == stream.rx_bytes == 5_000 * 64
        assert (stream.rx_misrouted, stream.rx_out_of_order, stream.order.duplicated) == (0, 0, 0)
        assert (stream.rx_corrupted, stream.rx_wrong_headers) == (0, 0)
        assert (stream.rx_version_rewritten, stream.rx_lost_crowded) == (None, None)
        assert stream.latency.count == 5_000
    for port in after.ports:
        assert port.rx_foreign == before.port(port.name).rx_foreign
    assert {polls.port for polls in after.jobs[0].polls} == {"p1", "p2"}


@pytest.mark.long  # by the clock, so on a machine of its own
def test_both_testers_start_at_one_instant(rig: Rig) -> None:
    plan = rig.load(_both_ways(rig))
    skews = []
    for _ in range(20):
        after = rig.run(["both"], packets=10)
        first, second = after.streams
        assert rig.target.clocks is not None
        error_ns = rig.target.clocks.error_ns(plan.streams[0])
        skews.append(abs(first.first_tx_ns - second.first_tx_ns) - error_ns)
    assert min(skews) < 100_000  # the others may be late on a busy machine


def test_delays_are_those_of_one_clock_within_the_error_that_is_said(rig: Rig) -> None:
    plan = rig.load(_both_ways(rig))
    after = rig.run(["both"], packets=2_000)
    assert rig.target.clocks is not None
    error_ns = rig.target.clocks.error_ns(plan.streams[0])
    assert 0 < error_ns < 5_000_000
    there, back = after.streams
    # A cable delays both directions alike: the error of the clocks is added to one and taken off the other.
    assert abs(there.latency.min_ns - back.latency.min_ns) <= 2 * error_ns + 200_000
    assert there.latency.min_ns + back.latency.min_ns > 0


def test_versions_are_exact_while_frames_leave(rig: Rig) -> None:
    rig.load(_both_ways(rig))
    rig.target.start(["both"])
    closed = []
    for _ in range(4):
        time.sleep(0.1)
        flipped = rig.target.flip(["both"])
        time.sleep(0.1)  # what was sent before has arrived
        version = flipped.closed_version
        for stream in rig.target.snapshot(["both"]).streams:
            counted = stream.versions[version]
            assert counted.tx_packets == counted.rx_packets > 0
            assert stream.rx_packets <= stream.tx_packets
        closed.append(version)
    assert closed == [0, 1, 0, 1]
    rig.target.stop(["both"])
    after = rig.settled(["both"])
    assert all(stream.rx_packets == stream.tx_packets for stream in after.streams)


def test_a_stream_is_changed_at_both_ends(rig: Rig) -> None:
    plan = rig.load(rig.plan("north", rate="1 kpps"))
    rig.target.start(["north"])
    time.sleep(0.1)
    faster = rig.plan("north", rate="20 kpps").streams[0]
    assert faster.frames == plan.streams[0].frames
    rig.target.update("north", faster)
    time.sleep(0.2)
    rig.target.stop(["north"])
    (stream,) = rig.settled(["north"]).streams
    assert stream.tx_packets > 2_000
    assert stream.rx_packets == stream.tx_packets


def test_what_one_engine_refuses_is_loaded_at_none(rig: Rig, engines: TwoEngines) -> None:
    foreign = rig.plan("foreign", first_id=9).streams[0]
    half = replace(foreign, tx_port="", sender_clock=SenderClock(0, 0))
    right = engines.members["right"]
    right.load(Plan("foreign", 1, (half,)))
    try:
        with pytest.raises(PlanError, match=r"tester 'right': .*stream id 9 is taken"):
            rig.target.load(rig.plan("north", first_id=9))
        assert not engines.members["left"].snapshot().streams
    finally:
        right.unload(["foreign"])


def test_an_order_that_comes_too_late_starts_nothing(rig: Rig, engines: TwoEngines) -> None:
    rig.load(rig.plan("north"))
    left = engines.members["left"]
    with pytest.raises(TargetError, match="after the instant that was agreed"):
        left.instants.start(["north"], at_ns=left.instants.read_ns())
    assert not left.snapshot(["north"]).streams[0].sending


@pytest.mark.parametrize("gone", ["left", "right"])
def test_if_an_engine_dies_the_other_one_stops(gone: str) -> None:
    with two_engines() as engines:
        rig = Rig(engines.target)
        rig.load(_both_ways(rig))
        rig.target.start(["both"])
        os.kill(engines.processes[gone].pid, signal.SIGKILL)
        with pytest.raises(TargetError, match=f"tester '{gone}': .*SIGKILL"):
            rig.target.wait(["both"], timeout=PATIENCE)
        other = next(member for name, member in engines.members.items() if name != gone)
        assert not any(stream.sending for stream in other.snapshot().streams)
