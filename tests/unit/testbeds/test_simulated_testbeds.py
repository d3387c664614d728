# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.files.paths import data_root
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder, read_run
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.opening import open_tester
from TesterLibrary.testbeds import load_testbed, shipped_testbeds

SIMULATED = [name for name in shipped_testbeds() if name.startswith("simulated/")]
QUEUE = (data_root() / "resources" / "testbeds" / "simulated" / "queue.yaml").read_text(encoding="utf-8")


def problem(folder: Path, old: str, new: str) -> str:
    path = folder / "lab.yaml"
    assert old in QUEUE
    path.write_text(QUEUE.replace(old, new))
    with pytest.raises(TestbedError) as caught:
        load_testbed(str(path))
    return str(caught.value).replace(str(path), "lab.yaml")


def test_there_are_some() -> None:
    assert len(SIMULATED) == 12
    assert all(load_testbed(name).dut.is_simulated for name in SIMULATED)


@pytest.mark.parametrize("name", SIMULATED)
def test_each_is_opened_measured_and_called_a_demonstration(name: str, tmp_path: Path) -> None:
    opened = open_tester(name, seed=1, recorder=Recorder(tmp_path), progress=Console(stream=StringIO()))
    try:
        stream = Stream("north", tx="p1", rx="p2", frame_size=FrameSize(512), rate=Rate.parse("10 %"))
        trial = TrialMeasurer(opened.tester, [stream]).measure(stream.rate.value, Duration(10**9))
        assert trial.valid
        # 10 % of line rate is within what each device forwards, but for the one that has to warm up.
        assert trial.lost == (25 if name.endswith("warm-up") else 0)
    finally:
        opened.close()
    (tester,) = read_run(tmp_path)["testers"]
    assert (
        tester["demonstration"] == "the tester is simulated, too, and sends no frame; the device is simulated"
    )


def test_trials_have_numbers_of_their_own_where_a_test_opens_its_tester_twice(tmp_path: Path) -> None:
    """Results name their trials by number: those of the first tester were read as those of the second."""
    recorder, numbers = Recorder(tmp_path), []
    for _ in range(2):
        opened = open_tester(
            "simulated/queue", seed=1, recorder=recorder, progress=Console(stream=StringIO())
        )
        stream = Stream("north", tx="p1", rx="p2", frame_size=FrameSize(512), rate=Rate.parse("10 %"))
        numbers.append(
            TrialMeasurer(opened.tester, [stream]).measure(stream.rate.value, Duration(10**9)).number
        )
        opened.close()
    assert numbers == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "queue: 200",
            "queue: -1",
            "lab.yaml:22: dut.options.queue: -1 is not allowed; give how many frames wait",
        ),
        ("rate: 50 %", "rate: fast", "lab.yaml:21: dut.options.rate: 'fast' is not"),
        ("rate: 50 %", "rate: 0 %", "lab.yaml:20: dut.options: rate: give more than 0 and at most 100 %"),
        ("queue: 200", "queues: 200", "there is no such key (did you mean 'queue'"),
        (
            "kind: simulated",
            "kind: simulated\n  device: queue",
            "leave it out: a simulated device is described",
        ),
        ("name: p1\n", "name: p1\n    interface: iface:eth1\n", "leave it out: nothing is sent"),
        (
            "dut:\n",
            "tester: {address: unix:x}\ndut:\n",
            "leave it out: a simulated device has a simulated tester",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert message in problem(tmp_path, old, new)
