# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements through devices whose actions are known to the kernel or to a program of ours."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.measurement import remarks
from TesterLibrary.methodology.monitoring import Method
from TesterLibrary.methodology.order import order_of
from TesterLibrary.methodology.outage import outages_of
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.opening import OpenTestbed

from .defects import device_that, sent
from .opened import opened

FIFTH = Duration(2 * 10**8)


@pytest.fixture
def shaper(tmp_path: Path) -> Iterator[OpenTestbed]:
    bed = opened("embedded/shaper", tmp_path)
    yield bed
    bed.close()


def north(rate: str, size: int = 64) -> Stream:
    return Stream("north", tx="p1", rx="p2", frame_size=FrameSize(size), rate=Rate.parse(rate))


def test_a_bridge_loses_nothing_in_any_interval(bed: OpenTestbed) -> None:
    bed.traffic.start([north("20 kpps")])
    bed.traffic.start_monitoring(FIFTH)
    time.sleep(1.5)
    (trial,) = bed.traffic.stop([])
    result = bed.traffic.stop_monitoring()
    assert trial.lost == 0
    assert result.method is Method.VERSION
    assert len(result.intervals) > 1
    assert all(interval.sent == interval.received > 0 for interval in result.intervals)


@pytest.mark.long
def test_seconds_of_queueing_are_no_loss(bed: OpenTestbed) -> None:
    with device_that(bed, delay_s=1.5):
        bed.traffic.start([north("500 pps")])
        bed.traffic.start_monitoring(FIFTH)
        time.sleep(3)
        bed.traffic.stop([])
        result = bed.traffic.stop_monitoring()
    assert result.method is Method.VERSION
    assert [interval.lost for interval in result.intervals] == [0] * len(result.intervals)
    assert all((interval.delay_ns or 0) >= 1.5e9 for interval in result.intervals)


def test_a_token_bucket_drops_what_is_lost(shaper: OpenTestbed) -> None:
    # Frames in the queue still count for the tester's socket, which may have about a hundred (wmem_default):
    # a longer queue would slow the tester down instead of overflowing.
    queue = "tc qdisc replace dev p2 root tbf rate 200mbit burst 15000 limit 20000"
    subprocess.run([*shaper.testbed.dut_prefix, *queue.split()], check=True)
    before = _dropped(shaper, "p2")
    shaper.traffic.start([north("300 Mbps", 1024)])
    shaper.traffic.start_monitoring(FIFTH)
    time.sleep(1)
    (trial,) = shaper.traffic.stop([])
    result = shaper.traffic.stop_monitoring()
    dropped = _dropped(shaper, "p2") - before
    assert trial.lost == dropped > 0
    assert 0 < result.lost <= trial.lost  # some were lost before it was watched
    assert result.sent - result.lost == sum(interval.received for interval in result.intervals)
    blind = trial.streams[0].blind_delay
    assert blind
    assert blind.mean_ns is not None
    assert abs(float(blind.mean_ns) - (trial.latency.mean or 0)) <= blind.bound_ns


@pytest.mark.long
def test_a_queue_that_fills_without_loss_is_not_sustained(shaper: OpenTestbed) -> None:
    """110 frames a second into 100: nothing is lost of 5 s, and the delay grows by 100 ms a second."""
    queue = "tc qdisc replace dev p2 root tbf rate 816kbit burst 1600 limit 1000000"
    subprocess.run([*shaper.testbed.dut_prefix, *queue.split()], check=True)
    slow = north("110 pps", 1024)
    trial = TrialMeasurer(shaper.tester, [slow]).measure(
        shaper.tester.part_of_line(slow), Duration(5 * 10**9)
    )
    assert trial.lost == 0
    assert remarks.not_sustained(trial).startswith("not sustained: the delay grew from ")
    (stream,) = trial.streams
    assert stream.growth
    assert stream.growth.last_ns - stream.growth.first_ns == pytest.approx(5 * 10**8, rel=0.1)


@pytest.mark.long
def test_a_bridge_is_not_accused_of_a_queue(bed: OpenTestbed) -> None:
    steady = north("5 kpps")
    measurer = TrialMeasurer(bed.tester, [steady])
    trial = measurer.measure(bed.tester.part_of_line(steady), Duration(5 * 10**9))
    assert trial.streams[0].growth
    assert trial.sustained


def _dropped(bed: OpenTestbed, port: str) -> int:
    command = [*bed.testbed.dut_prefix, "tc", "-s", "-j", "qdisc", "show", "dev", port]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    return sum(queue["drops"] for queue in json.loads(shown) if queue["kind"] == "tbf")


def test_frames_that_are_overtaken_and_duplicated_are_counted(bed: OpenTestbed) -> None:
    with device_that(bed, hold_every=99, overtaken_by=3, duplicate_every=50, lose=[10, 4]):
        trial = sent(bed, north("2 kpps"), 2000)
    assert trial.sent == 2000
    order = order_of([trial])
    assert (order.lost, order.reordered, order.extent) == (4, 20, 3)
    assert order.duplicated == 40
    assert (order.late, order.corrupted, order.misrouted) == (0, 0, 0)


@pytest.mark.long
def test_a_device_that_writes_over_the_version_is_recognised(bed: OpenTestbed) -> None:
    with device_that(bed, erase_version=True, lose=[100, 7]):
        bed.traffic.start([north("1 kpps")])
        bed.traffic.start_monitoring(FIFTH)
        time.sleep(1)
        (trial,) = bed.traffic.stop([])
        result = bed.traffic.stop_monitoring()
    assert result.method is Method.QUIESCING
    assert result.reason == "the device writes over the version of 'north'"
    (whole,) = result.intervals
    assert (whole.sent, whole.lost) == (trial.sent, 7)


def test_an_outage_is_as_long_as_the_frames_missing_in_it(bed: OpenTestbed) -> None:
    bed.traffic.start([north("5 kpps")])
    time.sleep(0.3)
    _set_port(bed, "disabled")
    time.sleep(0.2)
    _set_port(bed, "forwarding")
    time.sleep(0.3)
    (trial,) = bed.traffic.stop([])
    (outage,) = outages_of([trial])
    assert outage.ended
    assert outage.lost == trial.lost >= 1000
    assert outage.by_loss_ns == Fraction(outage.lost * 200_000)
    assert outage.by_time_ns > 150_000_000  # the first frame before may have been found late


def _set_port(bed: OpenTestbed, state: str) -> None:
    number = {"disabled": "0", "forwarding": "3"}[state]
    command = [*bed.testbed.dut_prefix, "bridge", "link", "set", "dev", "p2", "state", number]
    subprocess.run(command, check=True)
