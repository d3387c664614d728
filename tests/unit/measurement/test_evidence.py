# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.job_counters import JobCounters, PollGaps
from TesterLibrary.measurement.snapshot import (
    ClockCounters,
    DepartureCounters,
    Snapshot,
    StreamCounters,
    WorkerCounters,
)
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import Plan, PlannedStream
from tests.counted import port_counters, stream_counters

LIMITS = EvidenceLimits()
GOOD = Evidence(
    intended_packets=1_000_000,
    offered_packets=1_000_000,
    rate_error=Fraction(0),
    tx_refused=5,
    rx_missed=0,
    kernel_dropped=0,
    worst_worker_gap_ns=LIMITS.max_worker_gap_ns,
    worst_lateness_ns=0,
    clock_drift=LIMITS.max_clock_drift,
)


def test_a_good_tester_has_no_objections() -> None:
    assert list(GOOD.objections(LIMITS)) == []
    assert not GOOD.missed_rate(LIMITS)


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        ({"intended_packets": 0, "offered_packets": 0}, "no frame was to be sent"),
        ({"offered_packets": 998_000}, "sent 998,000 of 1,000,000 frames"),
        (
            {"offered_packets": 998_000, "given_up_packets": 2000},
            "; 2,000 frames were not sent, since the tester slept, or its port took no frames, for more",
        ),
        ({"rate_error": -2 * LIMITS.max_rate_error}, "rate error of -"),
        ({"rate_error": 2 * LIMITS.max_rate_error}, "rate error of \\+"),
        ({"rx_missed": 1}, "1 frame was lost in the tester's own rings"),
        ({"kernel_dropped": 2}, "2 frames were lost in the tester's own rings"),
        ({"worst_worker_gap_ns": LIMITS.max_worker_gap_ns + 10**6}, "did not run for 51.0 ms"),
        (
            {"worst_lateness_ns": 2_000_000, "lost_packets": 3, "burst_packets": 4},
            "3 frames were lost, and pauses of the tester of up to 2.0 ms put up to 4 back to back",
        ),
        (
            {"unmeasured_packets": 9, "backlog_dropped": 5},
            "^nobody counts how many of 9 frames arrived, and this machine's kernel dropped 5 in its",
        ),
        (
            {"lost_packets": 7, "backlog_dropped": 5},
            "7 frames were lost, and this machine's kernel dropped 5 in its input queue",
        ),
        ({"steal": 2 * LIMITS.max_steal}, "the hypervisor took 10.0 % of the time from this machine"),
        ({"links_down": ("p1",)}, "^the link of p1 was down$"),
        ({"links_down": ("p1", "p2")}, "^the link of p1 and of p2 was down$"),
        ({"clock_drift": -2 * LIMITS.max_clock_drift}, "drifted by -200.0 ppm"),
    ],
)
def test_each_shortcoming_is_named(changes: dict[str, object], objection: str) -> None:
    (found,) = replace(GOOD, **changes).objections(LIMITS)  # type: ignore[arg-type]
    assert re.search(objection, found), found


def test_more_loss_than_a_pause_explains_is_the_devices() -> None:
    late = replace(GOOD, worst_lateness_ns=2_000_000, burst_packets=4)
    assert list(replace(late, lost_packets=5).objections(LIMITS)) == []
    assert list(replace(late, lost_packets=0).objections(LIMITS)) == []


def test_losses_that_follow_no_pause_are_the_devices_however_few() -> None:
    """A pause may have put more frames back to back than were lost."""
    late = replace(GOOD, worst_lateness_ns=2_000_000, burst_packets=40, lost_packets=5)
    assert list(replace(late, lost_crowded=4).objections(LIMITS)) == []


def test_losses_that_follow_pauses_below_the_limit_are_the_testers() -> None:
    paused = replace(GOOD, worst_lateness_ns=600_000, lost_packets=8, lost_crowded=8)
    (objection,) = paused.objections(LIMITS)
    assert objection == (
        "8 frames were lost, and pauses of the tester of up to 0.6 ms came before all of them"
    )
    assert list(replace(paused, lost_packets=0).objections(LIMITS)) == []


def test_one_stream_that_does_not_count_losses_behind_pauses_leaves_them_open() -> None:
    a = stream_counters(1, 10, 10, rx_packets=8, rx_lost_crowded=9)
    b = stream_counters(2, 10, 10, rx_packets=10, rx_lost_crowded=0)
    evidence = Evidence.between(plan(), snapshot(scale=2), snapshot(a, b, scale=3))
    assert evidence.lost_crowded == 2, "no more than are lost"
    other = replace(b, rx_lost_crowded=None)
    assert Evidence.between(plan(), snapshot(scale=2), snapshot(a, other, scale=3)).lost_crowded is None


def test_what_held_a_worker_up_is_named() -> None:
    held = replace(GOOD, worst_worker_gap_ns=60_000_000, waited_ns=45_000_000)
    (found,) = held.objections(LIMITS)
    assert found.endswith("in all, the kernel had its CPU do something else for 45.0 ms")


def test_drops_before_the_device_matter_only_where_frames_are_missing() -> None:
    assert list(replace(GOOD, backlog_dropped=5).objections(LIMITS)) == []


def test_a_test_may_allow_links_to_be_lost() -> None:
    down = replace(GOOD, links_down=("p1", "p2"))
    assert list(down.objections(replace(LIMITS, max_links_down=2))) == []
    (found,) = down.objections(replace(LIMITS, max_links_down=1))
    assert found == "the link of p1 and of p2 was down (limit 1 ports)"


def test_one_missing_frame_of_many_is_within_the_limits() -> None:
    assert list(replace(GOOD, offered_packets=999_000).objections(LIMITS)) == []
    assert replace(GOOD, offered_packets=999_000).shortfall == Fraction(1, 1000)


def plan() -> Plan:
    rate = Fraction(1, 1000)
    return Plan(
        "job",
        1,
        (
            PlannedStream(1, "a", "p1", "p2", (bytes(60),), True, even(rate)),
            PlannedStream(2, "b", "p1", "p2", (bytes(60),), True, even(rate)),
        ),
    )


JOB = JobCounters("job", starts=1, started_at_ns=4000, polls=(PollGaps("p1", 11), PollGaps("p2", 13)))


def snapshot(*streams: StreamCounters, scale: int = 1) -> Snapshot:
    """Port counters go on from whatever was before; only their growth is evidence."""
    ports = tuple(
        port_counters(name, tx_refused=3 * scale, rx_missed=5 * scale, kernel_dropped=7 * scale)
        for name in ("p1", "p2", "p3")
    )
    workers = (
        WorkerCounters(1, worst_gap_ns=99, waited_ns=3 * scale),
        WorkerCounters(2, worst_gap_ns=99, steal_ns=50_000 * scale),
    )
    clock = ClockCounters(100, 1000, 100 + 200_000 * scale, 1000 + 200_000 * scale)
    return Snapshot(1, ports, streams, workers, clock, jobs=(JOB,))


def test_without_workers_nobody_knows_how_long_they_waited() -> None:
    counted = [stream_counters(number, 101, 101, rx_packets=101) for number in (1, 2)]
    before, after = (replace(snapshot(*counted, scale=scale), workers=()) for scale in (2, 3))
    evidence = Evidence.between(plan(), before, after)
    assert (evidence.waited_ns, evidence.steal) == (None, None)
    assert not [text for text in evidence.objections(LIMITS) if "hypervisor" in text]


def test_evidence_is_what_changed_between_two_snapshots() -> None:
    a = stream_counters(
        1, 101, 101, first_tx_ns=5000, last_tx_ns=105_000, worst_lateness_ns=17, rx_packets=101
    )
    b = stream_counters(
        2, 101, 101, first_tx_ns=5000, last_tx_ns=130_000, worst_lateness_ns=19, rx_packets=101
    )
    evidence = Evidence.between(plan(), snapshot(scale=2), snapshot(a, b, scale=3), backlog_dropped=4)
    assert (evidence.backlog_dropped, evidence.waited_ns, evidence.steal) == (4, 3, Fraction(1, 4))
    assert (evidence.intended_packets, evidence.offered_packets) == (202, 202)
    assert (evidence.tx_refused, evidence.rx_missed, evidence.kernel_dropped) == (6, 10, 14)  # p3 is not used
    assert (evidence.worst_worker_gap_ns, evidence.worst_lateness_ns) == (13, 19)
    assert evidence.rate_error == Fraction(-1, 5)  # of the worse stream: 100 intervals in 125 us
    assert evidence.clock_drift == 0
    assert (evidence.lost_packets, evidence.burst_packets) == (0, 2)


def test_all_pauses_of_a_trial_explain_its_loss() -> None:
    """Ten pauses of 8 ms have a short queue overflow ten times, by less than the frames of each."""
    errors = {index_of(8_000_000): 10, index_of(900_000): 99}
    gaps = DepartureCounters(90_000, 10 * 8_000_000, 8_000_000, errors)
    counted = {"rx_packets": 40_000, "worst_lateness_ns": 8_000_000, "departures": gaps}
    paused = stream_counters(1, 90_000, 90_000, **counted)
    evidence = Evidence.between(plan(), snapshot(scale=2), snapshot(paused, StreamCounters(2), scale=3))
    assert 80_000 <= evidence.burst_packets <= 80_160  # at 1,000 frames/ms
    assert evidence.lost_packets == 50_000
    objections = "; ".join(evidence.objections(LIMITS))
    assert "50,000 frames were lost, and pauses of the tester of up to 8.0 ms" in objections


def test_only_what_the_clock_lost_meanwhile_is_its_drift() -> None:
    before = replace(snapshot(), clock=ClockCounters(0, 0, 1_000_000, 1_100_000))
    streams = (StreamCounters(1), StreamCounters(2))
    after = replace(snapshot(*streams), clock=ClockCounters(0, 0, 2_000_000, 2_100_000))
    assert Evidence.between(plan(), before, after).clock_drift == 0
    after = replace(after, clock=ClockCounters(0, 0, 2_001_000, 2_100_000))
    assert Evidence.between(plan(), before, after).clock_drift == Fraction(1, 1000)


def test_who_has_stopped_a_stream_is_an_objection() -> None:
    streams = (StreamCounters(1, 101, 101), StreamCounters(2, 101, 101))
    job = replace(JOB, asked_duration_ns=12 * 10**9, stopped_at_ns=5 * 10**9 + 4000, stopped_streams=(1,))
    after = replace(snapshot(*streams, scale=2), jobs=(replace(job, stopped_by="bob"),))
    evidence = Evidence.between(plan(), snapshot(), after)
    assert next(iter(evidence.objections(LIMITS))) == "a was stopped after 5 s of 12 s by bob (somebody else)"


def test_two_frames_are_needed_for_a_rate() -> None:
    one = stream_counters(1, 1, 1, first_tx_ns=5000, last_tx_ns=5000)
    evidence = Evidence.between(plan(), snapshot(), snapshot(one, replace(one, id=2)))
    assert evidence.rate_error == 0
