# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.interval import Interval
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.monitor import Monitor, MonitorThread
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.traffic import Traffic
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.base import Flipped
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.verdict import Outcome

from .testers import SECOND, fake_tester, stream

MILLISECOND = 10**6


class Watched:
    """A stream that is sent through a device, and watched, in the fake's time."""

    def __init__(
        self, directory: Path, device: FakePath | FakeTarget, streams: tuple[Stream, ...] = ()
    ) -> None:
        self.tester: Tester = fake_tester(directory)
        self.target = FakeTarget(device=FakeDevice(device)) if isinstance(device, FakePath) else device
        self.tester.target = self.target
        self.run = StreamRun(self.tester, "traffic", streams or (stream(rate="1 kpps"),))
        self.run.load()
        self.run.start()
        self.shown: list[Interval] = []
        self.settled: list[Interval] = []
        self.tester.clock = Clock(lambda seconds: self.advance(seconds), lambda: self.target.now_ns)
        self.monitor = Monitor(self.tester, [self.run], SECOND, show=self.show)

    def advance(self, seconds: float) -> None:
        self.target.advance(Duration(int(seconds * 1e9)))

    def show(self, interval: Interval) -> None:
        """Keeps intervals as they are shown first, and as they are once they are settled."""
        if interval.number > len(self.shown):
            self.shown.append(interval)
        else:
            self.settled.append(interval)

    def watch(self, turns: int) -> None:
        while len(self.shown) < turns:
            self.advance(self.monitor.poll())

    def stop(self) -> tuple[MonitoringResult, Trial]:
        self.target.stop(["traffic"])
        result = self.monitor.finish()
        return result, self.run.finish()


@pytest.mark.parametrize("delay", ["10 us", "500 ms", "3 s"])
def test_a_lossless_device_loses_nothing_in_any_interval(tmp_path: Path, delay: str) -> None:
    watched = Watched(tmp_path, FakePath(delay=Duration.parse(delay)))
    watched.watch(4)
    result, trial = watched.stop()
    assert [interval.lost for interval in result.intervals] == [0] * len(result.intervals)
    assert all(interval.sent == interval.received for interval in result.intervals)
    assert len(result.intervals) >= 5
    assert result.method is Method.VERSION
    assert result.sent <= trial.sent  # some left before it was watched
    assert trial.lost == 0
    assert {i.delay_ns for i in result.intervals if i.sent} == {Duration.parse(delay).ns}


def test_intervals_follow_each_other_and_cover_all_that_was_watched(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath(loss=Ratio(Fraction(1, 100))))
    before = watched.target.snapshot(["traffic"]).streams[0].versions[0].tx_packets
    watched.watch(3)
    result, trial = watched.stop()
    assert [i.number for i in result.intervals] == [1, 2, 3, 4]
    assert all(a.end_ns == b.start_ns for a, b in zip(result.intervals, result.intervals[1:], strict=False))
    assert all(1000 <= i.duration_ns / MILLISECOND < 1100 for i in result.intervals[:3])
    assert trial.sent - before <= result.sent <= trial.sent
    assert abs(result.lost - trial.lost) <= 1
    assert all(9 <= i.lost <= 11 for i in result.intervals[:3])
    assert [i.number for i in watched.shown] == [1, 2, 3, 4]
    assert all(i.delay_bound_ns and i.delay_bound_ns < 12 * MILLISECOND for i in result.intervals[:3])


class Withholding(FakeTarget):
    """Shows some frames of version 1 later than those that left after them."""

    withheld_until_ns = 0

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        found = super().snapshot(jobs, buckets=buckets)
        (counted,) = found.streams
        zero, one = counted.versions
        if one.rx_packets > 100 and found.taken_at_ns < self.withheld_until_ns:
            one = replace(one, rx_packets=one.rx_packets - 5)
        return replace(found, streams=(replace(counted, versions=(zero, one)),))


def test_what_comes_after_all_is_counted_in_its_own_interval(tmp_path: Path) -> None:
    target = Withholding()
    target.withheld_until_ns = 3 * SECOND.ns // 2
    watched = Watched(tmp_path, target)
    watched.watch(2)
    result, _ = watched.stop()
    assert watched.shown[0].lost == 5
    assert "lost 0 to 5 (0.0000 % to" in str(watched.shown[0]), "they may be on their way"
    assert str(watched.shown[0]).partition(", as ")[2].startswith("missing frames may still be on their way")
    assert [str(i) for i in watched.settled] == [str(result.intervals[0])], "and shown again"
    assert [i.lost for i in result.intervals] == [0, 0, 0]
    assert result.intervals[0].guard_ns > SECOND.ns // 3


class Torn(FakeTarget):
    """Some readings of counters have more frames received of a version than sent."""

    is_odd: Callable[[int], bool] = staticmethod(lambda _: False)  # of a reading, by its number
    readings = 0

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        counters = super().snapshot(jobs, buckets=buckets)
        (stream,) = counters.streams
        self.readings += 1
        if self.is_odd(self.readings):
            zero, one = (replace(v, rx_packets=v.tx_packets + 1) for v in stream.versions)
            stream = replace(stream, versions=(zero, one))
        return replace(counters, streams=(stream,))


@pytest.mark.parametrize("every", [2, 3])
def test_odd_readings_here_and_there_accuse_no_device(tmp_path: Path, every: int) -> None:
    target = Torn()
    target.is_odd = lambda reading: reading % every == 0
    watched = Watched(tmp_path, target)
    watched.watch(4)
    target.is_odd = lambda _: False
    result, trial = watched.stop()
    assert (result.method, result.reason) == (Method.VERSION, "")
    assert [interval.lost for interval in result.intervals] == [0] * 5
    assert trial.lost == 0


def test_versions_are_tried_again_after_odd_readings(tmp_path: Path) -> None:
    target = Torn()
    watched = Watched(tmp_path, target)
    watched.watch(2)
    target.is_odd = lambda _: True
    while not watched.monitor.so_far().reason:
        watched.advance(watched.monitor.poll())
    target.is_odd = lambda _: False
    assert (
        watched.monitor.so_far().reason == "the device writes over the version of 'north' from interval 3 on"
    )
    watched.watch(4)
    result, _ = watched.stop()
    assert (result.method, result.reason) == (Method.VERSION, "")
    assert [interval.number for interval in result.intervals] == [1, 2, 3, 4, 5]
    assert all(a.end_ns == b.start_ns for a, b in zip(result.intervals, result.intervals[1:], strict=False))
    assert [interval.lost for interval in result.intervals] == [0] * 5


class Repainting(FakeTarget):
    """From some time on, frames that arrive count for the version that they did not leave with."""

    since: Snapshot | None = None

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        counters = super().snapshot(jobs, buckets=buckets)
        if self.since is None:
            return counters
        (before,), (now,) = self.since.streams, counters.streams
        more = [b.rx_packets - a.rx_packets for a, b in zip(before.versions, now.versions, strict=True)]
        pairs = zip(before.versions, reversed(more), strict=True)
        painted = tuple(
            replace(b, rx_packets=a.rx_packets + m) for (a, m), b in zip(pairs, now.versions, strict=True)
        )
        return replace(counters, streams=(replace(now, versions=painted),))


def test_intervals_before_the_device_erases_versions_stay(tmp_path: Path) -> None:
    target = Repainting()
    watched = Watched(tmp_path, target)
    unwatched = target.snapshot(["traffic"]).streams[0].versions[0].tx_packets
    watched.watch(3)
    kept = watched.monitor.intervals
    target.since = target.snapshot(["traffic"])
    for _ in range(3):
        watched.advance(watched.monitor.poll())
    result, trial = watched.stop()
    assert (result.method, result.lost) == (Method.QUIESCING, 0)
    assert result.reason == "the device writes over the version of 'north' from interval 4 on"
    assert result.intervals[:3] == kept
    (rest,) = result.intervals[3:]
    assert (rest.number, rest.start_ns, rest.lost) == (4, kept[-1].end_ns, 0)
    assert rest.sent == rest.received > 2000
    assert trial.sent - result.sent == unwatched
    assert trial.lost == 0


def test_a_device_that_erases_the_version_is_measured_from_start_to_end(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath(erases_version=True))
    while not watched.monitor.finish().reason:
        watched.advance(1)
    running = watched.monitor.finish()
    assert running.method is Method.QUIESCING
    assert "it takes the end of the traffic" in running.objections[0]
    assert running.verdict_below(Ratio.parse(0)).outcome is Outcome.INCONCLUSIVE
    result, trial = watched.stop()
    assert (result.method, result.objections) == (Method.QUIESCING, ())
    assert result.reason == "the device writes over the version of 'north'"
    (whole,) = result.intervals
    assert (whole.sent, whole.received, whole.lost, whole.delay_ns) == (trial.sent, trial.sent, 0, 10_000)


def test_frames_on_their_way_at_the_end_are_not_lost_where_versions_are_erased(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath(erases_version=True, delay=Duration.parse("100 ms")))
    for _ in range(3):
        watched.advance(watched.monitor.poll())
    result, trial = watched.stop()
    assert (result.method, result.lost, trial.lost) == (Method.QUIESCING, 0, 0)


def test_frames_without_a_place_for_a_version(tmp_path: Path) -> None:
    headers = HeaderStack.parse("Ether / IP(id=0x8000) / UDP")
    watched = Watched(tmp_path, FakePath(), (replace(stream(rate="1 kpps"), headers=headers),))
    assert watched.monitor.poll() == 1
    result, trial = watched.stop()
    assert result.reason == "frames of 'north' have no field for a version"
    assert result.intervals[0].sent == trial.sent
    assert result.intervals[0].delay_ns is None


def test_the_worst_interval_is_judged(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath(loss=Ratio(Fraction(1, 100))))
    watched.watch(2)
    result, _ = watched.stop()
    assert result.verdict_below(Ratio.parse("10 %")).outcome is Outcome.PASS
    failed = result.verdict_below(Ratio.parse("0.1 %"))
    assert failed.outcome is Outcome.FAIL
    assert "in interval" in failed.measured
    assert replace(result, objections=("slept",)).verdict_below(Ratio.parse(0)).reason == "slept"
    assert replace(result, intervals=()).verdict_below(Ratio.parse(0)).reason == "no interval has ended"


def test_monitoring_needs_traffic_and_is_ended_with_it(tmp_path: Path) -> None:
    traffic = Traffic(fake_tester(tmp_path))
    with pytest.raises(PlanError, match="nothing is sending that could be monitored; call Start Traffic"):
        traffic.start_monitoring(SECOND)
    with pytest.raises(PlanError, match="nothing was monitored"):
        traffic.stop_monitoring()
    traffic.start([stream("north", rate="1 kpps")])
    with pytest.raises(PlanError, match="an interval of 0 ns is too short"):
        traffic.start_monitoring(Duration(0))
    assert traffic.start_monitoring(Duration(3600 * SECOND.ns)) == ("north",)
    with pytest.raises(PlanError, match="north is monitored already"):
        traffic.start_monitoring(SECOND)
    assert len(traffic.stop(["north"])) == 1
    result = traffic.stop_monitoring()
    assert (result.lost, result.intervals) == (0, traffic.intervals())
    assert (tmp_path / "results.jsonl").exists()


def test_a_tester_that_dies_meanwhile_is_reported_at_the_end(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath())
    watched.target.bench.dies_ns = watched.target.bench.now_ns + SECOND.ns
    thread = MonitorThread(Monitor(watched.tester, [watched.run], Duration(1)))
    thread._thread.join(10)
    with pytest.raises(TargetError, match="died"):
        thread.finish()


def test_any_error_while_watching_is_raised_by_whoever_asks_for_intervals(tmp_path: Path) -> None:
    """One that is not of this library, too: a full disk, or a mistake of ours."""
    watched = Watched(tmp_path, FakePath())
    watched.advance(2)

    def show(_: Interval) -> None:
        raise OSError("no space left on device")

    thread = MonitorThread(Monitor(watched.tester, [watched.run], Duration(1), show=show))
    thread._thread.join(10)
    assert not thread._thread.is_alive()
    for ask in (thread.so_far, thread.finish):
        with pytest.raises(OSError, match="no space left on device"):
            ask()


def test_traffic_is_stopped_and_unloaded_when_watching_it_has_failed(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    traffic.start([stream("north", rate="1 kpps")])
    this.progress.interval = lambda _: 1 / 0  # type: ignore[method-assign, assignment]
    traffic.start_monitoring(Duration(1))
    assert traffic._monitor
    traffic._monitor._thread.join(10)
    with pytest.raises(ZeroDivisionError):
        traffic.monitored()
    with pytest.raises(ZeroDivisionError):
        traffic.stop([])
    assert not this.air.runs
    assert not this.target.snapshot().streams
    traffic.start([stream("north", rate="1 kpps")])
    (trial,) = traffic.stop([])
    assert trial.lost == 0


def test_ports_have_their_part_of_each_interval(tmp_path: Path) -> None:
    streams = (stream(rate="1 kpps"), stream("south", tx="p2", rx="p1", rate="2 kpps", size=128))
    watched = Watched(tmp_path, FakePath(loss=Ratio(Fraction(1, 10))), streams)
    watched.watch(3)
    result, _ = watched.stop()
    for interval in result.intervals:
        north, south = interval.streams
        p1, p2 = interval.ports
        assert (p1.name, p1.sent, p1.received) == ("p1", north.sent, south.received)
        assert (p2.name, p2.sent, p2.received) == ("p2", south.sent, north.received)
        assert (p1.sent_bytes, p2.sent_bytes) == (64 * north.sent, 128 * south.sent)
        assert north.lost > 0


def test_where_versions_are_erased_intervals_have_no_ports(tmp_path: Path) -> None:
    watched = Watched(tmp_path, FakePath(erases_version=True))
    watched.advance(2)
    result, _ = watched.stop()
    assert [interval.ports for interval in result.intervals] == [()]


def test_without_signature_an_erased_version_is_recognised_by_counts_that_cannot_be(tmp_path: Path) -> None:
    unsigned = replace(stream(rate="1 kpps"), signature=False)
    watched = Watched(tmp_path, FakePath(erases_version=True), (unsigned,))
    watched.advance(2)
    result, trial = watched.stop()
    assert (result.method, result.lost, trial.lost) == (Method.QUIESCING, 0, None)
    assert trial.loss_bounds == (0, 1)  # a frame that arrived twice would hide one that was lost
    assert result.verdict_below(Ratio(Fraction(0))).outcome is Outcome.INCONCLUSIVE
    assert result.reason == "the device writes over the version of 'north'"


class _BothWays(FakeTarget):
    """A device that gives a frame the other version, and later gives one back."""

    flips = 0

    def flip(self, jobs: Sequence[str]) -> Flipped:
        self.flips += 1
        return super().flip(jobs)

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        counters = super().snapshot(jobs, buckets=buckets)
        moved = int(self.flips == 2)  # while frames of version 0 are on their way
        streams = []
        for s in counters.streams:
            zero, one = s.versions
            zero = replace(zero, rx_packets=zero.rx_packets + moved)
            one = replace(one, rx_packets=max(0, one.rx_packets - moved))
            streams.append(replace(s, versions=(zero, one)))
        return replace(counters, streams=tuple(streams))


def test_what_is_not_known_to_be_lost_is_no_fail(tmp_path: Path) -> None:
    """Frames on their way hide what arrives in the wrong version, and all frames arrive."""
    target = _BothWays(device=FakeDevice(FakePath(delay=Duration(10 * MILLISECOND))))
    watched = Watched(tmp_path, target, (replace(stream(rate="1 kpps"), signature=False),))
    for _ in range(30):
        watched.advance(watched.monitor.poll())
    result, trial = watched.stop()
    assert (trial.received, result.reason) == (trial.sent, "")
    assert result.lost
    verdict = result.verdict_below(Ratio(Fraction(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "and 0 in all: the device writes over their version, or sends copies" in str(verdict)
