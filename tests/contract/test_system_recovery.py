# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`Measure System Recovery` on every target: what it cannot send it refuses before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.keywords.system_recovery import SystemRecovery
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.law import Profile
from TesterLibrary.model.plan import LearningFrame, Plan
from TesterLibrary.model.units import Duration, Ratio
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice

from ..unit.running.testers import opened, stream
from .rig import Rig

SHORT = Duration(2_000_000)


class Steadfast(SimulatedTarget):
    """A tester that sends at one rate only, and notes what it has sent."""

    def __init__(self) -> None:
        super().__init__(SimulatedDevice.of({}))
        self.sent: list[str] = []

    def load(self, plan: Plan) -> None:
        if any(isinstance(each.departures.law, Profile) for each in plan.streams):
            raise PlanError(f"stream {plan.streams[0].name!r}: a rate that changes")
        super().load(plan)

    def start(self, jobs: Any, **given: Any) -> None:
        self.sent.extend(jobs)
        super().start(jobs, **given)

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        self.sent.append("learning frames")
        super().inject(frames)


def suite_on(target: Any, folder: Path) -> Suite:
    suite = opened(folder, target=target)
    suite.streams["north"] = stream(size=1518)
    return suite


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
