# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bursts through a shaper behind a fake switch (norma section 8, the traffic manager)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.methodology.token_bucket import Arrival, TokenBucket, arrivals_of
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake.wire import ShapingBridge
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.testbeds.fake_devices import Shaper

from .driver.test_job import stream
from .jobs import planned
from .rig import FOLDER, Bench

STATIONS = bytes.fromhex("020000000002 020000000001")
RATE, BURST, QUEUE = Bandwidth(20_000_000), 60_000, 60_000


@given(
    st.lists(st.tuples(st.integers(0, 2_000_000), st.integers(60, 1600)), max_size=80),
    st.integers(1518, 9000),
    st.integers(1518, 9000),
)
def test_it_drops_what_the_arithmetic_of_suites_says(
    gaps: list[tuple[int, int]], burst: int, queue: int
) -> None:
    """Frame by frame; frames that are longer than the bucket are not among them."""
    bridge, now_ns, arrivals, passed = ShapingBridge(Shaper(RATE, burst, queue)), 1000, [], []
    for gap_ns, octets in gaps:
        now_ns += gap_ns
        size = min(octets, burst)
        arrivals.append(Arrival(now_ns, size))
        passed.append(bool(list(bridge.forward(1, STATIONS.ljust(size, b"\0"), now_ns, [1, 2]))))
    dropped = TokenBucket(RATE, Octets(burst), Octets(queue)).dropped(arrivals)
    assert [not one for one in passed] == list(dropped)


@pytest.mark.parametrize(("packets", "sent"), [(30, 90), (3000, 6000)])
def test_bursts_lose_what_does_not_fit(packets: int, sent: int) -> None:
    """Short ones fit; of 3,000 frames at 2.5 times the average as many are lost as the arithmetic says."""
    tester = Bench(wire=ShapingBridge(Shaper(RATE, BURST, QUEUE)))
    target = TofinoTarget(
        tester.session(), Program.load(FOLDER), now_ns=lambda: tester.clock.now_ns, sleep=tester.clock.sleep
    )
    bursts = stream(
        rate=Rate.parse("10 Mbps"),
        frame_size=FrameSize(1518),
        shaping=Pattern((Stage(packets, packets * 3 // 2),)),
    )
    plan = planned([bursts])
    target.load(plan)
    target.start(["job"], packets=sent)
    target.wait(["job"], timeout=Duration(60 * 10**9))
    tester.clock.sleep(QUEUE * 8 / RATE.bps)  # until what waits has left
    (counted,) = target.snapshot(["job"]).streams
    bucket = TokenBucket(RATE, Octets(BURST), Octets(QUEUE))
    lost = bucket.lost(arrivals_of(plan.streams[0], sent), sent)
    assert (counted.tx_packets, counted.tx_packets - counted.rx_packets) == (sent, lost)
    assert (lost > 0) == (packets == 3000)
