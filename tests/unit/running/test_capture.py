# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures are started, stopped, written and never lost."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scapy.utils import rdpcap

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.measurement.capture import CapturePortCounters
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.reporting.captures.frame_files import frame_files
from TesterLibrary.reporting.captures.query import query
from TesterLibrary.reporting.record.records import read
from TesterLibrary.running.capture import CaptureFile, Captures
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.tester import Tester

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


@pytest.mark.parametrize(("frames", "kept"), [(100, 10), (9, 9)])
def test_statistics_wait_for_frames_that_are_kept_a_moment_later(
    frames: int, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = fake_tester(tmp_path)
    captures = Captures(opened)
    captures.start(Capture("x", frames=frames))
    before = opened.target.snapshot()
    ports = (CapturePortCounters("p1", seen=10, matched=10, dropped=0),)
    captured = iter([8, 9, 10])

    def snapshot() -> Snapshot:
        (counters,) = before.captures
        return replace(before, captures=(replace(counters, ports=ports, captured=next(captured)),))

    monkeypatch.setattr(opened.target, "snapshot", snapshot)
    assert captures.statistics().captured == kept


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
    with pytest.raises(TesterLibraryError, match="there is no running capture; call Start Capture first"):
        captures.stop()
    captures.start(Capture("x"))
    captures.start(Capture("y"))
    with pytest.raises(TesterLibraryError, match="no running capture is named; there are x, y"):
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


def lossy(tmp_path: Path, **wish: Any) -> tuple[Tester, CaptureFile]:
    """A capture over two trials of a device that forwards 300 frames/s: one of 500 frames/s, one of 200."""
    opened = fake_tester(tmp_path, capacity=300)
    captures = Captures(opened)
    captures.start(Capture("x", **wish), parquet=True)
    for rate in ("500 pps", "200 pps"):
        one = stream(rate=rate)
        TrialMeasurer(opened, [one]).measure(opened.part_of_line(one), SECOND)
    return opened, captures.stop("x")


def test_rows_are_in_a_partition_for_each_trial(tmp_path: Path) -> None:
    opened, file = lossy(tmp_path)
    assert [(each.trial, each.rows) for each in file.frames] == [(1, 800), (2, 400), (None, 8)]  # learning
    assert file.excerpt is not None
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert events[0]["frames"] == [each.record(tmp_path) for each in file.frames]
    assert events[0]["losses"] == "captures/x-losses.pcapng"
    found, problems = frame_files(tmp_path, read(tmp_path))
    assert (set(found), problems) == ({each.path for each in file.frames}, [])
    counts = "count(*), count(received_ns), count(event)"
    sql = f"select trial, {counts} from frames where trial > 0 group by 1 order by 1"
    answer = query(read(tmp_path), sql, frames=found)
    assert answer.rows == ((1, 800, 300, 200), (2, 400, 200, 0))
    assert [trial.lost for trial in opened.recorder.trials] == [200, 0]


@pytest.mark.parametrize(
    ("wish", "known"),
    [
        ({"direction": Direction.RECEIVED}, 199),  # the last one leaves no gap
        ({"direction": Direction.TRANSMITTED}, 0),
        ({"filter": "udp"}, 200),
        ({"filter": "udp", "frames": 100}, 0),  # it may hide what has arrived
        ({"ports": ("p1",)}, 0),
        ({"frames": 100}, 23),  # 8 learning frames, and 92 of 5 sent and 3 received in turn
    ],
)
def test_losses_are_known_as_far_as_they_were_captured(
    tmp_path: Path, wish: dict[str, Any], known: int
) -> None:
    _, file = lossy(tmp_path, **wish)
    assert (file.excerpt.found if file.excerpt else 0) == known


def test_a_capture_that_dropped_frames_does_not_know_which_were_lost(tmp_path: Path) -> None:
    opened = fake_tester(tmp_path, capacity=300, capture_rate=100)
    captures = Captures(opened)
    captures.start(Capture("x"), parquet=True)
    one = stream(rate="500 pps")
    trial = TrialMeasurer(opened, [one]).measure(opened.part_of_line(one), SECOND)
    file = captures.stop()
    assert trial.lost == 200
    assert file.excerpt is None
    answer = query(
        read(tmp_path), "select count(event) from frames", frames=[each.path for each in file.frames]
    )
    assert answer.rows == ((0,),)


def test_rows_that_cannot_be_written_leave_the_capture(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path))
    captures.start(Capture("x"), parquet=True)
    TrialMeasurer(captures._tester, [stream(rate="500 pps")]).measure(Fraction(1, 10_000), SECOND)
    (tmp_path / "frames").rmdir()
    (tmp_path / "frames").write_text("in the way")
    with pytest.raises(
        TesterLibraryError, match=r"frames.* could not be written: .*All frames are in .*x\.pcapng"
    ):
        captures.stop("x")
    assert len(rdpcap(str(tmp_path / "captures" / "x.pcapng"))) == captures.stopped("x").counters.captured
    (event,) = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert (event["file"], event.get("frames")) == ("captures/x.pcapng", None)


def test_a_capture_that_cannot_be_written_stays_in_the_tester(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path))
    captures.start(Capture("x"))
    (tmp_path / "captures").write_text("in the way")
    with pytest.raises(TesterLibraryError, match=r"captures could not be written: .*call Stop Capture again"):
        captures.stop("x")
    (tmp_path / "captures").unlink()
    assert captures.stop("x").path.is_file()


def test_what_cannot_be_written_at_the_end_is_in_the_events(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path))
    captures.start(Capture("x"))
    (tmp_path / "captures").write_text("in the way")
    captures.close()
    (event,) = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert (event["event"], event["capture"]) == ("capture_not_written", "x")
    assert "could not be written" in event["reason"]


def test_rows_are_refused_before_anything_is_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captures = Captures(fake_tester(tmp_path))
    (tmp_path / "frames").write_text("in the way")
    with pytest.raises(TesterLibraryError, match="frames could not be written"):
        captures.start(Capture("x"), parquet=True)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(TesterLibraryError, match=r"need pyarrow; install .*\[frames\]"):
        captures.start(Capture("x"), parquet=True)
    assert not captures._tester.target.snapshot().captures


def test_a_tester_that_is_gone_does_not_keep_from_closing(tmp_path: Path) -> None:
    captures = Captures(fake_tester(tmp_path, late=["stop_capture"]))
    captures.start(Capture("x"))
    captures.close()
    assert not (tmp_path / "captures").exists()
