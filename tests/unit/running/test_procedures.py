# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bursts, steps and interruptions on simulated devices: what the measurer grows, and the procedures on it."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.counter import Counter
from TesterLibrary.methodology.measurer import Step
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, measure_reset
from TesterLibrary.methodology.services.service_activation import Acceptance, measure_performance
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, measure_system_recovery
from TesterLibrary.methodology.throughput import ThroughputSearch
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth, Duration, Rate, Ratio
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.measurer import Pauses, TrialMeasurer
from TesterLibrary.running.procedures.services import Services
from TesterLibrary.running.tester import Tester
from TesterLibrary.targets.fake import fake_port
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice
from TesterLibrary.verdict import Outcome

from .testers import fake_tester, opened, stream

MS = 10**6
NOTHING = Duration(0)
ALL = Ratio.parse("100 %")
SPEED = Bandwidth(10**7)


def simulated(folder: Path, **device: Any) -> Tester:
    """A simulated tester on ports of 10 Mbps."""
    ports = [fake_port(name, link_speed_bps=SPEED.bps) for name in ("p1", "p2")]
    target = SimulatedTarget(SimulatedDevice.of(device), ports)

    described = {port.name: Port(port.name, SPEED, port.mac, port.max_frame_size) for port in ports}
    progress = Console(stream=StringIO())
    return Tester(
        target,
        target.capabilities(),
        described,
        {},
        Recorder(folder),
        progress,
        clock=Clock.of(target),
    )


def reset_of(tester: Tester) -> SimulatedTarget:
    assert isinstance(tester.target, SimulatedTarget)
    return tester.target


STANDS_STILL = {"queue": 100_000, "hiccup_every": "1700 ms", "hiccup": "900 ms"}


def test_a_device_that_stands_still_loses_nothing(tmp_path: Path) -> None:
    tester = simulated(tmp_path, **STANDS_STILL)
    measurer = TrialMeasurer(tester, [stream(rate="10 %")])
    for _ in range(20):  # they end at other times of its pauses
        assert measurer.measure(Fraction(1, 10), Duration(1070 * MS)).lost == 0
        assert measurer.burst(100, Duration(130 * MS)).lost == 0


def test_frames_that_are_missing_are_waited_for_two_seconds(tmp_path: Path) -> None:
    tester = simulated(tmp_path, loss="1 %")
    measurer = TrialMeasurer(tester, [stream(rate="100 %")])
    now = lambda: tester.target.snapshot().taken_at_ns  # noqa: E731
    before = now()
    assert measurer.measure(Fraction(1), Duration(1000 * MS)).lost
    assert 3000 * MS <= now() - before < 3100 * MS
    measurer.leads = lambda _load, duration: duration.ns < 500 * MS  # whoever leads does not wait so long
    before = now()
    assert measurer.measure(Fraction(1), Duration(400 * MS)).lost
    assert 600 * MS <= now() - before < 700 * MS


@pytest.mark.parametrize(
    ("load", "duration", "leads"), [("100 %", 200, 1), ("5 %", 200, 0), ("9 %", 1000, 0)]
)
def test_scouts_lead(load: str, duration: int, leads: bool) -> None:
    search = ThroughputSearch(
        trial_duration=Duration(1000 * MS), scout_duration=Duration(200 * MS), stability=Ratio.parse("5 %")
    )
    assert search.leads(Ratio.parse(load).value, Duration(duration * MS)) == leads


def test_a_burst_is_so_many_frames_at_line_rate_and_then_a_rest(tmp_path: Path) -> None:
    tester = simulated(tmp_path)
    measurer = TrialMeasurer(tester, [stream(rate="1 %")])
    before = tester.target.snapshot().taken_at_ns
    trial = measurer.burst(1000, Duration(700 * MS))
    assert (trial.load, trial.sent, trial.lost, trial.valid) == (1, 1000, 0, True)
    (counted,) = (s.counters for s in trial.streams)
    assert counted.last_tx_ns - counted.first_tx_ns == 999 * 67_200
    assert tester.target.snapshot().taken_at_ns - before >= 767 * MS


def test_a_burst_of_two_streams_shares_the_line_of_their_port(tmp_path: Path) -> None:
    tester = simulated(tmp_path)
    trial = TrialMeasurer(tester, [stream("a", rate="3 %"), stream("b", rate="1 %")]).burst(300, NOTHING)
    shares = [s.intended_rate / SPEED.frames_per_second(64) for s in trial.streams]
    assert shares == [Fraction(3, 4), Fraction(1, 4)]
    assert [s.counters.tx_packets for s in trial.streams] == [300, 300]


def test_a_step_changes_the_load_within_a_stream_at_a_known_frame(tmp_path: Path) -> None:
    tester = simulated(tmp_path)
    step = Step(Fraction(1, 2), Duration(400 * MS), Fraction(1, 4), Duration(200 * MS))
    trial, (how,) = TrialMeasurer(tester, [stream()]).step(step)
    line = SPEED.frames_per_second(64)
    assert how.frames == round(line / 2 * Fraction(4, 10))
    assert trial.sent == how.frames + round(line / 4 * Fraction(2, 10))
    assert (trial.load, trial.valid, trial.duration_ns) == (Fraction(1, 2), True, 600 * MS)
    assert how.after_step_ns(how.frames - 1) == how.after_step_ns(how.frames) == 0
    assert how.after_step_ns(trial.sent - 1) == pytest.approx(200 * MS, abs=float(how.gap_ns) + 1)


def test_recovery_of_random_devices(tmp_path: Path) -> None:
    draw = random.Random(2544)
    for _ in range(6):
        recovery = draw.randint(5, 150)
        tester = simulated(tmp_path, rate="50 %", queue=draw.randint(1, 40), recovery=f"{recovery} ms")
        measurement = RecoveryMeasurement(
            Ratio.parse("50 %"),
            overload_duration=Duration(300 * MS),
            relief_duration=Duration(300 * MS),
        )
        result = measure_system_recovery(TrialMeasurer(tester, [stream()]), measurement)
        assert result.bounds_ns is not None
        gap_ns = float(result.stepped[0].gap_ns)
        # Of the frames within the recovery it loses every second one.
        assert recovery * MS - 2 * gap_ns <= result.bounds_ns[0] <= recovery * MS
        assert result.verdict_below(Duration(int(recovery * MS + 2 * gap_ns))).outcome is Outcome.PASS
        assert result.verdict_below(Duration(int(recovery * MS - 4 * gap_ns))).outcome is Outcome.FAIL


def test_a_queue_alone_recovers_at_once(tmp_path: Path) -> None:
    tester = simulated(tmp_path, rate="50 %", queue=20)
    measurement = RecoveryMeasurement(
        Ratio.parse("50 %"), overload_duration=Duration(300 * MS), relief_duration=Duration(100 * MS)
    )
    result = measure_system_recovery(TrialMeasurer(tester, [stream()]), measurement)
    assert result.bounds_ns == (0, 0)


def reset(limit: str = "5 s") -> ResetMeasurement:
    return ResetMeasurement(
        ResetKind.SOFTWARE,
        Ratio.parse("50 %"),
        lead=Duration(100 * MS),
        steady=Duration(300 * MS),
        limit=Duration.parse(limit),
    )


def test_a_reset_is_watched_until_frames_arrive_again(tmp_path: Path) -> None:
    draw = random.Random(6201)
    for _ in range(5):
        silence = draw.randint(100, 2000)
        tester = simulated(tmp_path, silence=f"{silence} ms")
        measurer = TrialMeasurer(tester, [stream()])
        result = measure_reset(measurer, reset(), reset_of(tester).device.reset, hook="hook")
        assert result.reset_ns == pytest.approx(silence * MS, abs=300_000)
        assert result.trials[0].duration_ns < (silence + 1000) * MS


def test_a_device_that_is_not_back_in_time_fails(tmp_path: Path) -> None:
    tester = simulated(tmp_path, silence="1 h")
    result = measure_reset(
        TrialMeasurer(tester, [stream()]),
        reset("2 s"),
        reset_of(tester).device.reset,
        hook="hook",
    )
    assert result.verdict_below(Duration.parse("1.9 s")).outcome is Outcome.FAIL
    assert result.verdict_below(Duration.parse("2 h")).outcome is Outcome.INCONCLUSIVE
    assert result.trials[0].duration_ns < 3 * 10**9


def test_a_device_that_loses_frames_anyway_was_not_reset_by_a_hook_that_does_nothing(tmp_path: Path) -> None:
    tester = simulated(tmp_path, loss="1 %")
    result = measure_reset(TrialMeasurer(tester, [stream()]), reset(), lambda: None, hook="hook")
    verdict = result.verdict_below(Duration.parse("1 s"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "the device lost frames already before the reset, up to 1 in a row"


def test_a_device_that_goes_on_losing_frames_is_not_back(tmp_path: Path) -> None:
    tester = simulated(tmp_path, loss="0.1 %")  # one of 2,000 frames at half load: none before the reset
    result = measure_reset(TrialMeasurer(tester, [stream()]), reset("2 s"), lambda: None, hook="hook")
    (seen,) = result.interruptions
    assert (seen.missing, seen.steady) == (0, False)
    assert result.verdict_below(Duration.parse("1 s")).outcome is Outcome.INCONCLUSIVE


def test_a_device_that_had_stopped_before_was_not_stopped_by_the_reset(tmp_path: Path) -> None:
    tester = simulated(tmp_path, silence="300 ms")
    pass_time = tester.clock.sleep

    def stopping(seconds: float) -> None:
        pass_time(seconds)
        if seconds == 0.1:  # the lead
            reset_of(tester).device.reset()
            pass_time(0.1)

    tester.clock = replace(tester.clock, sleep=stopping)
    result = measure_reset(TrialMeasurer(tester, [stream()]), reset(), lambda: None, hook="hook")
    assert result.verdict_below(Duration.parse("1 s")).reason == (
        "frames did not arrive already before the reset"
    )


def test_a_device_that_stops_again_and_again_does_not_pass(tmp_path: Path) -> None:
    tester = simulated(tmp_path, silence="100 ms")
    pass_time = tester.clock.sleep
    polls = 0

    def stopping(seconds: float) -> None:
        nonlocal polls
        pass_time(seconds)
        polls += 1
        if polls % 12 == 0:
            reset_of(tester).device.reset()

    measurer = TrialMeasurer(tester, [stream()])
    tester.clock = replace(tester.clock, sleep=stopping)
    result = measure_reset(measurer, reset("2 s"), reset_of(tester).device.reset, hook="hook")
    assert not result.interruptions[0].steady
    assert result.verdict_below(Duration.parse("500 ms")).outcome is Outcome.INCONCLUSIVE


def test_traffic_ends_with_a_hook_that_fails(tmp_path: Path) -> None:
    tester = simulated(tmp_path)

    def broken() -> None:
        raise Inconclusive("no route")

    with pytest.raises(Inconclusive, match="no route"):
        TrialMeasurer(tester, [stream()]).interrupted(
            Fraction(1, 2), broken, lead=Duration(MS), steady=Duration(MS), limit=Duration(2 * MS)
        )
    assert tester.air.runs == []
    assert tester.target.snapshot().streams == ()


def test_a_link_that_goes_down_in_a_reset_is_the_devices_doing(tmp_path: Path) -> None:
    tester = simulated(tmp_path)
    target = reset_of(tester)

    def pull_and_put_back() -> None:
        target.set_link("p2", up=False)
        target.advance(Duration(200 * MS))
        target.set_link("p2", up=True)

    measurer = TrialMeasurer(tester, [stream()])
    result = measure_reset(measurer, reset(), pull_and_put_back, hook="hook")
    assert result.trials[0].valid
    assert result.reset_ns == pytest.approx(200 * MS, rel=0.2)


def test_after_a_trial_with_loss_the_device_may_rest(tmp_path: Path) -> None:
    tester = simulated(tmp_path, rate="50 %", queue=1)
    slept: list[float] = []
    pass_time = tester.clock.sleep

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        pass_time(seconds)

    tester.clock = replace(tester.clock, sleep=sleep)
    measurer = TrialMeasurer(tester, [stream()], pauses=Pauses(rest_after_loss=Duration(3 * 10**9)))
    measurer.measure(Fraction(1, 4), Duration(50 * MS))
    assert 3.0 not in slept
    measurer.measure(Fraction(1), Duration(50 * MS))
    assert slept[-1] == 3.0


def test_pauses_are_before_and_after_each_trial(tmp_path: Path) -> None:
    tester = simulated(tmp_path)
    learning, rest, last = Duration(2 * 10**9), Duration(5 * 10**9), 0
    measurer = TrialMeasurer(tester, [stream()], pauses=Pauses(learning, rest, Duration(3 * 10**9)))
    quarter, short = Fraction(1, 4), Duration(50 * MS)
    step = Step(quarter, short, quarter / 2, short)
    trials = [
        measurer.measure(quarter, short),
        measurer.burst(10, rest),
        measurer.step(step)[0],
        measurer.interrupted(quarter, lambda: None, lead=short, steady=short, limit=Duration(10**9))[0],
    ]
    for trial in trials:
        (counted,) = (s.counters for s in trial.streams)
        assert counted.first_tx_ns >= last + learning.ns + (rest.ns if last else 0)
        last = counted.last_tx_ns
    assert tester.target.snapshot().taken_at_ns >= last + rest.ns


def test_each_trial_has_the_waits_around_it(tmp_path: Path) -> None:
    """In nanoseconds, as they were: residual frames are waited for, if asked, although none is missing."""
    learning, rest, residual = Duration(2 * 10**9), Duration(5 * 10**9), Duration(10**9)
    quarter, short = Fraction(1, 4), Duration(50 * MS)
    for pauses, heard in ((Pauses(learning, rest), 0), (Pauses(learning, rest, residual=residual), 10**9)):
        measurer = TrialMeasurer(simulated(tmp_path), [stream()], pauses=pauses)
        measurer.leads = lambda load, _duration: load > Fraction(1, 4)
        trials = [
            measurer.measure(quarter, short),
            measurer.step(Step(quarter, short, quarter / 2, short))[0],
            measurer.burst(10, Duration(3 * 10**9)),
        ]
        waits = [trial.waits for trial in trials]
        assert [w and (w.learning_ns, w.rest_ns) for w in waits] == [(2 * 10**9, 5 * 10**9)] * 2 + [
            (2 * 10**9, 3 * 10**9)
        ]
        assert all(w and heard <= w.residual_ns < heard + 300 * MS for w in waits[:2])
        assert waits[2]
        assert waits[2].residual_ns < 300 * MS, "it has a rest of its own"
        leading = measurer.measure(2 * quarter, short).waits
        assert leading
        assert leading.residual_ns < 300 * MS


def test_a_tester_that_counts_no_outages_is_refused_by_name(tmp_path: Path) -> None:
    suite = opened(tmp_path)
    suite.streams["north"] = stream()
    assert Counter.OUTAGES not in fake_tester(tmp_path).capabilities.counts
    with pytest.raises(PlanError, match="system recovery cannot be measured: this tester does not count"):
        suite.refuse_without("system recovery", (), by_signature=True, needs=[Counter.OUTAGES])


def test_a_service_that_was_away_for_twelve_seconds_is_found_in_the_time_of_a_simulated_tester(
    tmp_path: Path,
) -> None:
    ports = [fake_port(name, link_speed_bps=SPEED.bps) for name in ("p1", "p2")]
    target = SimulatedTarget(SimulatedDevice.of({"silence": "12 s"}), ports)
    suite = opened(tmp_path, target=target)
    suite.put(stream("video"))
    clock, away = suite.tester.clock, [6_400 * MS]

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if away and target.snapshot().taken_at_ns >= away[0]:
            away.clear()
            target.device.reset()

    suite.tester.clock = replace(clock, sleep=sleep)
    result = measure_performance(Services(suite), {"video": Rate.parse("100 pps")}, Duration(26 * 10**9))
    (seconds,) = result.seconds
    assert len(seconds.severe) == pytest.approx(26, abs=1)
    assert sum(known is True for known in seconds.severe) in (11, 12, 13)
    for bound, outcome in (("99.9 %", Outcome.FAIL), ("27 %", Outcome.FAIL), ("26 %", Outcome.PASS)):
        assert result.verdict([], Acceptance(ALL, availability=Ratio.parse(bound))).outcome is outcome
