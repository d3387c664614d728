# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import throughput_above
from TesterLibrary.model.capture_totals import CaptureTotals
from TesterLibrary.model.departures import CaptureReplay, Messages, PacketTrain, Poisson
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.sending import send, send_burst
from TesterLibrary.running.shot import Shot
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.traffic import Traffic
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget, fake_port
from TesterLibrary.targets.tofino.entries.latency import PERCENTILE_ERROR
from TesterLibrary.verdict import Outcome

from .testers import SECOND, fake_tester, stream

MINUTE = Duration(60 * 10**9)
SHORT = Messages(
    (PacketTrain(3, Duration(1000)), PacketTrain(2, Duration(5000), frame_size=FrameSize(512))), repeat=False
)


def test_a_burst_is_so_many_frames_at_line_rate(tmp_path: Path) -> None:
    shaped = replace(stream(rate="1 kpps"), shaping=Pattern((Stage(1, 9),)))
    trial = send_burst(fake_tester(tmp_path), shaped, packets=1000, timeout=MINUTE)
    assert (trial.sent, trial.lost, trial.load) == (1000, 0, 1)
    assert trial.duration_ns == 1000 * 672, "the last one has its gap, too"
    assert trial.valid


@pytest.mark.parametrize("packets", [2, 7, 500])
def test_frames_are_offered_at_the_rate_of_their_gaps(tmp_path: Path, packets: int) -> None:
    trial = send(fake_tester(tmp_path), [stream(rate="10 pps")], packets=packets, timeout=MINUTE)
    assert (trial.offered_rate, trial.received_rate, trial.duration_ns) == (10, 10, packets * 10**8)
    assert throughput_above(trial, Rate.parse("10 pps")).outcome is Outcome.PASS
    assert throughput_above(trial, Rate.parse("10.001 pps")).outcome is Outcome.INCONCLUSIVE


def test_one_frame_takes_a_gap_and_has_no_rate(tmp_path: Path) -> None:
    trial = send(fake_tester(tmp_path), [stream(rate="10 pps")], packets=1, timeout=MINUTE)
    assert (trial.offered_rate, trial.duration_ns) == (None, 10**8)
    assert throughput_above(trial, Rate.parse("1 pps")).outcome is Outcome.INCONCLUSIVE


def test_streams_that_begin_apart_are_sent_from_the_first_to_the_last_one(tmp_path: Path) -> None:
    later = replace(stream("later", tx="p2", rx="p1", rate="10 pps"), start_after=Duration(10**9))
    trial = send(fake_tester(tmp_path), [stream(rate="10 pps"), later], packets=5, timeout=MINUTE)
    assert trial.duration_ns == 15 * 10**8


def test_a_trial_says_the_limit_of_rate_errors_of_its_tester(tmp_path: Path) -> None:
    """A burst too, which is judged by a wider one: only beside the tester's it is known as a burst."""
    this = fake_tester(tmp_path)
    limits = replace(this.rules.limits, max_rate_error=Fraction(1, 50))
    this.rules = replace(this.rules, limits=limits)
    assert send_burst(this, stream(), packets=100, timeout=MINUTE).max_rate_error == Fraction(1, 50)


def test_streams_with_an_end_are_sent_to_it(tmp_path: Path) -> None:
    trial = send(
        fake_tester(tmp_path),
        [replace(stream(), shaping=SHORT).at(SHORT.average)],
        packets=None,
        timeout=MINUTE,
    )
    (result,) = trial.streams
    assert trial.sent == 5
    assert result.sizes == {64: 3, 512: 2}
    assert result.counters.tx_bytes == 3 * 64 + 2 * 512


def test_what_does_not_end_needs_a_number_of_packets(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    with pytest.raises(PlanError, match="stream 'north' has no end of its own; say how many packets"):
        send(this, [stream()], packets=None, timeout=MINUTE)
    assert send(this, [stream()], packets=10, timeout=MINUTE).sent == 10


TRAIN = Messages((PacketTrain(3, gap=Duration(40 * 10**9)),), repeat=False)


@pytest.mark.parametrize(
    ("change", "packets", "last"),
    [
        ({}, 601, "60 s"),
        ({"start_after": Duration(59 * 10**9)}, 11, "60 s"),
        ({"shaping": Pattern((Stage(1, 9),))}, 601, "60 s"),
        ({"shaping": Poisson()}, 601, "60 s"),
        ({"shaping": TRAIN, "rate": TRAIN.average}, None, "80 s"),
    ],
)
def test_packets_that_need_longer_than_the_timeout_are_refused_before_any_is_sent(
    tmp_path: Path, change: dict[str, Any], packets: int | None, last: str
) -> None:
    this = fake_tester(tmp_path)
    text = f"stream 'north' sends its last packet {last} after the start, but timeout is 60 s; give fewer"
    with pytest.raises(PlanError, match=text):
        send(this, [replace(stream(rate="10 pps"), **change)], packets=packets, timeout=MINUTE)
    assert this.target.snapshot().ports[0].tx_packets == 0


def test_a_burst_longer_than_its_timeout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"last packet 13\.44 us after the start, but timeout is 1 us"):
        send_burst(fake_tester(tmp_path), stream(), packets=21, timeout=Duration(1000))


def test_a_file_that_is_longer_than_the_timeout_is_refused(tmp_path: Path) -> None:
    wrpcap(str(tmp_path / "x.pcap"), [Ether() / IP() / UDP() / bytes(100)] * 3)
    totals = CaptureTotals(3, 3 * 146, 30 * 10**9)
    twice = CaptureReplay(str(tmp_path / "x.pcap"), repetitions=2)
    replayed = replace(stream(), shaping=twice, frame_size=totals)
    with pytest.raises(PlanError, match="sends its last packet 75 s after the start, but timeout is 60 s"):
        send(fake_tester(tmp_path), [replayed], packets=None, timeout=MINUTE)


def test_frames_of_a_search_are_waited_for_at_any_rate(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    assert Shot(this, "search", [stream(rate="1 pps")]).send(packets=1000).sent == 1000


def test_streams_that_start_spread_are_offered_at_their_rate(tmp_path: Path) -> None:
    """The second one sends half a gap later, and both send for 1 s."""
    both = [stream(name, rate="10 pps") for name in ("north", "south")]
    trial = send(fake_tester(tmp_path), both, packets=10, timeout=MINUTE)
    assert (trial.sent, trial.offered_rate, trial.duration_ns) == (20, 20, 10**9)


@pytest.mark.parametrize("next_hop", [True, False])
def test_a_capture_is_sent_and_measured_as_far_as_its_frames_are_known(
    tmp_path: Path, next_hop: bool
) -> None:
    frames = [Ether() / IP() / UDP() / bytes(100) for _ in range(4)]
    for number, frame in enumerate(frames):
        frame.time = 1000 + number
    wrpcap(str(tmp_path / "x.pcap"), frames)
    replayed = replace(stream(), shaping=CaptureReplay(str(tmp_path / "x.pcap"), next_hop=next_hop))
    this = fake_tester(tmp_path, capacity=0)
    trial = send(this, [replayed], packets=None, timeout=MINUTE)
    assert trial.sent == 4
    assert trial.lost == (4 if next_hop else None)
    assert (trial.streams[0].frame_size, trial.duration_ns) == (146, 4 * 10**9)
    if not next_hop:
        assert (trial.received_rate, trial.throughput_bps) == (None, None)
        assert "loss not measured, arrivals not measured" in str(trial)
        assert "arrived" not in str(trial)
    assert TrialMeasurer(this, [replayed, stream("even", rate="40 %")]).load == pytest.approx(0.4)


def watched(this: Tester, shaping: Messages | None, change: dict[str, object]) -> list[int]:
    """Frames sent in each trial so far that a watcher has seen."""
    seen: list[int] = []
    traffic = Traffic(this)
    north = replace(stream(rate="1 kpps"), shaping=shaping)

    def watch(trial: Trial) -> None:
        seen.append(trial.stream("north").counters.tx_packets)
        if len(seen) == 1:
            traffic.update(replace(north, **change))  # type: ignore[arg-type]

    this.air.watchers["north"] = [watch]
    trial = TrialMeasurer(this, [north]).measure(this.part_of_line(north), Duration(2 * 10**9))
    assert trial.valid
    assert trial.lost == 0
    return [*seen, trial.sent]


def test_who_watches_a_stream_is_told_and_may_change_its_rate(tmp_path: Path) -> None:
    faster = {"rate": stream(rate="10 kpps").rate}
    first, second, third, total = watched(fake_tester(tmp_path), None, faster)
    assert first == pytest.approx(500, abs=20)
    assert second - first == pytest.approx(5000, abs=200)
    assert third - second == pytest.approx(5000, abs=200)
    assert total == pytest.approx(500 + 15_000, abs=300)


def test_messages_may_change_while_they_are_sent(tmp_path: Path) -> None:
    """One packet each millisecond changes to five back to back."""
    one = Messages((PacketTrain(1, Duration(10**6)),))
    five = one.changed(1, packets=5)
    change = {"shaping": five, "rate": five.average}
    first, second, *_ = watched(fake_tester(tmp_path), one, change)
    assert first == pytest.approx(500, abs=20)
    assert second - first == pytest.approx(5 * 500, abs=50)


def test_a_failing_watcher_ends_the_trial_and_leaves_nothing_behind(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)

    def watch(_: Trial) -> None:
        raise ValueError("no")

    this.air.watchers["north"] = [watch]
    with pytest.raises(ValueError, match="no"):
        TrialMeasurer(this, [stream()]).measure(this.part_of_line(stream()), SECOND)
    assert not this.air.runs
    assert not this.target.snapshot().streams


def test_a_trial_knows_by_how_much_its_percentiles_are_off(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.capabilities = replace(this.capabilities, percentile_error=PERCENTILE_ERROR)
    trial = send(this, [stream()], packets=10, timeout=MINUTE)
    assert trial.streams[0].percentile_error == trial.latency.error.percentile == PERCENTILE_ERROR


def test_a_trial_knows_the_steps_of_the_testers_clock(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.capabilities = replace(this.capabilities, time_step_ns=1)
    trial = send(this, [stream()], packets=10, timeout=MINUTE)
    delay = trial.streams[0].blind_delay
    assert delay is not None
    assert delay.bound_ns == 1


def test_frames_without_signature_are_not_counted_by_what_only_a_signature_tells(tmp_path: Path) -> None:
    trial = send(fake_tester(tmp_path), [replace(stream(), signature=False)], packets=10, timeout=MINUTE)
    order = trial.order
    assert (order.duplicated, order.reordered, order.extent, order.late, order.misrouted) == (None,) * 5
    assert (order.corrupted, order.wrong_length, order.fragments, trial.lost) == (None,) * 4
    assert (trial.received, trial.loss_bounds) == (10, (0, 1))
    assert trial.streams[0].outages is None


def test_a_signed_stream_that_is_expected_where_it_leaves_is_refused(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    with pytest.raises(PlanError, match="stream 'north' leaves port 'p1' and is expected there"):
        send(this, [stream(rx="p1")], packets=10, timeout=MINUTE)
    assert not this.air.runs
    assert send(this, [replace(stream(rx="p1"), signature=False)], packets=10, timeout=MINUTE).sent == 10


def test_a_rate_that_copies_leave_open_is_the_greatest_one(tmp_path: Path) -> None:
    unsigned = replace(stream(rate="1 kpps"), signature=False)
    trial = send(fake_tester(tmp_path), [unsigned], packets=100, timeout=MINUTE)
    unknown = "loss is not known: frames of north have no signature, so copies may stand for lost ones"
    assert f", {unknown}, at most 1," in str(trial)


def test_frames_that_have_not_arrived_may_be_among_those_of_later_trials(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    assert isinstance(this.target, FakeTarget)
    unsigned = [replace(stream(rate="1 kpps"), signature=False)]
    assert send(this, unsigned, packets=100, timeout=MINUTE).streams[0].stale == 0
    bench = this.target.bench
    whole, bench.device = bench.device, FakeDevice(FakePath(loss=Ratio(Fraction(1, 4))))
    assert send(this, unsigned, packets=100, timeout=MINUTE).received == 75
    bench.device = whole
    assert [send(this, unsigned, packets=10, timeout=MINUTE).streams[0].stale for _ in range(2)] == [25, 25]
    assert send(this, [stream(rate="1 kpps")], packets=10, timeout=MINUTE).streams[0].stale == 0
    this.target.advance(Duration(120 * 10**9))
    assert send(this, unsigned, packets=10, timeout=MINUTE).streams[0].stale == 0


@pytest.mark.parametrize(
    ("headers", "signature", "doubted"),
    [
        ("Ether / Dot1Q(vlan=7) / IP / UDP", False, True),
        ("Ether / Dot1Q(vlan=7) / IP / UDP", True, False),
        ("Ether / IP / UDP", False, False),
    ],
)
def test_frames_known_by_their_looks_may_be_there_without_their_tag(
    tmp_path: Path, headers: str, signature: bool, doubted: bool
) -> None:
    """A signature is known behind a tag or without one."""
    ports = (fake_port("p1"), replace(fake_port("p2"), loses_tags="the other end keeps tags"))
    tagged = replace(stream(rate="1 kpps", size=128), headers=HeaderStack.parse(headers), signature=signature)
    lossy = fake_tester(tmp_path, ports=ports, device=FakeDevice(FakePath(capacity=100)))
    found = send(lossy, [tagged], packets=50, timeout=MINUTE).objections
    assert ("port p2: the other end keeps tags" in found) is doubted
    sound = fake_tester(tmp_path / "sound", ports=ports)
    assert send(sound, [tagged], packets=50, timeout=MINUTE).objections == ()
