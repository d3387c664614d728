# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions, flows and what is counted of them: `proto/tester/v1/counters.proto`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.flows import flows_of
from TesterLibrary.measurement.interval import PortInterval
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Duration

from .rig import PATIENCE, Rig, SwitchRig

FIFTH = Duration(200_000_000)


def test_each_frame_is_counted_in_the_version_it_left_with(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    versions = []
    for _ in range(4):
        rig.pass_time(0.02)
        versions.append(rig.target.flip(["north"]).closed_version)
    rig.target.stop(["north"])
    (counted,) = rig.settled(["north"]).streams
    assert versions == [0, 1, 0, 1]
    assert counted.open_version == 0
    for version in counted.versions:
        assert version.rx_packets == version.tx_packets > 100
        assert version.rx_bytes == version.tx_bytes == 64 * version.tx_packets
    assert sum(v.tx_packets for v in counted.versions) == counted.tx_packets
    assert not counted.rx_version_rewritten


def test_ports_count_the_frames_of_each_version(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.load(rig.plan("other", first_id=2, frame_size=128, rate="3 kpps"))
    rig.load(rig.plan("back", first_id=3, back=True))
    jobs = ["north", "other", "back"]
    before = rig.target.snapshot()
    rig.target.start(jobs)
    for _ in range(3):
        rig.pass_time(0.02)
        rig.target.flip(jobs)
    rig.target.stop(jobs)
    after = rig.settled(jobs)
    north, other, back = (stream.versions for stream in after.streams)
    for number in (0, 1):
        p1, p2 = (
            PortInterval.between(name, before.port(name).versions[number], after.port(name).versions[number])
            for name in ("p1", "p2")
        )
        assert p1.sent == p2.received == north[number].tx_packets + other[number].tx_packets > 0
        assert p1.sent_bytes == p2.received_bytes
        assert p1.sent_bytes == 64 * north[number].tx_packets + 128 * other[number].tx_packets
        assert p2.sent == p1.received == back[number].tx_packets
    rig.target.unload(["other"])
    assert rig.target.snapshot().port("p1").versions == after.port("p1").versions


def test_a_flip_while_it_stops_loses_nothing(rig: Rig) -> None:
    rig.load(rig.plan("north", rate="100 kpps"))
    rig.target.start(["north"])
    for _ in range(20):
        rig.target.flip(["north"])
    rig.target.stop(["north"])
    closed = rig.target.flip(["north"]).closed_version
    (counted,) = rig.settled(["north"]).streams
    assert closed == 0
    assert [v.rx_packets for v in counted.versions] == [v.tx_packets for v in counted.versions]
    assert sum(v.tx_packets for v in counted.versions) == counted.tx_packets == counted.rx_packets


@pytest.mark.timed
def test_nothing_of_a_closed_version_leaves_any_more(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    rig.pass_time(0.05)
    flipped = rig.target.flip(["north"])
    at_once = _north(rig).versions[flipped.closed_version]
    rig.pass_time(0.05)
    later = _north(rig)
    assert later.versions[flipped.closed_version].tx_packets == at_once.tx_packets
    assert later.versions[1 - flipped.closed_version].tx_packets > 0
    assert later.first_tx_ns < flipped.at_ns < later.last_tx_ns


@pytest.mark.timed
def test_sums_of_times_give_the_mean_latency(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    version = counted.versions[0]
    assert counted.versions[1].rx_packets == 0
    blind = version.rx_time_ns / version.rx_packets - version.tx_time_ns / version.tx_packets
    assert blind == pytest.approx(counted.latency.sum_ns / counted.latency.count, rel=0.01, abs=50)


def test_a_start_begins_with_version_0(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.run(["north"], packets=10)
    assert rig.target.flip(["north"]).closed_version == 0
    (counted,) = rig.run(["north"], packets=10).streams
    assert (counted.open_version, counted.versions[0].rx_packets, counted.versions[1].rx_packets) == (
        0,
        10,
        0,
    )


def test_without_a_version_there_is_none_to_flip(rig: Rig) -> None:
    rig.load(_changed(rig.plan("north"), version=None))
    assert _north(rig).versions == ()
    with pytest.raises(PlanError):
        rig.target.flip(["north"])
    with pytest.raises(PlanError):
        rig.target.flip(["nobody"])


def test_flows_are_counted_one_by_one(rig: Rig) -> None:
    rig.load(_changed(rig.plan("north"), flows=300))
    rig.run(["north"], packets=1000)
    flows = list(flows_of(rig.target.flows.read("north", 1)))
    assert [flow.index for flow in flows] == list(range(300))
    assert [flow.sent for flow in flows] == [4] * 100 + [3] * 200
    assert [flow.received for flow in flows] == [flow.sent for flow in flows]
    assert all(flow.received_bytes == 64 * flow.received for flow in flows)
    for flow in flows:
        if isinstance(rig, SwitchRig):  # which counts latency by stream
            assert (flow.latency_sum_ns, flow.latency_min_ns, flow.latency_max_ns) == (None, None, None)
        else:
            assert flow.latency_min_ns
            assert flow.latency_mean_ns
            assert flow.latency_max_ns
            assert flow.latency_min_ns <= flow.latency_mean_ns <= flow.latency_max_ns


def test_flows_of_streams_are_apart_and_begin_anew(rig: Rig) -> None:
    """Each stream has counters of its own, and a start sets them to 0, whatever the other does."""
    rig.load(_changed(rig.plan("north"), flows=7))
    rig.load(_changed(rig.plan("other", first_id=2), flows=5))
    rig.run(["north"], packets=9)
    rig.run(["other"], packets=4)
    rig.run(["other"], packets=11)

    def counted(job: str, number: int) -> list[tuple[int, int]]:
        return [(flow.sent, flow.received) for flow in flows_of(rig.target.flows.read(job, number))]

    assert counted("north", 1) == [(2, 2)] * 2 + [(1, 1)] * 5
    assert counted("other", 2) == [(3, 3)] + [(2, 2)] * 4


def test_flows_that_are_not_counted_cannot_be_read(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    for job, stream in (("north", 1), ("north", 2), ("nobody", 1)):
        with pytest.raises(PlanError):
            list(rig.target.flows.read(job, stream))


def test_a_lossless_path_keeps_order(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    assert (counted.rx_packets, counted.order.next_sequence) == (counted.tx_packets, counted.tx_packets)
    assert (counted.order.duplicated, counted.rx_out_of_order, counted.order.behind) == (0, 0, 0)
    assert {counted.order.late, counted.order.extent_max, counted.rx_corrupted} <= {0, None}
    assert counted.outages is None or counted.outages.longest_lost == 0
    rig.target.wait(["north"], timeout=PATIENCE)


def _north(rig: Rig) -> StreamCounters:
    return rig.target.snapshot(["north"]).streams[0]


def _changed(plan: Plan, **changes: object) -> Plan:
    (stream,) = plan.streams
    return replace(plan, streams=(replace(stream, **changes),))  # type: ignore[arg-type]
