# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

from TesterLibrary.measurement.job_counters import JobCounters, PollGaps
from TesterLibrary.measurement.snapshot import (
    ClockCounters,
    OutageCounters,
    PortCounters,
    Snapshot,
    StreamCounters,
    VersionCounters,
    WorkerCounters,
)
from TesterLibrary.targets.joined.merge import MemberSnapshot, StreamPlaces, merged

SENT = StreamCounters(
    1,
    intended_packets=100,
    tx_packets=99,
    tx_bytes=6336,
    first_tx_ns=10,
    last_tx_ns=20,
    worst_lateness_ns=3,
    sending=True,
    open_version=1,
    given_up_packets=1,
    rx_misrouted=2,
    rx_misrouted_ports=("p1",),
    rx_misrouted_by_port=(2,),
    rx_misrouted_behind=(0,),
    rx_misrouted_damaged=(1,),
    versions=(VersionCounters(50, 3200, 500), VersionCounters(49, 3136, 600)),
)
RECEIVED = StreamCounters(
    1,
    rx_packets=97,
    rx_bytes=6208,
    first_rx_ns=1012,
    last_rx_ns=1025,
    rx_misrouted=0,
    rx_misrouted_by_port=(),
    rx_misrouted_behind=(),
    rx_misrouted_damaged=(),
    rx_version_rewritten=0,
    rx_lost_crowded=0,
    outages=OutageCounters(1, 5, 1, 5, 1015, 1),
    versions=(VersionCounters(0, 0, 0, 50, 3200, 700), VersionCounters(0, 0, 0, 47, 3008, 800)),
)
LEFT = MemberSnapshot("left", Snapshot(2000, (PortCounters("p1", 99),), (SENT,)), 0)
RIGHT = MemberSnapshot("right", Snapshot(3000, (PortCounters("p2", rx_packets=97),), (RECEIVED,)), -1000)
PLACES = {1: StreamPlaces("left", "right")}


def test_departures_are_the_senders_and_arrivals_the_receivers() -> None:
    snapshot = merged([LEFT, RIGHT], PLACES, ["p2", "p1"])
    (stream,) = snapshot.streams
    assert (stream.intended_packets, stream.tx_packets, stream.given_up_packets) == (100, 99, 1)
    assert (stream.rx_packets, stream.rx_bytes, stream.sending, stream.open_version) == (97, 6208, True, 1)
    assert (stream.first_tx_ns, stream.last_tx_ns) == (10, 20)
    assert (stream.first_rx_ns, stream.last_rx_ns) == (12, 25)  # on the clock of the first tester
    assert stream.outages is not None
    assert stream.outages.longest_start_ns == 15
    assert stream.versions == (
        VersionCounters(50, 3200, 500, 50, 3200, 700),
        VersionCounters(49, 3136, 600, 47, 3008, 800),
    )
    assert (stream.rx_version_rewritten, stream.rx_lost_crowded) == (None, None)
    assert (stream.rx_misrouted, stream.rx_misrouted_ports) == (2, ("p1",))
    assert [port.name for port in snapshot.ports] == ["p2", "p1"]
    assert snapshot.taken_at_ns == 2000


def test_a_stream_within_one_tester_keeps_all_its_counters() -> None:
    own = replace(SENT, rx_packets=98, rx_version_rewritten=0, rx_lost_crowded=1)
    left = replace(LEFT, snapshot=replace(LEFT.snapshot, streams=(own,)))
    assert merged([left], {1: StreamPlaces("left", "left")}, ["p1"]).streams == (own,)


def test_frames_that_arrive_at_a_third_tester_are_misrouted() -> None:
    stray = StreamCounters(
        1,
        rx_misrouted=5,
        rx_misrouted_ports=("p3",),
        rx_misrouted_by_port=(5,),
        rx_misrouted_behind=(1,),
        rx_misrouted_damaged=(2,),
    )
    third = MemberSnapshot("third", Snapshot(9000, streams=(stray,)), -7000)
    (stream,) = merged([LEFT, RIGHT, third], PLACES, ["p1", "p2"]).streams
    assert (stream.rx_misrouted, stream.rx_misrouted_ports) == (7, ("p1", "p3"))
    assert (stream.rx_misrouted_by_port, stream.rx_misrouted_behind) == ((2, 5), (0, 1))
    assert stream.rx_misrouted_damaged == (1, 2)


def test_what_one_end_does_not_count_is_none() -> None:
    blind = replace(RECEIVED, rx_misrouted=None, rx_misrouted_by_port=None, rx_misrouted_behind=None)
    right = replace(RIGHT, snapshot=replace(RIGHT.snapshot, streams=(blind,)))
    (stream,) = merged([LEFT, right], PLACES, ["p1", "p2"]).streams
    assert (stream.rx_misrouted, stream.rx_misrouted_by_port) == (None, None)


def test_a_later_reading_gives_departures_alone() -> None:
    later = replace(SENT, tx_packets=150, rx_misrouted=3)
    whole = replace(LEFT, snapshot=replace(LEFT.snapshot, streams=(later,)))
    (stream,) = LEFT.with_departures(whole).snapshot.streams
    assert (stream.tx_packets, stream.rx_misrouted) == (150, 2)


def test_workers_and_clocks_of_testers_are_told_apart() -> None:
    clock = ClockCounters(0, 0, 5, 6)
    parts = [
        replace(part, snapshot=replace(part.snapshot, workers=(WorkerCounters(1, 3),), clock=clock))
        for part in (LEFT, RIGHT)
    ]
    snapshot = merged(parts, PLACES, ["p1", "p2"])
    assert len({worker.lcore for worker in snapshot.workers}) == 2
    assert snapshot.clocks == {"left": clock, "right": clock}
    assert snapshot.clock == clock


def test_whoever_stopped_one_tester_has_stopped_the_job() -> None:
    ours = JobCounters("job", 1, started_at_ns=100, asked_duration_ns=50, polls=(PollGaps("p1", 7),))
    theirs = replace(
        ours,
        started_at_ns=1100,
        stopped_at_ns=1120,
        stopped_by="eve",
        stopped_streams=(1,),
        polls=(PollGaps("p2", 9),),
    )
    parts = [
        replace(part, snapshot=replace(part.snapshot, jobs=(job,)))
        for part, job in ((LEFT, ours), (RIGHT, theirs))
    ]
    job = merged(parts, PLACES, ["p1", "p2"]).job("job")
    assert job is not None
    assert (job.started_at_ns, job.stopped_at_ns, job.stopped_by) == (100, 120, "eve")
    assert (job.stopped_streams, job.worst_gap_ns(None)) == ((1,), 9)
