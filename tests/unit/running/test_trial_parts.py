# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames in captures are known by the ids of their streams, and the time: ids are given out again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from TesterLibrary.measurement.foreign import Foreign
from TesterLibrary.measurement.remarks import finding
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.running.evidence import TrialParts
from TesterLibrary.running.measurer import TrialMeasurer

from .testers import SECOND, fake_tester, stream

PLACE = RecordPlace("bed", "Suite", "Test")


def trial(tmp_path: Path) -> Trial:
    """A trial that has sent 500 frames and lost 200."""
    tester = fake_tester(tmp_path, capacity=300)
    one = stream(rate="500 pps")
    return TrialMeasurer(tester, [one]).measure(tester.part_of_line(one), SECOND)


def later(trial: Trial, number: int, by_ns: int) -> Trial:
    """Another trial with the same stream id."""
    (result,) = trial.streams
    counted = result.counters
    times = {name: getattr(counted, name) + by_ns for name in ("first_tx_ns", "last_tx_ns", "last_rx_ns")}
    return replace(trial, number=number, streams=(replace(result, counters=replace(counted, **times)),))


def test_parts_are_found_by_id_and_time(tmp_path: Path) -> None:
    first = trial(tmp_path)
    counted = first.streams[0].counters
    parts = TrialParts()
    hour = 3600 * 10**9
    for number in (1, 2, 3):
        parts.note(later(first, number, number * hour), PLACE)
    (found,) = parts.between(2 * hour, 2 * hour + 10**10, [counted.id, 99])
    assert (found.trial, found.attempt, found.stream, found.lost, found.place) == (2, 1, "north", 200, PLACE)
    assert found.begin_ns <= counted.first_tx_ns + 2 * hour < counted.last_rx_ns + 2 * hour <= found.end_ns
    assert [part.trial for part in parts.between(0, 4 * hour, [counted.id])] == [1, 2, 3]
    assert parts.between(0, 4 * hour, [99]) == []
    assert parts.between(0, hour // 2, [counted.id]) == []


def test_only_the_last_trials_of_an_id_are_kept(tmp_path: Path) -> None:
    first = trial(tmp_path)
    parts = TrialParts()
    for number in range(1, 10):
        parts.note(later(first, number, number * 10**12), PLACE)
    found = parts.between(0, 10**14, [first.streams[0].counters.id])
    assert [part.trial for part in found] == [6, 7, 8, 9]


def test_losses_are_unknown_where_copies_are_expected(tmp_path: Path) -> None:
    first = trial(tmp_path)
    (result,) = first.streams
    parts = TrialParts()
    parts.note(replace(first, streams=(replace(result, copies=("p3",)),)), PLACE)
    parts.note(replace(first, streams=(replace(result, signed=False),)), PLACE)
    assert [part.lost for part in parts.between(0, 10**14, [result.counters.id])] == [None, None]


def test_frames_that_arrived_without_a_signature_are_told_beside_lost_ones(tmp_path: Path) -> None:
    """They may be damaged frames of the test; where none is lost, they are others' traffic."""
    lossy = replace(trial(tmp_path), foreign=Foreign(frames=200))
    told = "200 frames without a signature arrived: traffic of others, or frames of the test"
    assert told in finding(lossy)
    (result,) = lossy.streams
    whole = replace(result, counters=replace(result.counters, rx_packets=500))
    assert finding(replace(lossy, streams=(whole,))).startswith("none of 500 lost; frames of north")
