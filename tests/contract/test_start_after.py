# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A stream that begins later than the others, from the keyword to the wire."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.files.job import load_job
from TesterLibrary.model.units.units import Duration

from ..unit.keywords.fake_library import library_on_fake
from .rig import Rig

FIFTH, LATER = Duration(2 * 10**8), Duration(5 * 10**7)
JOB = """version: 1
name: aggressor
ports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]
streams: [{name: late, tx: p1, rx: p2, rate: 1 kpps, start_after: LATER}]
"""


def test_it_sends_for_the_rest_of_the_time(rig: Rig) -> None:
    rig.load(rig.plan("late", start_after=LATER))
    (counted,) = rig.run(["late"], duration=FIFTH).streams
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (1500, 1500, 1500)


def test_one_that_begins_later_than_it_ends_sends_nothing(rig: Rig) -> None:
    rig.load(rig.plan("late", start_after=LATER))
    (counted,) = rig.run(["late"], duration=Duration(LATER.ns // 2)).streams
    assert (counted.intended_packets, counted.tx_packets, counted.sending) == (0, 0, False)


def test_so_many_frames_leave_later(rig: Rig) -> None:
    rig.load(rig.plan("late", start_after=LATER))
    (counted,) = rig.run(["late"], packets=100).streams
    assert (counted.intended_packets, counted.tx_packets, counted.rx_packets) == (100, 100, 100)


def test_it_goes_on_until_it_is_stopped(rig: Rig) -> None:
    rig.load(rig.plan("late", start_after=LATER))
    rig.target.start(["late"])
    rig.pass_time(0.2)
    rig.target.stop(["late"])
    (counted,) = rig.settled(["late"]).streams
    assert counted.tx_packets == counted.intended_packets == counted.rx_packets >= 1500


@pytest.mark.timed
def test_it_begins_so_much_later_than_the_others(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.load(rig.plan("late", first_id=2, start_after=LATER))
    north, late = rig.run(["north", "late"], duration=FIFTH).streams
    most = max(north.worst_lateness_ns, late.worst_lateness_ns) + 1
    assert abs(late.first_tx_ns - north.first_tx_ns - LATER.ns) <= most


def test_a_suite_and_a_program_create_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with library_on_fake(monkeypatch, tmp_path) as tester:
        tester.create_stream("north", rate="10 kpps")
        tester.create_stream("late", tx="p2", rx="p1", rate="10 kpps", start_after="50 ms")
        trial = tester.measure_loss(duration="200 ms")
        assert [stream.counters.tx_packets for stream in trial.streams] == [2000, 1500]
        assert (trial.lost, trial.objections) == (0, ())


def test_a_change_while_it_sends_does_not_let_it_wait_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with library_on_fake(monkeypatch, tmp_path) as tester:
        tester.create_stream("late", rate="10 kpps", start_after="1 s")
        tester.start_traffic("late")
        target = tester.suite.tester.target
        target.advance(Duration(2 * 10**9))
        tester.set_rate("late", "20 kpps")
        target.advance(Duration(10**9 // 2))
        assert 20_000 <= tester.stop_traffic().sent < 21_000


def test_a_job_file_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(JOB.replace("LATER", "2 s"), encoding="utf-8")
    assert load_job(str(path)).job.streams[0].start_after == Duration(2 * 10**9)
    assert cli.main(["plan", str(path)]) == 0
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    assert "2,000 frames after the start" in capsys.readouterr().out
    path.write_text(JOB.replace("LATER}", "2 s, replay: {file: x.pcap}}"), encoding="utf-8")
    assert cli.main(["plan", str(path)]) == 3
    assert "stream 'late': the frames of a file start with the other streams" in capsys.readouterr().err
    path.write_text(JOB.replace("LATER", "soon"), encoding="utf-8")
    assert cli.main(["plan", str(path)]) == 3
    assert re.search(r"job\.yaml:4: streams\[0\]\.start_after: 'soon' is not a time", capsys.readouterr().err)
