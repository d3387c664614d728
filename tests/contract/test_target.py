# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The behaviour that every target promises: `proto/tester/v1/control.proto`, through `targets/base.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from ipaddress import ip_interface

import pytest

from TesterLibrary.errors import Inconclusive, PlanError, TargetError
from TesterLibrary.measurement.counter import Counter
from TesterLibrary.measurement.snapshot import PortCounters, Snapshot, StreamCounters, VersionCounters
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.base import SendingProgress

from .rig import PATIENCE, Rig, in_place

FIFTH = Duration(200_000_000)


def test_it_says_who_it_is(rig: Rig) -> None:
    capabilities = rig.target.capabilities()
    assert [p.name for p in capabilities.ports] == list(in_place({"p1": "", "p2": ""}))
    assert all(len(p.mac) == 6 and not p.mac[0] & 1 and p.max_frame_size >= 1518 for p in capabilities.ports)
    assert capabilities.port("p1").mac != capabilities.port("p2").mac
    assert capabilities.max_streams >= 1
    assert capabilities.version
    assert rig.target.capabilities() == capabilities


def _check_nothing(counted: StreamCounters, stream: int) -> None:
    """A stream of IP packets, which has versions, before its first start: what is counted at all is 0."""
    assert (counted.id, counted.sending) == (stream, False)
    assert (counted.intended_packets, counted.tx_packets, counted.tx_bytes) == (0, 0, 0)
    assert (counted.rx_packets, counted.rx_bytes, counted.latency.count) == (0, 0, 0)
    assert {counted.rx_misrouted, counted.rx_out_of_order, counted.rx_corrupted} <= {0, None}
    assert {counted.rx_wrong_length, counted.rx_fragments, counted.rx_wrong_headers} <= {0, None}
    assert counted.versions == (VersionCounters(), VersionCounters())


def test_loading_sends_nothing(rig: Rig) -> None:
    before = rig.target.snapshot()
    rig.load(rig.plan("north"))
    rig.pass_time(0.05)
    after = rig.target.snapshot(["north"])
    (counted,) = after.streams
    _check_nothing(counted, 1)
    assert after.port("p1").tx_packets == before.port("p1").tx_packets


@pytest.mark.parametrize("frame_size", [64, 65, 512, 1518])
def test_counts_are_exact(rig: Rig, frame_size: int) -> None:
    plan = rig.load(rig.plan("north", rate="12345 pps", frame_size=frame_size))
    before = rig.target.snapshot()
    after = rig.run(["north"], duration=FIFTH)
    (counted,) = after.streams
    due = plan.streams[0].frames_due(FIFTH.ns)
    assert due == 2469
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (due, due, due)
    assert (counted.tx_bytes, counted.rx_bytes) == (due * frame_size, due * frame_size)
    assert (counted.rx_misrouted, counted.rx_out_of_order, counted.sending) == (0, 0, False)
    assert _difference(before.port("p1"), after.port("p1")) == (due, due * frame_size, 0, 0, 0)
    assert _difference(before.port("p2"), after.port("p2")) == (0, 0, due, due * frame_size, 0)


def test_latency_is_that_of_every_frame(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    latency = counted.latency
    assert latency.count == counted.rx_packets == sum(latency.buckets.values()) == 2000
    assert 0 <= latency.min_ns <= latency.sum_ns / latency.count <= latency.max_ns


@pytest.mark.timed
def test_latency_is_never_none(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    counted = rig.run(["north"], packets=200).streams[0]
    assert counted.latency.min_ns > 0 or (rig.target.clocks and counted.rx_before_sent)


@pytest.mark.timed
def test_frames_leave_on_time_or_it_says_how_late(rig: Rig) -> None:
    plan = rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], duration=FIFTH).streams
    span = counted.last_tx_ns - counted.first_tx_ns
    assert abs(span - 1999 * 100_000) <= counted.worst_lateness_ns + 1
    error_ns = rig.target.clocks.error_ns(plan.streams[0]) if rig.target.clocks else 0
    assert counted.last_rx_ns > counted.last_tx_ns - error_ns
    assert counted.first_rx_ns + error_ns > counted.first_tx_ns > 0


def test_a_number_of_frames_ends_a_stream(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], packets=123).streams
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (123, 123, 123)


def test_time_and_number_end_a_stream_whichever_comes_first(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    assert rig.run(["north"], duration=FIFTH, packets=5).streams[0].tx_packets == 5
    assert rig.run(["north"], duration=Duration(10**7), packets=10**6).streams[0].tx_packets == 100


def test_a_single_frame(rig: Rig) -> None:
    rig.load(rig.plan("north", rate="1 pps"))
    (counted,) = rig.run(["north"], duration=Duration(1)).streams
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (1, 1, 1)


def test_starting_again_counts_from_zero(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    assert rig.run(["north"], packets=500).streams[0].tx_packets == 500
    (counted,) = rig.run(["north"], packets=7).streams
    assert (counted.tx_packets, counted.rx_packets, counted.latency.count) == (7, 7, 7)
    assert sum(counted.latency.buckets.values()) == 7


def test_after_stop_no_frame_leaves_and_none_is_missing(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    rig.pass_time(0.05)
    assert rig.target.snapshot(["north"]).streams[0].sending
    rig.target.stop(["north"])
    (stopped,) = rig.settled(["north"]).streams
    assert stopped.tx_packets > 0
    assert stopped.tx_packets == stopped.rx_packets <= stopped.intended_packets
    assert not stopped.sending
    rig.pass_time(0.05)
    assert rig.target.snapshot(["north"]).streams[0].tx_packets == stopped.tx_packets
    rig.target.stop(["north"])


def test_starting_what_sends_is_refused_and_changes_nothing(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.load(rig.plan("south", first_id=2, back=True))
    rig.target.start(["north"], duration=FIFTH)
    with pytest.raises(PlanError):
        rig.target.start(["south", "north"], duration=FIFTH)
    rig.target.wait(["north", "south"], timeout=PATIENCE)
    north, south = rig.settled().streams
    assert (north.tx_packets, south.tx_packets) == (2000, 0)


def test_a_rate_changes_while_it_sends(rig: Rig) -> None:
    (north,) = rig.load(rig.plan("north", rate="1 kpps")).streams
    faster = replace(north, departures=even(Fraction(20_000, 10**9)))
    rig.target.start(["north"], duration=FIFTH)
    rig.target.update("north", faster)
    rig.target.wait(["north"], timeout=PATIENCE)
    (counted,) = rig.settled(["north"]).streams
    assert 300 < counted.tx_packets <= 4000  # 200 at the old rate
    assert counted.tx_packets == counted.rx_packets == counted.intended_packets


def test_two_jobs_at_once_do_not_mix(rig: Rig) -> None:
    rig.load(rig.plan("north", rate="10 kpps"))
    rig.load(rig.plan("south", rate="5 kpps", frame_size=128, first_id=7, back=True))
    rig.load(rig.plan("east", rate="3 kpps", frame_size=256, first_id=3))
    before = rig.target.snapshot()
    after = rig.run(["north", "south", "east"], duration=FIFTH)
    assert [(s.id, s.tx_packets, s.rx_packets) for s in after.streams] == [
        (1, 2000, 2000),
        (3, 600, 600),
        (7, 1000, 1000),
    ]
    assert _difference(before.port("p1"), after.port("p1"))[0::2] == (2600, 1000, 0)
    assert _difference(before.port("p2"), after.port("p2"))[0::2] == (1000, 2600, 0)


def test_jobs_start_and_stop_and_go_while_others_run(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"], duration=FIFTH)
    rig.load(rig.plan("south", first_id=2, back=True))
    rig.target.start(["south"])
    rig.pass_time(0.03)
    rig.target.unload(["south"])
    with pytest.raises(PlanError):
        rig.target.snapshot(["south"])
    rig.target.wait(["north"], timeout=PATIENCE)
    (north,) = rig.settled().streams
    assert (north.tx_packets, north.rx_packets) == (2000, 2000)
    rig.load(rig.plan("south", first_id=2, back=True))
    (counted,) = rig.target.snapshot(["south"]).streams
    _check_nothing(counted, 2)


def test_waiting_tells_how_far_it_is(rig: Rig) -> None:
    rig.load(rig.plan("north", rate="1 kpps"))
    seen: list[SendingProgress] = []
    rig.target.start(["north"], duration=Duration(1_200_000_000))
    rig.target.wait(["north"], timeout=PATIENCE, on_progress=seen.append)
    assert len(seen) >= 2
    assert [p.tx_packets for p in seen] == sorted(p.tx_packets for p in seen)
    assert [p.sending for p in seen] == [True] * (len(seen) - 1) + [False]
    assert (seen[-1].tx_packets, seen[-1].intended_packets) == (1200, 1200)


def test_waiting_for_what_does_not_send_ends_at_once(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.wait(["north"], timeout=Duration(10**9))


def test_waiting_too_long_is_the_testers_fault_and_stops_nothing(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    with pytest.raises(TargetError, match="still sending after 100 ms"):
        rig.target.wait(["north"], timeout=Duration(100_000_000))
    assert rig.target.snapshot(["north"]).streams[0].sending


def test_injected_frames_arrive_as_foreign_ones(rig: Rig) -> None:
    frame = rig.plan("nobody").streams[0].frame
    before = rig.target.snapshot()
    rig.target.frames.inject(
        [LearningFrame("p1", frame), LearningFrame("p2", b"\xff" * 6 + b"\x02" * 14)] * 3
    )
    both = ("p1", "p2")

    def arrived(snapshot: Snapshot) -> bool:
        """Whether the frames have arrived, and are counted where they left."""
        grown = [_difference(before.port(port), snapshot.port(port)) for port in both]
        return all(sent >= 3 and received >= 3 for sent, _, received, *_ in grown)

    after = _until(rig, arrived)
    for port in both:
        sent = 192 + 3 * rig.worn
        assert _difference(before.port(port), after.port(port)) == (3, sent, 3, 192, 3)


def test_a_stream_of_another_job_with_the_same_id_is_not_ours(rig: Rig) -> None:
    old = rig.plan("north").streams[0].frame
    rig.load(
        replace(
            rig.plan("north"), streams=(replace(rig.plan("north").streams[0], frames=(old[:-1] + b"\0",)),)
        )
    )
    before = rig.target.snapshot()
    rig.target.frames.inject([LearningFrame("p1", old)])
    after = _until(rig, lambda s: s.port("p2").rx_packets > before.port("p2").rx_packets)
    assert after.streams[0].rx_packets == 0
    assert after.port("p2").rx_foreign - before.port("p2").rx_foreign == 1


@pytest.mark.parametrize("networks", ["198.18.0.{}/24", "2001:db8::{}/64"], ids=["arp", "nd"])
def test_it_answers_for_the_addresses_of_its_jobs(
    rig: Rig, networks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = (ip_interface(networks.format(number)) for number in (2, 3))
    ports = {"p1": replace(rig.ports["p1"], address=near), "p2": replace(rig.ports["p2"], address=far)}
    monkeypatch.setattr(rig, "ports", ports)

    def asked() -> bytes:
        return rig.target.frames.resolve("p1", far.ip, source=near.ip, source_mac=ports["p1"].mac)

    rig.load(rig.plan("north", frame_size=128))
    rig.load(rig.plan("south", frame_size=128, first_id=2, back=True))
    assert asked() == rig.ports["p2"].mac
    rig.target.unload(["north"])
    assert asked() == rig.ports["p2"].mac
    rig.target.unload(["south"])
    with pytest.raises(Inconclusive, match=f"nobody answers at {far.ip} on port 'p1'"):
        asked()


def test_snapshots_are_of_the_jobs_asked_for(rig: Rig) -> None:
    rig.load(rig.plan("north", first_id=5))
    rig.load(rig.plan("south", first_id=2, back=True))
    assert [s.id for s in rig.target.snapshot().streams] == [2, 5]
    assert [s.id for s in rig.target.snapshot(["north"]).streams] == [5]
    assert [p.name for p in rig.target.snapshot(["north"]).ports] == list(rig.ports)


def test_its_clock_keeps_time(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    clock = rig.run(["north"], duration=FIFTH).clock
    if Counter.CLOCK not in rig.target.capabilities().counts:
        assert clock is None
        return
    assert clock is not None
    ticked, elapsed = clock.engine_now_ns - clock.engine_start_ns, clock.raw_now_ns - clock.raw_start_ns
    assert elapsed >= FIFTH.ns
    assert ticked == pytest.approx(elapsed, rel=1e-4)


def _difference(before: PortCounters, after: PortCounters) -> tuple[int, ...]:
    names = ("tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "rx_foreign")
    return tuple(getattr(after, name) - getattr(before, name) for name in names)


def _until(rig: Rig, holds: Callable[[Snapshot], bool]) -> Snapshot:
    for _ in range(100):
        snapshot = rig.target.snapshot()
        if holds(snapshot):
            break
        rig.pass_time(0.01)
    return snapshot
