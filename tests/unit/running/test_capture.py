# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures are started, stopped, written and never lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scapy.utils import rdpcap

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.running.capture import Captures
from TesterLibrary.running.measurer import TrialMeasurer

from .testers import SECOND, fake_tester, stream


def test_a_trial_is_captured_to_a_file_and_the_evidence_says_where(tmp_path: Path) -> None:
    opened = fake_tester(tmp_path)
    captures = Captures(opened)
    captures.start(Capture("trial/1", direction=Direction.TRANSMITTED))
    trial = TrialMeasurer(opened, [stream(rate="500 pps")]).measure(
        opened.part_of_line(stream(rate="500 pps")), SECOND
    )
    stopped = captures.stop()
    assert stopped.path == tmp_path / "captures" / "trial-1.pcapng"
    packets = rdpcap(str(stopped.path))
    assert len(packets) == stopped.counters.captured == trial.sent + 2  # learning frames went before
    assert b"(north), sequence 0, transmitted" in next(p.comment for p in packets if b"north" in p.comment)
    (event,) = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert (event["event"], event["capture"], event["file"]) == (
        "capture",
        "trial/1",
        "captures/trial-1.pcapng",
    )
    assert (event["captured"], event["dropped"]) == (len(packets), 0)


def test_a_file_never_replaces_another(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path))
    paths = []
    for _ in range(3):
        captures.start(Capture("x"))
        paths.append(captures.stop("x").path.name)
    assert paths == ["x.pcapng", "x-2.pcapng", "x-3.pcapng"]


def test_statistics_are_known_while_it_runs_and_afterwards(tmp_path: Path) -> None:
    opened = fake_tester(tmp_path)
    captures = Captures(opened)
    captures.start(Capture("x", direction=Direction.RECEIVED))
    assert captures.statistics().running
    TrialMeasurer(opened, [stream(rate="500 pps")]).measure(
        opened.part_of_line(stream(rate="500 pps")), SECOND
    )
    running = captures.statistics("x")
    assert running.captured >= 500
    captures.stop("x")
    assert captures.statistics() == captures.statistics("x")
    assert captures.statistics().captured == running.captured
    assert not captures.statistics().running


def test_what_has_no_room_is_said_by_trial_and_capture(tmp_path: Path) -> None:
    opened = fake_tester(tmp_path, capture_rate=100)
    captures = Captures(opened)
    captures.start(Capture("x", direction=Direction.TRANSMITTED, filter="udp"))
    rate = opened.part_of_line(stream(rate="500 pps"))
    trial = TrialMeasurer(opened, [stream(rate="500 pps")]).measure(rate, SECOND)
    counters = captures.stop().counters
    assert trial.valid  # what is measured has all frames
    assert trial.lost == 0
    assert counters.dropped == trial.evidence.capture_dropped > 0
    assert counters.captured + counters.dropped == counters.matched == 500
    assert f"{counters.dropped} frames missing in captures" in str(trial)
    quiet = TrialMeasurer(opened, [stream(rate="500 pps")]).measure(rate, SECOND)
    assert quiet.evidence.capture_dropped == 0


def test_which_one_is_asked_where_it_is_not_clear(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path))
    with pytest.raises(TesterLibraryError, match="none was started"):
        captures.stop()
    captures.start(Capture("x"))
    captures.start(Capture("y"))
    with pytest.raises(TesterLibraryError, match="x, y are running"):
        captures.statistics()
    with pytest.raises(TesterLibraryError, match=r"'z'.*x, y"):
        captures.stop("z")
    with pytest.raises(PlanError, match="running already"):
        captures.start(Capture("x"))


def test_what_nobody_stops_is_written_at_the_end(tmp_path: Path) -> None:
    opened = fake_tester(tmp_path)
    captures = Captures(opened)
    captures.start(Capture("x"))
    captures.close()
    assert (tmp_path / "captures" / "x.pcapng").is_file()
    assert not opened.target.snapshot().captures


def test_a_tester_that_is_gone_does_not_keep_from_closing(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path, late=["stop_capture"]))
    captures.start(Capture("x"))
    captures.close()
    assert not (tmp_path / "captures").exists()
