# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several streams of a port: their frames leave in turn, as exactly as the target says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job

from .rig import Rig

FIFTH = Duration(2 * 10**8)
RATE = Rate.parse("999 pps")
GAP_NS = Fraction(10**9, 999)


def turns(rig: Rig, *phases: Fraction, start_after: Duration | None = None) -> Plan:
    """A job of p1 whose streams leave so much of a gap later."""
    more = {} if start_after is None else {"start_after": start_after}
    streams = tuple(
        Stream(f"turn {number}", "p1", "p2", FrameSize(64), RATE, phase=phase, **more)
        for number, phase in enumerate(phases)
    )
    most = rig.target.capabilities().max_streams
    return compile_job(Job("turns", streams), ports=rig.ports, gateways={}, max_streams=most)


@pytest.mark.timed
@pytest.mark.parametrize("start_after", [None, Duration(50_050_050)], ids=["at once", "later"])
def test_frames_leave_a_phase_apart(rig: Rig, start_after: Duration | None) -> None:
    thirds = Fraction(0), Fraction(1, 3), Fraction(2, 3)
    rig.load(turns(rig, *thirds, start_after=start_after))
    first, *others = rig.run(["turns"], packets=50).streams
    assert [counted.tx_packets for counted in (first, *others)] == [50, 50, 50]
    for counted, phase in zip(others, thirds[1:], strict=True):
        late = first.worst_lateness_ns + counted.worst_lateness_ns + 1
        assert abs(counted.first_tx_ns - first.first_tx_ns - phase * GAP_NS) <= late
        assert abs(counted.last_tx_ns - first.last_tx_ns - phase * GAP_NS) <= late


def test_as_many_leave_as_are_due_by_their_phase(rig: Rig) -> None:
    plan = rig.load(turns(rig, Fraction(0), Fraction(1, 2), Fraction(9, 10)))
    counted = rig.run(["turns"], duration=FIFTH).streams
    due = [stream.frames_due(FIFTH.ns) for stream in plan.streams]
    assert due == [200, 200, 199]
    assert [stream.intended_packets for stream in counted] == due
    assert [stream.tx_packets for stream in counted] == [stream.rx_packets for stream in counted] == due


def test_one_whose_phase_is_longer_than_the_time_sends_nothing(rig: Rig) -> None:
    rig.load(turns(rig, Fraction(0), Fraction(1, 2)))
    counted = rig.run(["turns"], duration=Duration(400_000)).streams
    assert [(one.intended_packets, one.tx_packets, one.sending) for one in counted] == [
        (1, 1, False),
        (0, 0, False),
    ]
