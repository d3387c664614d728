# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cycles of a port that joins and leaves, on a fake that forwards whoever has joined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.counter import EVERY_COUNTER
from TesterLibrary.measurement.multicast import Reported
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.membership import GroupProtocol, Membership
from TesterLibrary.model.multicast import group_stream
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.memberships import JoinManner, Memberships
from TesterLibrary.running.procedures.group_delay import DelayMeasurer, DelayTimes
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from tests.counted import stream_counters

from ..testers import fake_tester

GROUP = AddressRange.parse("239.1.1.1")
STREAM = group_stream("video", "p1", ["p2"], GROUP, rate=Rate.parse("1 kpps"))
SHORT = DelayTimes(Duration(10**8), Duration(10**8), Duration(10**9))
V2 = GroupProtocol.IGMPV2


def measurer(directory: Path, times: DelayTimes = SHORT, **options: Any) -> tuple[DelayMeasurer, Memberships]:
    tester = fake_tester(directory, **options)
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)  # as if it knew times
    memberships = Memberships(tester)
    return DelayMeasurer(tester, memberships, STREAM, "p2", protocol=V2, times=times), memberships


def test_a_device_that_forwards_to_everybody_is_seen(tmp_path: Path) -> None:
    made, _ = measurer(tmp_path)
    cycle, trial = made.cycle()
    assert (cycle.gap_ns, cycle.is_early, cycle.ended) == (1_000_000, True, False)
    assert (trial.valid, trial.attempt, cycle.objections) == (True, 1, ())


@pytest.mark.parametrize(("pause_ms", "ended"), [(300, False), (2_900, False), (4_000, True)])
def test_a_device_that_pauses_after_a_leave_has_not_forgotten_the_group(
    pause_ms: int, ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It forwards nothing for a while, then for ever; a longer pause than is asked for looks like the end."""
    made, memberships = measurer(tmp_path, replace(SHORT, silence=Duration(3 * 10**9)))
    tester = memberships._tester
    run = StreamRun(tester, "group", [STREAM])
    left_ns, again_ns = 10**9, 10**9 + pause_ms * 10**6
    now_ns = [left_ns]

    def snapshot(_: object) -> Snapshot:
        now = now_ns[0]
        last_ns = left_ns if now < again_ns else now
        return Snapshot(now, streams=(stream_counters(id=run.ids[0], rx_packets=9, last_rx_ns=last_ns),))

    def sleep(seconds: float) -> None:
        now_ns[0] += round(seconds * 10**9)

    monkeypatch.setattr(tester.target, "snapshot", snapshot)
    tester.clock = Clock(sleep, lambda: now_ns[0])
    last_ns, is_over = made._last(run, Reported(1, left_ns, left_ns))
    assert is_over is ended
    assert (last_ns == left_ns) is ended


@pytest.mark.parametrize("stalled", [1, 3, 4])
def test_a_cycle_in_which_the_tester_stalled_is_repeated(stalled: int, tmp_path: Path) -> None:
    """As the group was sent, as the port joined, or as it left. The second start is of its table."""
    made, _ = measurer(tmp_path, stalls={stalled})
    cycle, trial = made.cycle()
    assert (trial.attempt, trial.valid, cycle.objections) == (2, True, ())


@pytest.mark.parametrize("stalls", [set(), {1}])
def test_a_burden_is_sent_in_each_cycle_and_again_if_the_tester_stalled(
    stalls: set[int], tmp_path: Path
) -> None:
    """RFC 3918 §8.2. Only the burden of the cycle that counts is kept."""
    tester = fake_tester(tmp_path, stalls=stalls)
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    north = Stream("north", tx="p2", rx="p1", rate=Rate.parse("1 kpps"))
    made = DelayMeasurer(tester, Memberships(tester), STREAM, "p2", protocol=V2, times=SHORT, burden=[north])
    _, trial = made.cycle()
    assert trial.attempt == 1 + len(stalls)
    (burden,) = made.burden.trials
    assert (burden.valid, burden.streams[0].name) == (True, "north")
    assert burden.streams[0].counters.tx_packets > 1000
    assert not tester.air.runs


def test_a_member_has_no_join_delay(tmp_path: Path) -> None:
    _, memberships = measurer(tmp_path)
    memberships.join(Membership("p2", GROUP), JoinManner(Frequency.parse("1 k/s"), robustness=1))
    with pytest.raises(PlanError, match=r"port 'p2' has joined 239.1.1.1 already; call Leave Group first"):
        DelayMeasurer(memberships._tester, memberships, STREAM, "p2", protocol=V2, times=SHORT)


def test_a_first_frame_that_does_not_come_is_waited_for_in_the_time_of_the_tester(tmp_path: Path) -> None:
    silent = FakeDevice(FakePath(loss=Ratio.parse("100 %")))
    target = FakeTarget(device=silent)
    made, _ = measurer(tmp_path, target=target)
    cycle, _ = made.cycle()
    assert (cycle.first_ns, cycle.watched_ns) == (None, SHORT.timeout.ns)
    assert SHORT.timeout.ns < target.now_ns < 10 * SHORT.timeout.ns
