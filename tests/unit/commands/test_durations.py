# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiles of RFC 2544 take as long as they say: their suites run in virtual time, on known devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from robot.run import RobotFramework

from TesterLibrary.campaign.bed import Bed
from TesterLibrary.campaign.certification import Certification
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.reporting.record.agenda import SUITE
from TesterLibrary.running import suite as running
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.trial_rules import TrialRules
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget, fake_port
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice
from tests.unit.running.testers import opened

# bit/s: a simulated tester looks at each frame
SLOW = 200_000
SHORT, LONG, RESET = "64 Bytes", "512 Bytes", "Software Reset"  # tests: two of the seven sizes are short
FAST = 1_000_000  # slower than that, one frame is more than the resolution


def switched() -> FakeTarget:
    """A bridge or router of this machine, which forwards all but short frames at line rate."""
    return FakeTarget(device=FakeDevice(FakePath(capacity=500_000)))


def queueing() -> FakeTarget:
    """The token bucket with a short queue."""
    ports = [fake_port(name, link_speed_bps=FAST) for name in ("p1", "p2")]
    return SimulatedTarget(SimulatedDevice.of({"rate": "21 %", "queue": 8}), ports)


def resetting() -> FakeTarget:
    """A bridge that is away for 300 ms."""
    ports = [fake_port(name, link_speed_bps=SLOW) for name in ("p1", "p2")]
    return SimulatedTarget(SimulatedDevice.of({"silence": "300 ms"}), ports)


class VirtualTime:
    """A listener of Robot with which each testbed is a device in virtual time. It times the tests."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, make: Callable[[], FakeTarget], monkeypatch: pytest.MonkeyPatch) -> None:
        self._make = make
        self.took: dict[str, dict[str, float]] = defaultdict(dict)  # by suite and test
        monkeypatch.setattr(running, "open_tester", self._open)

    def _open(self, *_: Any, scopes: Any, recorder: Any, **__: Any) -> OpenTestbed:
        bed = opened(recorder.directory, target=self._make()).open_testbed
        self._tester = bed.tester
        self._tester.rules = TrialRules()
        self._tester.scopes, self._tester.recorder = scopes, recorder
        return bed

    def _now(self) -> float:
        return self._tester.target.snapshot().taken_at_ns / 1e9

    def start_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        self._began = self._now()

    def end_test(self, data: Any, result: Any) -> None:
        took = self._now() - self._began
        assert took > 0, result.message
        self.took[_tag(data.parent.name)][data.name] = took


def _tag(suite: str) -> str:
    return suite.lower().replace(" ", "-")


def virtual(
    run: Certification, bed: Bed, make: Callable[[], FakeTarget], monkeypatch: pytest.MonkeyPatch, *tests: str
) -> dict[str, dict[str, float]]:
    """Seconds that tests of these names take, by the tag of their procedure."""
    robot, clock = RobotFramework(), VirtualTime(make, monkeypatch)  # type: ignore[no-untyped-call]
    options = run._options(1, bed, None)
    if "--listener" in options:  # Allure's
        options = options[: options.index("--listener")]
    names = [text for test in tests for text in ("--test", test)]
    run.output.mkdir(exist_ok=True)
    given, suites = robot.parse_arguments([*options, *names, *map(str, bed.suites)])  # type: ignore[no-untyped-call]
    robot.main(suites, **{**given, "output": None, "listener": [clock], "console": "none"})  # type: ignore[no-untyped-call]
    return clock.took


@pytest.mark.long
@pytest.mark.parametrize("profile", ["quick", "full"])
def test_a_profile_takes_as_long_as_it_says(
    profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By procedure, and in all. What `quick` says was measured on devices of the kernel: its trials are so
    short that what a tester does between them counts as much, and bridges there lose nothing in a sweep."""
    run = certification(profile=profile, testbeds=[], criteria=None, suites=[], output=tmp_path / "out")
    bridge, _, queue = run.beds
    resets, others = ([p for p in bridge.suites if (p.stem == "reset") is wanted] for wanted in (True, False))
    took = {
        **virtual(run, replace(bridge, suites=tuple(others)), switched, monkeypatch, SHORT, LONG),
        **virtual(run, replace(bridge, suites=tuple(resets)), resetting, monkeypatch, RESET),
        **virtual(run, queue, queueing, monkeypatch, LONG),
    }
    means = {
        tag: each[RESET] if RESET in each else (2 * each.get(SHORT, each[LONG]) + 5 * each[LONG]) / 7
        for tag, each in took.items()
    }
    stated = dict(run.profile_values["expected"])
    del stated[SUITE]
    assert stated.keys() == means.keys()
    if profile == "full":
        assert stated == {tag: pytest.approx(mean, rel=0.1, abs=0.5) for tag, mean in means.items()}
    tags = [_tag(item.suite.rpartition(".")[2]) for item in run.items()]
    assert sum(stated[tag] for tag in tags) == pytest.approx(
        sum(means[tag] for tag in tags), rel=0.1 if profile == "full" else 0.2
    )
