# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Events that suites mark, in charts and as a table."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from TesterLibrary.measurement.interval import Interval
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.reporting.pictures.figures import Setting, figures
from TesterLibrary.reporting.record.durable import RecordError
from TesterLibrary.reporting.record.marks import Mark, marks_of, write_table
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import EventRecord, ResultRecord

SECOND = 10**9
TEST = RecordPlace("bed", "Nightly.Reload", "Loss")


def watched(place: RecordPlace = TEST) -> ResultRecord:
    intervals = tuple(
        Interval(number, (100 + number) * SECOND, (101 + number) * SECOND, 0, ()) for number in range(1, 4)
    )
    result = MonitoringResult("north", (), SECOND, Method.VERSION, "", intervals)
    return ResultRecord(place, "monitoring", result)


def picture_and_text(*marks: Mark, place: RecordPlace = TEST) -> tuple[str, str]:
    (figure,) = figures([watched(place)], Setting({}, marks))
    return base64.b64decode(figure.source.partition(",")[2]).decode(), figure.text


def test_a_chart_over_time_shows_each_event_with_its_name() -> None:
    svg, text = picture_and_text(Mark(TEST, "reload", 102 * SECOND), Mark(TEST, "5 $ < 6 $", 103 * SECOND))
    assert ">reload</text>" in svg
    assert ">5 $ &lt; 6 $</text>" in svg
    assert text.endswith("; reload at 1 s; 5 $ < 6 $ at 2 s")


@pytest.mark.parametrize(
    "mark",
    [
        Mark(TEST, "before", 101 * SECOND - 1),
        Mark(TEST, "after", 104 * SECOND + 1),
        Mark(RecordPlace("bed", "Nightly.Reload", "Another"), "elsewhere", 102 * SECOND),
        Mark(RecordPlace("other", "Nightly.Reload", "Loss"), "elsewhere", 102 * SECOND),
    ],
)
def test_events_of_other_times_and_tests_are_in_other_charts(mark: Mark) -> None:
    assert picture_and_text(mark) == picture_and_text()


def test_what_a_suite_watched_shows_the_events_of_its_tests() -> None:
    mark = Mark(TEST, "reload", 102 * SECOND)
    assert "reload" in picture_and_text(mark, place=RecordPlace("bed", "Nightly"))[1]
    assert "reload" not in picture_and_text(mark, place=RecordPlace("bed", "Night"))[1]


def test_all_events_are_a_table(tmp_path: Path) -> None:
    facts = {"at": "2026-01-02", "testbed": "bed", "suite": "S", "test": "T", "kind": "event"}
    events = [
        EventRecord(TEST, "marked", {**facts, "event": "marked", "mark": 'a, "b"', "tester_ns": 0}),
        EventRecord(TEST, "trial_cut_short", {**facts, "event": "trial_cut_short", "reason": "gone"}),
    ]
    table = write_table(events, tmp_path / "events.csv").read_text().splitlines()
    assert table == [
        "at,testbed,suite,test,event,mark,tester_ns,reason",
        '2026-01-02,bed,S,T,marked,"a, ""b""",0,',
        "2026-01-02,bed,S,T,trial_cut_short,,,gone",
    ]
    assert [(mark.name, mark.tester_ns) for mark in marks_of(events)] == [('a, "b"', 0)]


def test_a_table_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.csv").mkdir()
    with pytest.raises(RecordError, match=r"events\.csv could not be written"):
        write_table([], tmp_path / "events.csv")
