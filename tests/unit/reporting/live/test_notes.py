# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Notes on what is under way: small, and no trouble to what is measured."""

from __future__ import annotations

import errno
import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from TesterLibrary.files.paths import report_file
from TesterLibrary.measurement.snapshot import LatencyCounters, PortCounters, Snapshot
from TesterLibrary.reporting.live.notes import FILE, LiveNotes, WatchedStream
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from tests.counted import stream_counters

from ..golden import _Testbed, _Tester

NORTH = WatchedStream(1, "north", measured=True, offset_ns=100)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def snapshot(sent: int, *, received: int = 0, at_ns: int = 10**9) -> Snapshot:
    counted = stream_counters(
        id=1,
        intended_packets=1000,
        tx_packets=sent,
        rx_packets=received,
        first_tx_ns=5,
        latency=LatencyCounters(received, received * 20_100),
    )
    return Snapshot(at_ns, ports=(PortCounters("p1", tx_packets=sent),), streams=(counted,))


def recorder(folder: Path) -> Recorder:
    made = Recorder(folder)
    made.run(testbed=_Testbed(), capabilities=_Tester(), seed=0)
    made.begin_test("Suite", "Test")
    return made


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text().splitlines()]


def test_each_note_has_its_place_and_keeps_its_schema(tmp_path: Path) -> None:
    notes = LiveNotes(recorder(tmp_path))
    progress = Console(stream=StringIO(), notes=notes)
    progress.begin_test("Suite", "Test")
    progress.begin("throughput of north", trials=7)
    progress.estimate(trials_left=7)  # nothing new: no line
    notes.counters("trial-1", snapshot(200, received=150), [NORTH])
    progress.end("done")
    notes.close()
    found = lines(tmp_path)
    assert [note["what"] for note in found] == ["test", "procedure", "counters", "procedure_ended", "closed"]
    assert {(note["testbed"], note["suite"], note["test"]) for note in found} == {
        ("simulated", "Suite", "Test")
    }
    (stream,) = found[2]["streams"]
    assert stream == {"name": "north", "tx": 200, "rx": 150, "delays": 150, "delays_ns": 150 * 20_000}
    schema = json.loads(report_file("schemas/live.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for note in found:
        jsonschema.Draft202012Validator(schema).validate(note)


def test_arrivals_that_nobody_counts_are_absent_and_not_zero(tmp_path: Path) -> None:
    notes = LiveNotes(recorder(tmp_path))
    notes.counters("trial-1", snapshot(200), [WatchedStream(1, "north", measured=False, offset_ns=0)])
    (note,) = lines(tmp_path)
    assert note["rx"] is None
    assert note["streams"][0]["rx"] is None


def test_counters_are_due_twice_a_second_and_half_as_often_after_many(tmp_path: Path) -> None:
    clock = Clock()
    notes, counted = LiveNotes(recorder(tmp_path), clock=clock), snapshot(1)
    assert notes.is_due
    notes.counters("trial-1", counted, [NORTH])
    assert not notes.is_due
    clock.now += 0.5
    assert notes.is_due
    for _ in range(10_000):
        notes.counters("trial-1", counted, [NORTH])
    clock.now += 0.5
    assert not notes.is_due
    clock.now += 0.5
    assert notes.is_due


def test_nothing_is_noted_before_the_run_has_its_folder(tmp_path: Path) -> None:
    earlier = tmp_path / "evidence"
    recorder(earlier)  # of another run, which may be signed
    before = sorted(path.name for path in earlier.iterdir())
    LiveNotes(Recorder(earlier)).begin_test()
    assert sorted(path.name for path in earlier.iterdir()) == before


def test_a_note_that_was_cut_off_is_not_continued(tmp_path: Path) -> None:
    made = recorder(tmp_path)
    (tmp_path / FILE).write_text('{"what":"test"}\n{"what":"cou')
    LiveNotes(made).begin_test()
    assert [note["what"] for note in lines(tmp_path)] == ["test", "test"]


def test_a_full_disk_ends_the_notes_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = recorder(tmp_path)
    notes = LiveNotes(made)
    write = os.write

    def full(file: int, content: bytes) -> int:
        if Path(f"/proc/self/fd/{file}").readlink().name == FILE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, content)

    monkeypatch.setattr(os, "write", full)
    notes.begin_test()
    made.event("still_recorded")
    assert not notes.is_due
    assert (tmp_path / FILE).read_text() == ""
    assert "still_recorded" in (tmp_path / "events.jsonl").read_text()
