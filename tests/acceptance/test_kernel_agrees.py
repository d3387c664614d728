# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester and the kernel of the device count the same numbers."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FCS_LENGTH, Duration, FrameSize
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.opening import OpenTestbed

from .capture import captured, frames, sequence
from .opened import opened
from .robots import quick_or_long
from .test_measurement import north, sent

_WRITTEN_S = 0.2  # by then tcpdump has what there is


@pytest.mark.parametrize("size", [quick_or_long(64, long=True), 1518])
def test_frames_and_bytes_agree_exactly(either: OpenTestbed, size: int) -> None:
    streams = [
        Stream("north", tx="p1", rx="p2", frame_size=FrameSize(size)),
        Stream("south", tx="p2", rx="p1", frame_size=FrameSize(size)),
    ]
    measurer = TrialMeasurer(either.tester, streams)
    ports, kernel = either.tester.target.snapshot(), either.testbed.kernel_counters()
    trial = measurer.measure(Fraction(1, 100), Duration(10**9))
    ports_after, kernel_after = either.tester.target.snapshot(), either.testbed.kernel_counters()
    assert trial.valid, trial
    assert trial.lost == 0
    for name in ("p1", "p2"):
        before, after = ports.port(name), ports_after.port(name)
        sent, received = after.tx_packets - before.tx_packets, after.rx_packets - before.rx_packets
        assert sent > trial.sent // 2 - 1
        assert kernel_after[name].rx_packets - kernel[name].rx_packets == sent
        assert kernel_after[name].tx_packets - kernel[name].tx_packets == received
        sent_bytes = after.tx_bytes - before.tx_bytes - FCS_LENGTH * sent
        received_bytes = after.rx_bytes - before.rx_bytes - FCS_LENGTH * received
        assert kernel_after[name].rx_bytes - kernel[name].rx_bytes == sent_bytes
        assert kernel_after[name].tx_bytes - kernel[name].tx_bytes == received_bytes
        assert kernel_after[name].rx_dropped == kernel[name].rx_dropped


@pytest.mark.parametrize("testbed", ["embedded/l2-bridge", "embedded/l3-router"])
@pytest.mark.parametrize("size", [64, quick_or_long(1518, long=True)])
def test_tcpdump_sees_what_is_received(testbed: str, size: int, tmp_path: Path) -> None:
    with closing(opened(testbed, tmp_path)) as device, captured(device, "p2", tmp_path / "out.pcap"):
        trial = sent(device, north("2 kpps", size), 1000)
        time.sleep(_WRITTEN_S)
    found = arrivals(tmp_path / "out.pcap")
    assert (trial.sent, trial.received, trial.lost) == (1000, 1000, 0)
    assert [sequence(frame) for frame in found] == list(range(1000))
    assert sum(len(frame) + FCS_LENGTH for frame in found) == trial.streams[0].counters.rx_bytes


@pytest.mark.parametrize(
    ("queue", "rate", "size"),
    [
        quick_or_long("tbf rate 20mbit burst 15000 limit 20000", "40 Mbps", 1024, long=True),
        ("tbf rate 5mbit burst 3000 limit 3000", "8 Mbps", 512),  # room for five frames
        quick_or_long("tbf rate 1mbit burst 1600 limit 1600", "2 Mbps", 64, long=True),
    ],
)
def test_what_queues_drop_is_lost(queue: str, rate: str, size: int, tmp_path: Path) -> None:
    """The tester, `tc -s`, the interface and tcpdump count the same frames and bytes."""
    with closing(opened("embedded/l2-bridge", tmp_path)) as device:
        prefix = device.testbed.dut_prefix
        command = [*prefix, "tc", "qdisc", "replace", "dev", "p2", "root", *queue.split()]
        subprocess.run(command, check=True)
        before, kernel = queued(device), device.testbed.kernel_counters()["p2"]
        port = device.tester.target.snapshot().port("p2")
        with captured(device, "p2", tmp_path / "out.pcap"):
            trial = sent(device, north(rate, size), 2000)
            time.sleep(_WRITTEN_S)
        after, kernel_after = queued(device), device.testbed.kernel_counters()["p2"]
        port_after = device.tester.target.snapshot().port("p2")
    found = arrivals(tmp_path / "out.pcap")
    assert trial.sent == 2000
    assert trial.lost == after["drops"] - before["drops"] > 0
    arrived = port_after.rx_packets - port.rx_packets  # with what bridge and kernel say by themselves
    octets = port_after.rx_bytes - port.rx_bytes - FCS_LENGTH * arrived
    assert after["packets"] - before["packets"] == kernel_after.tx_packets - kernel.tx_packets == arrived
    assert after["bytes"] - before["bytes"] == kernel_after.tx_bytes - kernel.tx_bytes == octets
    assert len(found) == trial.received == trial.streams[0].counters.rx_packets
    assert sum(len(frame) + FCS_LENGTH for frame in found) == trial.streams[0].counters.rx_bytes
    assert len({sequence(frame) for frame in found}) == 2000 - trial.lost


def arrivals(capture: Path) -> list[bytes]:
    """Test frames in a capture: UDP to the port of RFC 2544 C.2.6.4."""
    return [frame for _, frame in frames(capture) if frame[12:14] == b"\x08\x00" and frame[23] == 17]


def queued(bed: OpenTestbed) -> dict[str, int]:
    """The counters that `tc -s` shows for the queue at p2."""
    command = [*bed.testbed.dut_prefix, "tc", "-s", "-j", "qdisc", "show", "dev", "p2"]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    (root,) = [queue for queue in json.loads(shown) if queue.get("root")]
    return {name: root[name] for name in ("packets", "bytes", "drops")}
