# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement import remarks
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.measurer import Step
from TesterLibrary.methodology.soak import Soak, measure_soak
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.modifier import Modifier, Modifiers
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.reporting.record.records import read
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget, fake_port
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters
from tests.unit.methodology.measured import trial as counted_trial

from .testers import SECOND, fake_tester, stream

LINE_64 = Fraction(10**9, 84 * 8)


def records(directory: Path, kind: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / f"{kind}s.jsonl").read_text().splitlines()]


def test_a_lossless_device_gives_a_lossless_trial_of_exactly_the_frames_due(tmp_path: Path) -> None:
    trial = TrialMeasurer(fake_tester(tmp_path), [stream()]).measure(Fraction(1, 2), SECOND)
    assert trial.valid, trial
    assert trial.sent == trial.received == -(-LINE_64 // 2)
    assert trial.lost == 0
    assert trial.load == Fraction(1, 2)
    assert [record["load"] for record in records(tmp_path, "trial")] == ["1/2"]


def test_a_device_that_is_too_slow_loses_the_rest(tmp_path: Path) -> None:
    trial = TrialMeasurer(fake_tester(tmp_path, capacity=100_000), [stream()]).measure(Fraction(1), SECOND)
    assert trial.valid
    assert abs(trial.received - 100_000) <= 2
    assert trial.lost == trial.sent - trial.received > 0


def test_streams_keep_the_proportions_of_their_rates(tmp_path: Path) -> None:
    streams = [stream("a", rate="30 %"), stream("b", rate="10 %"), stream("c", tx="p2", rx="p1", rate="20 %")]
    measurer = TrialMeasurer(fake_tester(tmp_path), streams)
    assert measurer.load == Fraction(2, 5)
    trial = measurer.measure(Fraction(1, 10), SECOND)
    rates = [s.intended_rate / LINE_64 for s in trial.streams]
    assert [round(float(rate), 9) for rate in rates] == [0.075, 0.025, 0.05]


def test_a_rate_of_nothing_is_refused(tmp_path: Path) -> None:
    idle = replace(stream(), rate=Rate(Fraction(0), RateUnit.LINE))
    with pytest.raises(PlanError, match="the rate of 'north' is 0"):
        TrialMeasurer(fake_tester(tmp_path), [idle])


def test_a_stalled_tester_is_asked_again_and_all_attempts_are_recorded(tmp_path: Path) -> None:
    notes: list[bool] = []
    measurer = TrialMeasurer(
        fake_tester(tmp_path, stalls={1}), [stream()], note=lambda trial: notes.append(trial.valid)
    )
    trial = measurer.measure(Fraction(1, 10), SECOND)
    assert trial.valid
    assert trial.attempt == 2
    assert notes == [False, True]
    assert [record["attempt"] for record in records(tmp_path, "trial")] == [1, 2]


PAUSE = "1 frames were lost, and pauses of the tester of up to 2.6 ms put up to 3 back to back"


class Scripted(TrialMeasurer):
    """Attempts that lose so many frames, invalid where the tester paused or a link was down."""

    script: Sequence[tuple[int, str]] = ()

    def _once(self, streams: Sequence[Stream], duration: Duration, leads: bool) -> Trial:  # noqa: ARG002
        lost, fault = self.script[0]
        self.script = self.script[1:]
        found = counted_trial(stream_counters(id=1, tx_packets=1000, rx_packets=1000 - lost))
        evidence = replace(found.evidence, links_down=("p2",) if fault == "link" else ())
        objection = {
            "link": "the link of p2 was down",
            "pause": PAUSE,
            "drops": "3 frames were lost in rings",
        }
        if fault == "drops":
            evidence = replace(evidence, rx_missed=lost)
        return replace(found, evidence=evidence, objections=(objection[fault],) if fault else ())


@pytest.mark.parametrize(
    ("script", "outcome", "text"),
    [
        ([(1, "pause"), (0, ""), (0, "")], Outcome.PASS, "attempt 1 lost 1 frame and does not count"),
        ([(1, "pause"), (0, ""), (2, "")], Outcome.FAIL, "2 of 1,000 frames"),
        ([(1, "pause"), (1, "")], Outcome.FAIL, "1 of 1,000 frames"),
        ([(0, "pause"), (0, "")], Outcome.PASS, "0 %"),
        ([(3, "drops"), (0, "")], Outcome.PASS, "0 %"),
        ([(1, "pause"), (1, "pause"), (0, ""), (0, ""), (0, "")], Outcome.PASS, "attempt 2 lost 1 frame"),
        (
            [(1, "pause"), (0, ""), (1, "pause"), (0, ""), (1, "pause"), (0, "")],
            Outcome.INCONCLUSIVE,
            "3 clean attempts beside 3 that lost frames do not outweigh that",
        ),
        ([(1, "pause")] * 3, Outcome.INCONCLUSIVE, "pauses of the tester of up to 2.6 ms"),
        ([(900, "link"), (0, "")], Outcome.PASS, "0 %"),
        (
            [(900, "link"), (900, "link"), (0, "")],
            Outcome.INCONCLUSIVE,
            "the link of p2 went down in 2 of 3 attempts",
        ),
    ],
)
def test_a_repetition_does_not_erase_what_the_device_lost(
    script: list[tuple[int, str]], outcome: Outcome, text: str, tmp_path: Path
) -> None:
    measurer = Scripted(fake_tester(tmp_path), [stream()])
    measurer.script = script
    trial = measurer.measure(Fraction(1, 10), SECOND)
    assert trial.attempt == len(script)
    verdict = loss_below([trial], Ratio(Fraction(0)))
    assert (verdict.outcome, text in str(verdict)) == (outcome, True), verdict


def test_a_link_that_drops_in_several_trials_of_a_soak_is_no_pass(tmp_path: Path) -> None:
    measurer = Scripted(fake_tester(tmp_path), [stream()])
    measurer.script = [(900, "link"), (0, ""), (900, "link"), (0, ""), *[(0, "")] * 58]
    result = measure_soak(measurer, Soak(Ratio(Fraction(1, 10)), trial_duration=SECOND))
    verdict = result.verdict_below(Ratio(Fraction(1, 10)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "the link of p2 went down in 2 of 62 attempts"


def test_a_trial_that_somebody_else_has_stopped_says_nothing(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    assert isinstance(tester.target, FakeTarget)
    asked = Duration(12 * SECOND.ns)
    run = StreamRun(tester, "trial-1", [stream(rate="1 kpps")])
    with run.loaded():
        run.start(asked)
        tester.target.advance(Duration(5 * SECOND.ns))
        with tester.target.somebody("bob at host 7"):
            tester.target.stop([run.name])
        tester.target.wait([run.name], timeout=asked)
        trial = run.finish(asked)
    (objection,) = trial.objections
    assert re.fullmatch(
        r"north was stopped after 5\.\d+ s of 12 s by bob at host 7 \(somebody else\)", objection
    )
    assert trial.duration_ns == pytest.approx(5 * SECOND.ns, rel=0.02), "not the 12 s that it was to take"
    assert loss_below([trial], Ratio(Fraction(0))).outcome is Outcome.INCONCLUSIVE


def test_a_job_that_somebody_else_has_unloaded_is_named(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    assert isinstance(tester.target, FakeTarget)
    run = StreamRun(tester, "trial-1", [stream()])
    run.load()
    run.start(SECOND)
    with tester.target.somebody("bob"):
        tester.target.unload([run.name])
    with pytest.raises(TargetError, match="no job 'trial-1'; it was unloaded by bob"):
        run.finish(SECOND)


def test_a_lost_link_is_no_loss_of_the_device(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    assert isinstance(tester.target, FakeTarget)
    tester.target.set_link("p1", up=False)
    trial = TrialMeasurer(tester, [stream()]).measure(Fraction(1, 10), SECOND)
    assert trial.lost == trial.sent > 0
    assert trial.objections == ("the link of p1 was down",)
    verdict = loss_below([trial], Ratio(Fraction(0)))
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, "the link of p1 was down")
    tester.target.set_link("p1", up=True)
    assert TrialMeasurer(tester, [stream()]).measure(Fraction(1, 10), SECOND).valid


def test_where_misrouted_frames_came_in_is_in_the_verdict_and_in_the_record(tmp_path: Path) -> None:
    device = FakeDevice(FakePath(out="p3"))
    ports = [fake_port(name) for name in ("p1", "p2", "p3")]
    tester = replace(fake_tester(tmp_path), target=FakeTarget(ports, device=device))
    trial = TrialMeasurer(tester, [stream()]).measure(Fraction(1, 1000), SECOND)
    where = f"{trial.sent:,} frames of north arrived at p3, expected at p2"
    assert trial.valid
    assert remarks.misrouted(trial) == where
    verdict = loss_below([trial], Ratio(Fraction(0)))
    assert verdict.outcome is Outcome.FAIL
    assert where in str(verdict)
    (record,) = records(tmp_path, "trial")
    assert record["streams"][0]["counters"]["rx_misrouted_ports"] == ["p3"]


def test_a_tester_that_always_stalls_gives_an_invalid_trial_after_three_attempts(tmp_path: Path) -> None:
    trial = TrialMeasurer(fake_tester(tmp_path, stalls=range(1, 99)), [stream()]).measure(
        Fraction(1, 10), SECOND
    )
    assert trial.attempt == 3
    assert any("did not run for 200.0 ms" in objection for objection in trial.objections)


def test_a_rate_far_beyond_the_tester_is_not_tried_again(tmp_path: Path) -> None:
    trial = TrialMeasurer(fake_tester(tmp_path, tester_limit=200_000), [stream()]).measure(
        Fraction(1), SECOND
    )
    assert not trial.valid
    assert trial.attempt == 1


class Stopped(TrialMeasurer):
    """Half of the frames of its first attempt never leave, in which a worker stands still for so long."""

    gap_ns = 0

    def _once(self, streams: Sequence[Stream], duration: Duration, leads: bool) -> Trial:  # noqa: ARG002
        found = counted_trial(stream_counters(id=1, tx_packets=1000, rx_packets=1000))
        if self._tester.recorder.trials:
            return found
        missed = replace(
            found.evidence, intended_packets=2000, offered_packets=1000, worst_worker_gap_ns=self.gap_ns
        )
        return replace(found, evidence=missed, objections=("the tester sent 1000 of 2000 frames",))


@pytest.mark.parametrize(("gap", "attempts"), [(Fraction(6, 10), 2), (Fraction(1, 100), 1)])
def test_a_tester_that_was_stopped_is_asked_again_and_one_that_is_too_slow_is_not(
    gap: Fraction, attempts: int, tmp_path: Path
) -> None:
    """A pause ended a search as the limit of the tester: `limited by the tester at 20 % of line rate`."""
    measurer = Stopped(fake_tester(tmp_path), [stream()])
    measurer.gap_ns = round(counted_trial(stream_counters(id=1)).duration_ns * gap)
    trial = measurer.measure(Fraction(1, 10), SECOND)
    assert (trial.attempt, trial.valid) == (attempts, attempts == 2)


def test_a_tester_that_dies_leaves_the_finished_trials_and_no_job(tmp_path: Path) -> None:
    this = fake_tester(tmp_path, dies_after=Duration(1_500_000_000))
    measurer = TrialMeasurer(this, [stream()])
    measurer.measure(Fraction(1, 10), SECOND)
    with pytest.raises(TargetError, match="INCONCLUSIVE: the fake tester died"):
        measurer.measure(Fraction(1, 10), SECOND)
    assert len(records(tmp_path, "trial")) == 1
    assert records(tmp_path, "event")[0]["event"] == "trial_cut_short"


def test_a_refused_trial_leaves_nothing_loaded(tmp_path: Path) -> None:
    this = fake_tester(tmp_path, max_streams=1)
    with pytest.raises(PlanError, match="at most 1"):
        TrialMeasurer(this, [stream("a"), stream("b")]).measure(Fraction(1), SECOND)
    assert TrialMeasurer(this, [stream("a")]).measure(Fraction(1), SECOND).valid


def test_each_trial_has_frames_of_its_own(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    first, second = this.plan("one", [stream()]), this.plan("two", [stream()])
    assert first.streams[0].id != second.streams[0].id
    assert first.streams[0].frame[-16:] != second.streams[0].frame[-16:]


class Looping(FakeTarget):
    """Behind a device that gives one frame out again every 10 ms, for ever, once the first have arrived."""

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        found = super().snapshot(jobs, buckets=buckets)
        return replace(found, streams=tuple(self._looped(s, found.taken_at_ns) for s in found.streams))

    @staticmethod
    def _looped(stream: StreamCounters, now_ns: int) -> StreamCounters:
        if not stream.rx_packets:
            return stream
        again = (now_ns - stream.first_rx_ns) // 10**7
        order = replace(stream.order, duplicated=(stream.order.duplicated or 0) + again)
        return replace(stream, rx_packets=stream.rx_packets + again, order=order)


def test_a_device_that_repeats_frames_for_ever_ends_the_trial_and_is_named(tmp_path: Path) -> None:
    """The time is that of the tester's fake clock: nobody waits."""
    tester = fake_tester(tmp_path)
    target = Looping()
    tester.target, tester.clock = target, Clock.of(target)
    trial = TrialMeasurer(tester, [stream()]).measure(Fraction(1, 1000), SECOND)
    assert (trial.valid, trial.lost, trial.attempt) == (True, 0, 1)
    (found,) = trial.findings
    assert found.startswith("frames kept arriving for 5.")
    assert found.endswith("(a loop in the device?)")
    verdict = loss_below([trial], Ratio(Fraction(0)))
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, found)
    assert "duplicates" in verdict.measured
    assert found in str(trial)
    assert not ThroughputSearch().passes(trial)
    assert records(tmp_path, "trial")[0]["findings"] == [found]


class Queueing(FakeTarget):
    """Behind a queue that fills by 219 ms a second, as far as latencies tell."""

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        found = super().snapshot(jobs, buckets=buckets)
        return replace(found, streams=tuple(self._queued(s, found.taken_at_ns) for s in found.streams))

    @staticmethod
    def _queued(stream: StreamCounters, now_ns: int) -> StreamCounters:
        since = min(now_ns, stream.last_tx_ns or now_ns) - stream.first_tx_ns
        count = stream.latency.count
        return replace(stream, latency=replace(stream.latency, sum_ns=int(count * 0.219 * since / 2)))


class Copying(Queueing):
    """The same, by copies of old frames that arrive more and more."""

    @staticmethod
    def _queued(stream: StreamCounters, now_ns: int) -> StreamCounters:
        found = Queueing._queued(stream, now_ns)
        copies, count = found.latency.count // 10, found.latency.count
        order = replace(found.order, duplicated=copies)
        latency = replace(found.latency, max_ns=10**10)
        return replace(found, rx_packets=count + copies, order=order, latency=latency)


def test_a_delay_that_copies_of_old_frames_raise_is_not_called_growing(tmp_path: Path) -> None:
    tester = replace(fake_tester(tmp_path), target=Copying())
    trial = TrialMeasurer(tester, [stream()]).measure(Fraction(1, 1000), Duration(5 * SECOND.ns))
    assert trial.order.duplicated
    assert trial.streams[0].growth is None
    assert trial.sustained


@pytest.mark.parametrize("queueing", [True, False])
def test_a_lossless_trial_that_filled_a_queue_says_so(tmp_path: Path, queueing: bool) -> None:
    tester = replace(fake_tester(tmp_path), target=Queueing() if queueing else FakeTarget())
    trial = TrialMeasurer(tester, [stream()]).measure(Fraction(1, 1000), Duration(5 * SECOND.ns))
    assert (trial.valid, trial.lost) == (True, 0)
    assert trial.streams[0].growth
    assert remarks.not_sustained(trial).startswith("not sustained: the delay grew from ") == queueing
    assert ("not sustained" in str(trial)) == queueing
    assert ("not sustained" in str(loss_below([trial], Ratio(Fraction(0))))) == queueing
    assert ThroughputSearch().passes(trial)
    assert ThroughputSearch(sustained=True).passes(trial) != queueing
    (record,) = read(tmp_path).trials
    assert record.trial.streams[0].growth == trial.streams[0].growth


def test_a_search_for_what_is_sustained_ends_below_the_load_that_fills_a_queue(tmp_path: Path) -> None:
    tester = replace(fake_tester(tmp_path), target=Queueing())
    search = ThroughputSearch(
        lowest=Ratio.parse("0.1 %"),
        highest=Ratio.parse("0.2 %"),
        resolution=Ratio.parse("0.1 %"),
        trial_duration=Duration(5 * SECOND.ns),
        scout_duration=Duration(5 * SECOND.ns),
    )
    kept = find_throughput(TrialMeasurer(tester, [stream()]), search)
    assert kept.limited_by is LimitedBy.SEARCH
    assert kept.reason.startswith("not sustained: the delay grew from ")
    asked = find_throughput(TrialMeasurer(tester, [stream()]), replace(search, sustained=True))
    assert (asked.load, asked.limited_by) == (None, LimitedBy.DEVICE)
    assert asked.reason.startswith("not sustained: the delay grew from ")


BROADCAST = Modifiers((Modifier.BROADCAST,))


def test_modifiers_have_their_part_of_the_load_and_no_loss(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    trial = TrialMeasurer(tester, [stream()], modifiers=BROADCAST).measure(Fraction(1), SECOND)
    assert (trial.load, trial.lost, trial.objections) == (1, 0, ())
    (north,) = trial.streams
    assert north.intended_rate == LINE_64 * Fraction(100, 101)
    assert trial.evidence.intended_packets - trial.sent == pytest.approx(LINE_64 / 101, abs=2)
    assert remarks.traffic(trial) == "evenly spaced, with 1 % broadcast frames, 1 flow"


def test_frames_at_a_rate_of_their_own_fit_in_beside_a_full_load(tmp_path: Path) -> None:
    modifiers = Modifiers((Modifier.ROUTING, Modifier.BROADCAST))
    trial = TrialMeasurer(fake_tester(tmp_path), [stream()], modifiers=modifiers).measure(Fraction(1), SECOND)
    assert (trial.load, trial.lost, trial.objections) == (1, 0, ())


@pytest.mark.parametrize("modifiers", [Modifiers(), BROADCAST])
def test_streams_that_ask_for_more_than_their_line_are_refused_not_slowed(
    tmp_path: Path, modifiers: Modifiers
) -> None:
    tester = fake_tester(tmp_path)
    streams = [stream("a", rate="99 %"), stream("b", rate="99 %"), stream("c", tx="p2", rx="p1")]
    measurer = TrialMeasurer(tester, streams, modifiers=modifiers)
    refused = r"'a' \(99 %\) \+ 'b' \(99 %\) share port 'p1' .* ask for 198\.0+ % of its line rate"
    with pytest.raises(PlanError, match=refused):
        measurer.measure(measurer.load, SECOND)
    with pytest.raises(PlanError, match=refused):
        measurer.interrupted(measurer.load, lambda: None, lead=SECOND, steady=SECOND, limit=SECOND)
    assert tester.evidence.trials == 0
    assert not (tmp_path / "trials.jsonl").exists()
    at_line_rate = measurer.measure(Fraction(1), SECOND)
    assert (at_line_rate.load, at_line_rate.lost, at_line_rate.objections) == (1, 0, ())


def test_streams_that_a_modifier_leaves_room_for_are_slowed_by_its_frames_alone(tmp_path: Path) -> None:
    modifiers = Modifiers((Modifier.ROUTING,))
    streams = [stream("a", rate="50 %"), stream("b", rate="50 %")]
    trial = TrialMeasurer(fake_tester(tmp_path), streams, modifiers=modifiers).measure(Fraction(1), SECOND)
    assert [float(s.intended_rate / LINE_64) for s in trial.streams] == pytest.approx([0.5, 0.5], abs=1e-6)


def test_bursts_and_changes_of_the_load_are_sent_alone(tmp_path: Path) -> None:
    measurer = TrialMeasurer(fake_tester(tmp_path), [stream()], modifiers=BROADCAST)
    with pytest.raises(PlanError, match="a burst is sent alone, and 1 % broadcast frames were set; call Set"):
        measurer.burst(10, Duration(0))
    with pytest.raises(PlanError, match="a change of the load is sent alone"):
        measurer.step(Step(Fraction(1), SECOND, Fraction(1, 2), SECOND))
