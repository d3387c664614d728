# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tester counts and what the kernel of the device counts are the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from TesterLibrary.measurer import TrialMeasurer
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import FCS_LENGTH, Duration, FrameSize
from TesterLibrary.opening import OpenTester, open_tester
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder


@pytest.fixture(params=["embedded/l2-bridge", "embedded/l3-router"])
def tester(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenTester]:
    opened = open_tester(
        request.param, seed=1, recorder=Recorder(tmp_path), progress=Progress(stream=StringIO())
    )
    yield opened
    opened.close()


@pytest.mark.parametrize("size", [64, 1518])
def test_frames_and_bytes_agree_exactly(tester: OpenTester, size: int) -> None:
    streams = [
        Stream("north", tx="p1", rx="p2", frame_size=FrameSize(size)),
        Stream("south", tx="p2", rx="p1", frame_size=FrameSize(size)),
    ]
    measurer = TrialMeasurer(tester.bench, streams)
    ports, kernel = tester.bench.target.snapshot(), tester.testbed.kernel_counters()
    trial = measurer.measure(Fraction(1, 100), Duration(10**9))
    ports_after, kernel_after = tester.bench.target.snapshot(), tester.testbed.kernel_counters()
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
