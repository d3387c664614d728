# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`Diagnose Loss` on every target: its experiments are sent as they are asked, and a switch names causes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.diagnosis import (
    FRAME_SIZE,
    Diagnosis,
    DiagnosisResult,
    Experiment,
    diagnose_loss,
)
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.running.procedures.diagnosis import TargetExperiments
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.targets.tofino.fake import Bridge, Wire

from ..unit.running.testers import opened, stream
from .rig import Rig, SwitchRig

NORTH = stream(size=1518, rate="2 kpps")


class Narrow(Bridge):
    """Drops frames above an Ethernet MTU of 1,496 bytes."""

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        return iter(()) if len(frame) > 1510 else super().forward(port, frame, now_ns, others)


def suite_on(rig: Rig, folder: Path) -> Suite:
    suite = opened(folder, target=rig.target)
    suite.tester.ports, suite.tester.clock = rig.ports, rig.clock
    return suite


def test_an_experiment_is_sent_as_it_is_asked(rig: Rig, tmp_path: Path) -> None:
    experiments = TargetExperiments(suite_on(rig, tmp_path).tester, [NORTH])
    (kind,) = set(experiments.traffic.streams[0].period)
    kinds = [
        kind,
        kind.changed(FRAME_SIZE, 256),
        kind.changed("UDP.dport", 5001),
        kind.changed("IP.tos", 184),
    ]
    frames = dict(zip(kinds[: experiments.most_kinds], (40, 60, 20, 30), strict=False))
    experiment = Experiment("all of them", frames, Fraction(1, 2))
    # A tester that lacked CPU says so, and the procedure asks again.
    outcomes = (experiments.run(experiment) for _ in range(10))
    outcome = next(outcome for outcome in outcomes if not outcome.objection)
    assert {kind: counts.sent for kind, counts in outcome.counts.items()} == frames
    assert outcome.lost == 0


def test_a_stream_whose_frames_are_not_known_is_refused(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="a diagnosis knows each frame by its signature"):
        TargetExperiments(suite_on(rig, tmp_path).tester, [replace(NORTH, signature=False)])


def diagnosed(wire: Wire | None, folder: Path, *streams: Stream) -> DiagnosisResult:
    experiments = TargetExperiments(suite_on(SwitchRig(wire), folder).tester, streams)
    return diagnose_loss(experiments, Diagnosis())


@pytest.mark.fakes
def test_a_switch_names_a_small_mtu(tmp_path: Path) -> None:
    (cause,) = diagnosed(Narrow(), tmp_path, NORTH).causes
    assert cause.sentence == "Loses each frame of 1,515 bytes or more (longest sent: 1,518)"


@pytest.mark.fakes
def test_a_fake_device_that_loses_a_part_loses_each_nth(tmp_path: Path) -> None:
    """The fake spreads its loss evenly."""
    target = FakeTarget(device=FakeDevice(FakePath(loss=Ratio.parse("5 %"))))
    suite = opened(tmp_path, target=target)
    result = diagnose_loss(TargetExperiments(suite.tester, [NORTH]))
    assert [cause.sentence for cause in result.causes] == ["Loses each 20th frame"], result
