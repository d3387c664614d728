# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`Measure System Recovery` on every target: what it cannot send it refuses before anything is sent.

Behind a fake switch are devices that are overloaded, whose last losses arithmetic knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.keywords.rfc.system_recovery import SystemRecovery
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.methodology.system_recovery import (
    RecoveryMeasurement,
    RecoveryResult,
    measure_system_recovery,
)
from TesterLibrary.methodology.token_bucket import Arrival, TokenBucket
from TesterLibrary.model.plan.law import Profile
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.fake.parts import FakeFrames
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.targets.tofino.fake import Bridge, Wire
from TesterLibrary.targets.tofino.fake.wire import ShapingBridge
from TesterLibrary.testbeds.fake_devices import Shaper
from TesterLibrary.testbeds.simulated import SimulatedDevice
from TesterLibrary.verdict import Outcome

from ..unit.running.testers import opened, stream
from .rig import SPEED, Rig, SwitchRig

MS = 10**6
SHORT = Duration(2 * MS)
SHAPER = Shaper(Bandwidth(20_000_000), 30_000, 30_000)
MEASUREMENT = RecoveryMeasurement(
    throughput=Ratio.parse("2 %"),  # of 1 Gbps: 1,625 frames each second, of which the shaper passes 1,651
    overload=Ratio.parse("4 %"),
    overload_duration=Duration(300 * MS),
    relief_duration=Duration(300 * MS),
)
ALONE, FIRST = 488, 975  # frames at the lower load alone, and of the overload
OCTETS = 1514  # of a test frame, without its FCS


class Steadfast(SimulatedTarget):
    """A tester that sends at one rate only, and notes what it has sent."""

    def __init__(self) -> None:
        super().__init__(SimulatedDevice.of({}))
        self.sent: list[str] = []
        self.frames = NotedFrames(self)

    def load(self, plan: Plan) -> None:
        if any(isinstance(each.departures.law, Profile) for each in plan.streams):
            raise PlanError(f"stream {plan.streams[0].name!r}: a rate that changes")
        super().load(plan)

    def start(self, jobs: Any, **given: Any) -> None:
        self.sent.extend(jobs)
        super().start(jobs, **given)


class NotedFrames(FakeFrames):
    def __init__(self, target: Steadfast) -> None:
        super().__init__(target.bench)
        self.sent = target.sent

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        self.sent.append("learning frames")
        super().inject(frames)


class Slow(ShapingBridge):
    """Loses every second frame for a time after its queue was full. It notes what became of each."""

    def __init__(self, hold_ns: int = 0) -> None:
        super().__init__(SHAPER)
        self.passed: list[tuple[int, bool]] = []  # test frames: when they came, and whether they got through
        self._hold_ns, self._until_ns = hold_ns, 0

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        if len(frame) != OCTETS:
            yield from super().forward(port, frame, now_ns, others)
            return
        left = []
        if now_ns >= self._until_ns or len(self.passed) % 2:
            left = list(super().forward(port, frame, now_ns, others))
            self._until_ns = self._until_ns if left else now_ns + self._hold_ns
        self.passed.append((now_ns, bool(left)))
        yield from left


class Deaf(Bridge):
    """Forwards no test frame of the first rate, and of the second one all after so many."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first, self._came = first, list[int]()

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        if len(frame) != OCTETS:
            return super().forward(port, frame, now_ns, others)
        self._came.append(now_ns)
        number = len(self._came) - 1 - ALONE
        return iter(()) if 0 <= number < self._first else super().forward(port, frame, now_ns, others)


def suite_on(target: Any, folder: Path) -> Suite:
    suite = opened(folder, target=target)
    suite.streams["north"] = stream(size=1518)
    return suite


@pytest.mark.fakes
@pytest.mark.parametrize("given", [{}, {"overload": Ratio.parse("90 %")}])
def test_a_tester_that_sends_no_steps_refuses_before_the_throughput_search(
    given: dict[str, Any], tmp_path: Path
) -> None:
    target = Steadfast()
    suite = suite_on(target, tmp_path)
    with pytest.raises(PlanError, match=r"^stream 'north': a rate that changes$"):
        SystemRecovery(suite).measure_system_recovery(duration=SHORT, relief_duration=SHORT, **given)
    assert target.sent == []
    assert target.snapshot().streams == ()


def test_what_is_tried_leaves_no_job_and_sends_nothing(rig: Rig, tmp_path: Path) -> None:
    suite = suite_on(rig.target, tmp_path)
    suite.tester.ports = rig.ports

    def ports(snapshot: Snapshot) -> list[tuple[int, int]]:
        return [(port.tx_packets, port.rx_packets) for port in snapshot.ports]

    before = ports(rig.target.snapshot())
    suite.tester.try_out([suite.streams["north"]])
    after = rig.target.snapshot()
    assert (ports(after), after.streams) == (before, ())


def recovery(wire: Wire | None, folder: Path) -> RecoveryResult:
    rig = SwitchRig(wire)
    suite = suite_on(rig.target, folder)
    suite.tester.ports, suite.tester.clock = rig.ports, rig.clock
    return measure_system_recovery(TrialMeasurer(suite.tester, [suite.streams["north"]]), MEASUREMENT)


@pytest.mark.fakes
def test_a_switch_says_that_a_device_that_loses_nothing_was_not_overloaded(tmp_path: Path) -> None:
    verdict = recovery(None, tmp_path).verdict_below(Duration(MS))
    why = "the device lost nothing at 4 % of line rate for 300 ms, so it was not overloaded"
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert why in str(verdict)


@pytest.mark.fakes
def test_behind_a_token_bucket_the_last_loss_is_the_one_of_arithmetic(tmp_path: Path) -> None:
    """A queue alone recovers at once: by its first frame after the step it has room again."""
    wire = Slow()
    result = recovery(wire, tmp_path)
    (trial,), (how,) = result.repetitions, result.stepped
    bucket = TokenBucket(SHAPER.rate, Octets(SHAPER.burst), Octets(SHAPER.queue))
    dropped = list(bucket.dropped(Arrival(at_ns, OCTETS) for at_ns, _ in wire.passed))[-trial.sent :]
    lost = [number for number, gone in enumerate(dropped) if gone]
    outages = trial.streams[0].counters.outages
    assert outages is not None
    assert (trial.lost, outages.last_sequence) == (len(lost), lost[-1] + 1)
    assert how.frames - 2 <= lost[-1] < how.frames
    late_ns = trial.streams[0].counters.worst_lateness_ns
    assert result.bounds_ns == (0, late_ns)
    assert result.verdict_below(Duration(ceil(late_ns))).outcome is Outcome.PASS
    assert result.verdict_below(Duration(ceil(late_ns) - 1)).outcome is Outcome.INCONCLUSIVE


@pytest.mark.fakes
@pytest.mark.parametrize("hold_ms", [20, 60, 110])
def test_the_time_of_a_slow_recovery_is_within_its_bounds(hold_ms: int, tmp_path: Path) -> None:
    wire = Slow(hold_ms * MS)
    result = recovery(wire, tmp_path)
    (trial,), (how,) = result.repetitions, result.stepped
    passed = wire.passed[-trial.sent :]
    last = max(number for number, (_, arrived) in enumerate(passed) if not arrived)
    over_ns = passed[how.frames - 1][0] + 10**9 / (4 * SPEED.frames_per_second(1518) / 100)
    took_ns = passed[last][0] - over_ns
    assert took_ns > 5 * MS, "the device has recovered before the step"
    assert result.bounds_ns is not None
    least, most = result.bounds_ns
    assert least <= took_ns <= most <= least + 12 * how.gap_ns
    assert result.verdict_below(Duration(ceil(most))).outcome is Outcome.PASS
    assert result.verdict_below(Duration(floor(least) - 1)).outcome is Outcome.FAIL
    assert result.verdict_below(Duration(round(took_ns))).outcome is Outcome.INCONCLUSIVE


@pytest.mark.fakes
@pytest.mark.parametrize("later", [0, 100])
def test_an_overload_that_was_lost_whole_is_judged(later: int, tmp_path: Path) -> None:
    """Nothing arrives before the first frame that the device forwards, so no number is skipped."""
    result = recovery(Deaf(FIRST + later), tmp_path)
    (trial,), (how,) = result.repetitions, result.stepped
    assert (how.frames, trial.lost) == (FIRST, FIRST + later)
    assert result.bounds_ns is not None
    least, most = result.bounds_ns
    assert least <= max(0, later - 1) * how.gap_ns <= most <= least + 12 * how.gap_ns
    assert result.verdict_below(Duration(ceil(most))).outcome is Outcome.PASS
    if later:
        assert result.verdict_below(Duration(floor(least) - 1)).outcome is Outcome.FAIL
