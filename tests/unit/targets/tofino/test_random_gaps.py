# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams with random gaps on a fake switch: what is loaded and removed, and what stands still for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.departures import Poisson, UniformGaps
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.switch.resources import GAP_LAWS, GAP_QUANTILES
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from tests.contract.rig import SwitchRig
from tests.program.twins import Tap

QUANTILES = "internal.InternalIngress.rate.gaps.quantiles"


def loaded(rig: SwitchRig) -> int:
    return len(rig.daemon.running.store.entries(QUANTILES))


def one(rig: SwitchRig, job: str = "north", *, first_id: int = 1) -> Plan:
    return rig.load(rig.plan(job, rate="1 kpps", first_id=first_id, shaping=Poisson()))


def test_a_law_comes_with_the_start_and_goes_with_the_job() -> None:
    rig = SwitchRig()
    one(rig)
    assert loaded(rig) == 0  # its template does not loop yet
    rig.run(["north"], packets=10)
    assert loaded(rig) == GAP_QUANTILES
    rig.clear()
    assert loaded(rig) == 0


def test_a_stream_that_gets_equal_gaps_has_them_from_then_on() -> None:
    tap = Tap()
    rig = SwitchRig(tap)
    plan = one(rig)
    rig.target.start(["north"])
    rig.pass_time(0.1)
    even = rig.plan("north", rate="1 kpps").streams[0]
    rig.target.update("north", replace(plan.streams[0], departures=even.departures))
    assert loaded(rig) == 0
    rig.target.snapshot()
    tap.left.clear()
    rig.pass_time(0.1)
    rig.target.snapshot()
    gaps = {round((later - time) / 10**6, 2) for (time, *_), (later, *_) in pairwise(tap.left)}
    assert gaps <= {1.0, 1.01}  # some of the ticks in its gaps are skipped


@pytest.mark.parametrize("seconds", [0.5, 3.0, 5.0])
def test_a_template_that_stood_still_makes_up_for_nothing(seconds: float) -> None:
    """Neither between two starts, nor before the first one."""
    tap = Tap()
    rig = SwitchRig(tap)
    rig.load(rig.plan("north", rate="1 kpps", shaping=UniformGaps()))
    for _ in range(2):
        rig.pass_time(seconds)
        tap.left.clear()
        began_ns = rig.now_ns
        rig.run(["north"], packets=50)
        assert tap.left[0][0] - began_ns < 500_000_000
        gaps = [later - time for (time, *_), (later, *_) in pairwise(tap.left)]
        assert sum(gap < 100_000 for gap in gaps) < 10  # 5 % of the law's
        assert 35_000_000 < sum(gaps) < 65_000_000


def test_a_stream_that_is_stopped_has_sent_what_was_due_by_chance() -> None:
    rig = SwitchRig()
    one(rig)
    rig.target.start(["north"])
    rig.pass_time(1.0)
    rig.target.stop(["north"])
    (counted,) = rig.settled(["north"]).streams
    assert counted.intended_packets == counted.tx_packets == counted.rx_packets
    assert abs(counted.tx_packets - 1000) < 6 * 1000**0.5


def test_a_trial_has_as_many_frames_as_are_due_on_average() -> None:
    rig = SwitchRig()
    one(rig)
    (counted,) = rig.run(["north"], duration=Duration(10**9)).streams
    assert (counted.intended_packets, counted.tx_packets) == (1000, 1000)


def test_a_switch_that_takes_entries_slowly_is_no_slow_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law is 1,024 entries; the stream begins when they are written, not when the first of them is."""
    tap = Tap()
    rig = SwitchRig(tap)
    one(rig)
    write = rig.session.write

    def slowly(entries: Sequence[TableEntry]) -> None:
        rig.pass_time(0.003 * len(entries))
        write(entries)

    monkeypatch.setattr(rig.session, "write", slowly)
    (counted,) = rig.run(["north"], duration=Duration(10**9)).streams
    times = [time for time, *_ in tap.left]
    assert (counted.intended_packets, counted.tx_packets) == (1000, 1000)
    assert counted.last_tx_ns - counted.first_tx_ns == pytest.approx(times[-1] - times[0], rel=0.05)
    rig.target.start(["north"])
    rig.pass_time(1.0)
    faster = rig.plan("north", rate="2 kpps", shaping=Poisson()).streams[0]
    rig.target.update("north", faster)
    rig.pass_time(1.0)
    rig.target.stop(["north"])
    (counted,) = rig.settled(["north"]).streams
    assert counted.intended_packets == counted.tx_packets


def test_laws_of_all_jobs_share_the_room() -> None:
    rig = SwitchRig()
    for number in range(GAP_LAWS):
        one(rig, f"job{number}", first_id=number + 1)
    with pytest.raises(PlanError, match="laws of random gaps: 17 needed, 16 there, other jobs' included"):
        one(rig, "more", first_id=90)
    rig.load(rig.plan("even", first_id=91))
