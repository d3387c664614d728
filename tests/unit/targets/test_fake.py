# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from ipaddress import IPv4Address
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import TargetError
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import Plan, PlannedStream
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget

SECOND = Duration(10**9)
MINUTE = Duration(60 * 10**9)


def plan(rates: Mapping[str, int], *, job: str = "job", back: bool = False) -> Plan:
    """Streams of 64 bytes with so many frames/s each."""
    tx, rx = ("p2", "p1") if back else ("p1", "p2")
    first_id = 100 if back else 1
    return Plan(
        job=job,
        seed=1,
        streams=tuple(
            PlannedStream(number, name, tx, rx, (bytes(60),), True, even(Fraction(rate, 10**9)))
            for number, (name, rate) in enumerate(rates.items(), first_id)
        ),
    )


def run(target: FakeTarget, *plans: Plan, duration: Duration = SECOND) -> Snapshot:
    for each in plans:
        target.load(each)
    jobs = [each.job for each in plans]
    target.start(jobs, duration=duration)
    target.wait(jobs, timeout=Duration(2 * duration.ns))
    return target.snapshot(jobs)


def only(snapshot: Snapshot) -> StreamCounters:
    (counters,) = snapshot.streams
    return counters


def test_a_minute_of_a_fast_stream_is_exact_and_takes_no_time() -> None:
    counted = only(run(FakeTarget(), plan({"fast": 148_809_523}), duration=MINUTE))
    assert counted.intended_packets == counted.tx_packets == counted.rx_packets == 60 * 148_809_523


def test_a_device_forwards_its_capacity() -> None:
    target = FakeTarget(device=FakeDevice(FakePath(capacity=1000)))
    counted = only(run(target, plan({"north": 4000})))
    assert counted.tx_packets == 4000
    assert counted.rx_packets in (1000, 1001)


def test_what_a_device_loses_it_loses_of_what_it_forwards() -> None:
    path = FakePath(capacity=1000, loss=Ratio.parse("10 %"))
    counted = only(run(FakeTarget(device=FakeDevice(path)), plan({"north": 4000})))
    assert counted.rx_packets == pytest.approx(900, abs=1)


def test_streams_on_a_path_share_its_capacity_and_other_paths_do_not() -> None:
    target = FakeTarget(device=FakeDevice(FakePath(capacity=1000)))
    snapshot = run(target, plan({"a": 3000, "b": 1000}), plan({"c": 900}, job="back", back=True))
    a, b, c = snapshot.streams
    assert a.rx_packets == pytest.approx(750, abs=1)
    assert b.rx_packets == pytest.approx(250, abs=1)
    assert c.rx_packets == c.tx_packets == 900


def test_paths_can_differ() -> None:
    device = FakeDevice(paths={("p2", "p1"): FakePath(delay=Duration(7), loss=Ratio(Fraction(1)))})
    snapshot = run(FakeTarget(device=device), plan({"a": 100}), plan({"b": 100}, job="back", back=True))
    assert [s.rx_packets for s in snapshot.streams] == [100, 0]


def test_loss_is_the_part_it_says_and_moves_with_the_seed() -> None:
    device = FakeDevice(FakePath(loss=Ratio.parse("10 ppm")))
    lost = []
    for seed in range(20):
        counted = only(run(FakeTarget(device=device, seed=seed), plan({"north": 150_000})))
        lost.append(counted.tx_packets - counted.rx_packets)
    assert set(lost) == {1, 2}  # 1.5 on average


def test_delay_is_every_frames_latency() -> None:
    counted = only(
        run(FakeTarget(device=FakeDevice(FakePath(delay=Duration(123_456)))), plan({"north": 1000}))
    )
    latency = counted.latency
    assert (latency.count, latency.min_ns, latency.max_ns) == (1000, 123_456, 123_456)
    assert latency.sum_ns == 1000 * 123_456
    assert counted.first_rx_ns - counted.first_tx_ns == 123_456


def test_frames_on_their_way_are_not_yet_counted() -> None:
    target = FakeTarget(device=FakeDevice(FakePath(delay=Duration(5 * 10**8))))
    target.load(plan({"north": 1000}))
    target.start(["job"], duration=Duration(10**8))
    target.wait(["job"], timeout=SECOND)
    assert only(target.snapshot()).rx_packets == 0
    target.advance(SECOND)
    assert only(target.snapshot()).rx_packets == 100


def test_frames_that_arrive_after_their_job_has_gone_are_foreign() -> None:
    target = FakeTarget(device=FakeDevice(FakePath(delay=Duration(5 * 10**8))))
    run(target, plan({"north": 1000}), duration=Duration(10**8))
    target.unload(["job"])
    port = target.snapshot().port("p2")
    assert (port.rx_packets, port.rx_foreign) == (100, 100)


def test_a_tester_with_a_limit_falls_short_and_late() -> None:
    counted = only(run(FakeTarget(tester_limit=600), plan({"north": 1000})))
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (1000, 600, 600)
    assert counted.worst_lateness_ns == 400_000_000


def test_a_stall_shows_in_the_chosen_starts_only() -> None:
    target = FakeTarget(stalls={2})
    target.load(plan({"north": 10}))
    gaps = []
    for _ in range(3):
        target.start(["job"], packets=1)
        target.wait(["job"], timeout=SECOND)
        job = target.snapshot().job("job")
        assert job is not None
        gaps.append(job.worst_gap_ns(None))
    assert gaps[1] == 200_000_000
    assert gaps[0] == gaps[2] < 1_000_000


def test_it_dies_in_a_trial_and_stays_dead() -> None:
    target = FakeTarget(dies_after=Duration(5 * 10**8))
    with pytest.raises(TargetError, match="died 500 ms after it was started"):
        run(target, plan({"north": 1000}))
    with pytest.raises(TargetError):
        target.snapshot()
    target.close()


def test_a_late_answer_is_the_testers_fault() -> None:
    target = FakeTarget(late={"snapshot"})
    with pytest.raises(TargetError, match="did not answer snapshot in time"):
        run(target, plan({"north": 1000}))


def test_known_neighbours_answer() -> None:
    device = FakeDevice(neighbours={IPv4Address("192.0.2.1"): b"\x02\0\0\0\0\x01"})
    asked = FakeTarget(device=device).frames.resolve(
        "p1", IPv4Address("192.0.2.1"), source=IPv4Address("192.0.2.2"), source_mac=bytes(6)
    )
    assert asked == b"\x02\0\0\0\0\x01"


steps = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), st.integers(1, 10**8)),
        st.tuples(st.just("rate"), st.integers(1, 10**6)),
        st.tuples(st.just("stop"), st.just(0)),
        st.tuples(st.just("start"), st.integers(1, 10**5)),
    ),
    max_size=12,
)


@given(
    steps=steps,
    capacity=st.one_of(st.none(), st.integers(1, 10**6)),
    limit=st.one_of(st.none(), st.integers(1, 10**6)),
)
def test_counts_are_consistent_whatever_happens(
    steps: list[tuple[str, int]], capacity: int | None, limit: int | None
) -> None:
    def play() -> list[Snapshot]:
        target = FakeTarget(device=FakeDevice(FakePath(capacity=capacity)), tester_limit=limit)
        target.load(plan({"north": 1000}))
        seen = [target.snapshot()]
        for step, value in steps:
            if step == "advance":
                target.advance(Duration(value))
            elif step == "rate":
                target.update("job", plan({"north": value}).streams[0])
            elif step == "stop" or only(seen[-1]).sending:
                target.stop(["job"])
            else:
                target.start(["job"], packets=value)
            seen.append(target.snapshot())
        return seen

    snapshots = play()
    assert snapshots == play()
    for before, after in pairwise(snapshots):
        counted = only(after)
        assert 0 <= counted.rx_packets <= counted.tx_packets <= counted.intended_packets
        assert counted.latency.count == counted.rx_packets
        assert after.port("p2").rx_packets <= after.port("p1").tx_packets
        for port in ("p1", "p2"):
            assert after.port(port).tx_packets >= before.port(port).tx_packets
            assert after.port(port).rx_packets >= before.port(port).rx_packets
