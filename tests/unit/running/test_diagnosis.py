# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A diagnosis on simulated devices, with planner and tester, as `Diagnose Loss` runs it."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import yaml

from TesterLibrary.files.paths import data_root
from TesterLibrary.methodology.diagnosis import DiagnosisResult, diagnose_loss
from TesterLibrary.model.departures import Messages, PacketTrain
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import open_tester
from TesterLibrary.running.procedures.diagnosis import TargetExperiments

from .testers import stream

PLANTED = data_root() / "resources" / "testbeds" / "simulated" / "planted.yaml"
BURSTS = Messages((PacketTrain(packets=80, pause=Duration(40 * 10**6)),))


def diagnosed(folder: Path, options: dict[str, object], **changes: object) -> DiagnosisResult:
    """The diagnosis of a device with these options."""
    testbed = yaml.safe_load(PLANTED.read_text(encoding="utf-8"))
    testbed["dut"]["options"] = options
    (folder / "lab.yaml").write_text(yaml.safe_dump(testbed))
    opened = open_tester(
        str(folder / "lab.yaml"), seed=1, recorder=Recorder(folder), progress=Console(stream=StringIO())
    )
    try:
        north = replace(stream(size=512, rate="2 kpps"), **changes)  # type: ignore[arg-type]
        return diagnose_loss(TargetExperiments(opened.tester, [north]))
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("options", "most"),
    [({"drops": [{"burst": 50}]}, 50), ({"queue": 20, "rate": "50 %"}, 41)],
    ids=["bursts", "a short queue"],
)
def test_a_longest_burst(options: dict[str, object], most: int, tmp_path: Path) -> None:
    """At half of line rate 20 frames wait, one is forwarded, and 20 have left when the 42nd arrives."""
    result = diagnosed(tmp_path, options, shaping=BURSTS)
    (cause,) = result.causes
    assert cause.sentence == f"Loses frames of bursts of more than {most} frames back to back"


def test_each_nth_frame(tmp_path: Path) -> None:
    (cause,) = diagnosed(tmp_path, {"drops": [{"each": 37}]}).causes
    assert cause.sentence == "Loses each 37th frame"
