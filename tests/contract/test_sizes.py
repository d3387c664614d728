# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A stream of frames of several sizes on every target, which may be several streams there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.model.job import Job
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.plan.law import Departures, even
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.planning.compile import compile as compile_job

from .rig import PATIENCE, Rig

FIFTH = Duration(2 * 10**8)


def mixed(rig: Rig, rate: str = "12 kpps") -> Plan:
    """A job of one stream of IMIX."""
    stream = Stream("north", "p1", "p2", parse_frame_sizes("imix"), Rate.parse(rate))
    most = rig.target.capabilities().max_streams
    return compile_job(Job("north", (stream,)), ports=rig.ports, gateways={}, max_streams=most)


@pytest.mark.parametrize("duration_ns", [FIFTH.ns, 199_999_999, 10_000_001])
def test_as_many_frames_leave_as_are_due(rig: Rig, duration_ns: int) -> None:
    (stream,) = rig.load(mixed(rig)).streams
    (counted,) = rig.run(["north"], duration=Duration(duration_ns)).streams
    due = stream.frames_due(duration_ns)
    assert (counted.id, counted.intended_packets, counted.tx_packets) == (1, due, due)
    assert (counted.rx_packets, counted.rx_bytes) == (due, stream.octets(due))
    assert counted.latency.count == due
    assert counted.latency.min_ns <= counted.latency.max_ns


def test_another_rate_holds_for_all_sizes(rig: Rig) -> None:
    (stream,) = rig.load(mixed(rig, "1.2 kpps")).streams
    rig.target.start(["north"], packets=1207)
    rig.pass_time(0.1)
    (before,) = rig.target.snapshot(["north"]).streams
    assert 0 < before.tx_packets < 1207
    rig.target.update("north", replace(stream, departures=even(10 * stream.rate)))
    rig.target.wait(["north"], timeout=PATIENCE)
    (after,) = rig.settled(["north"]).streams
    assert (after.tx_packets, after.rx_packets, after.sending) == (1207, 1207, False)
    assert after.tx_bytes == after.rx_bytes


def test_versions_have_frames_of_all_sizes_and_their_delay(rig: Rig) -> None:
    rig.load(mixed(rig))
    rig.target.start(["north"])
    for _ in range(3):
        rig.pass_time(0.02)
        rig.target.flip(["north"])
    rig.target.stop(["north"])
    (counted,) = rig.settled(["north"]).streams
    left, arrived = 0, 0
    for version in counted.versions:
        assert version.tx_packets == version.rx_packets > 100
        assert version.tx_bytes == version.rx_bytes
        left, arrived = left + (version.tx_time_ns or 0), arrived + (version.rx_time_ns or 0)
    blind = (arrived - left) / counted.rx_packets
    assert blind == pytest.approx(counted.latency.sum_ns / counted.latency.count, abs=1)


def test_it_is_stopped_and_starts_anew(rig: Rig) -> None:
    rig.load(mixed(rig))
    rig.target.start(["north"])
    rig.pass_time(0.05)
    rig.target.stop(["north"])
    (first,) = rig.settled(["north"]).streams
    assert first.tx_packets == first.rx_packets > 0
    (again,) = rig.run(["north"], packets=24).streams
    assert (again.tx_packets, again.tx_bytes) == (24, 2 * (7 * 64 + 4 * 570 + 1518))


def test_its_departures_may_begin_later(rig: Rig) -> None:
    plan = mixed(rig)
    (stream,) = plan.streams
    later = Departures(stream.departures.law, 50 * 10**6)
    (stream,) = rig.load(replace(plan, streams=(replace(stream, departures=later),))).streams
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    due = stream.frames_due(FIFTH.ns)
    assert due == 1800
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (due, due, due)
