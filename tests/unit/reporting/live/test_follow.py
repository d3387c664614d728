# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a run that grow, are cut off, are replaced, or are none."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.live import follow
from TesterLibrary.reporting.live.feed import Feed
from TesterLibrary.reporting.live.follow import _ORDER, Follower
from TesterLibrary.reporting.live.notes import LiveNotes
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.marks import record_mark
from TesterLibrary.reporting.record.recorder import KINDS, Recorder
from TesterLibrary.verdict import Outcome, Verdict

from ..golden import record_run
from ..simulated import SimulatedBench
from .test_notes import NORTH, Clock, recorder, snapshot

SECOND = Duration(10**9)
ENDED: dict[str, Any] = {
    "status": "PASS",
    "outcome": "PASS",
    "message": "PASS: loss is 0",
    "tags": [],
    "started_at": "",
    "elapsed_s": 1,
}
EVENT = b'"kind":"event","schema":2,"testbed":"","suite":"","test":"","event":"x"'


class Page:
    """A page that was opened before the run began, and what it was told."""

    def __init__(self, evidence: Path) -> None:
        self.clock = Clock()
        self.feed = Feed()
        self.follower = Follower(evidence.parent, evidence, self.feed, clock=self.clock)
        self._number = -1

    def news(self) -> list[dict[str, Any]]:
        """The messages of one look at the files, without the time of day."""
        self.follower.poll()
        return [dict(message) for message in self._told() if message["type"] != "clock"]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The same, of one kind."""
        return [message for message in self.news() if message["type"] == kind]

    def _told(self) -> Iterator[Any]:
        while messages := self.feed.after(self._number, 0):
            self._number = messages[-1].number
            yield from (known.message for known in messages)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return tmp_path / "run" / "evidence"


@pytest.fixture
def page(evidence: Path) -> Page:
    return Page(evidence)


def problems(news: list[dict[str, Any]]) -> list[str]:
    return [message["text"] for message in news if message["type"] == "problem" and message["text"]]


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def test_each_record_is_told_once_and_soon(evidence: Path, page: Page) -> None:
    assert problems(page.news())  # there is no run yet
    made = recorder(evidence)
    bench = SimulatedBench()
    made.trial(bench.measure(Fraction(1), SECOND))
    assert [message["said"] for message in page.of("trial")] == ["lost 1,188,095 of 1,488,095"]
    made.trial(bench.measure(Fraction(1, 10), SECOND))
    time.sleep(0.002)  # of the same millisecond, a mark is told first
    record_mark(made, "reload", 5)
    made.verdict(Verdict(Outcome.PASS, "loss", "0", "<= 0"))
    made.end_test(
        status="PASS", outcome="PASS", message="PASS: loss is 0", tags=[], started_at="", elapsed_s=1
    )
    news = page.news()
    assert [message["type"] for message in news] == ["trial", "mark", "verdict", "test"]
    trial, mark, verdict, test = news
    assert (trial["load"], trial["loss"], trial["valid"]) == (10.0, 0.0, True)
    assert trial["streams"]["north"]["received"] == pytest.approx(148_809)
    assert trial["ports"]["p1"]["sent"] == pytest.approx(148_809)
    assert verdict["said"] == "PASS: loss is 0, required <= 0"
    assert mark["said"] == "reload"
    assert (test["outcome"], test["said"], test["test"]) == ("PASS", "loss is 0", "Test")
    assert page.news() == []


@pytest.mark.parametrize("linked", ["run.json", "trials.jsonl", "evidence"])
def test_no_link_of_a_run_leads_to_another_one(
    evidence: Path, page: Page, tmp_path: Path, linked: str
) -> None:
    """The service shows runs of suites that it does not trust, and reads more than they may."""
    other = tmp_path / "other"
    recorder(other).trial(SimulatedBench().measure(Fraction(1), SECOND))
    if linked == "evidence":
        evidence.parent.mkdir()
        evidence.symlink_to(other)
    else:
        evidence.mkdir(parents=True)
        (evidence / linked).symlink_to(other / linked)
    news = page.news()
    assert any(linked in text for text in problems(news)), news
    assert {message["type"] for message in news} <= {"reset", "problem", "state", "reports"}


def test_a_page_that_is_opened_later_is_told_the_same(evidence: Path) -> None:
    record_run(evidence)
    told = Page(evidence).news()
    kinds = [message["type"] for message in told]
    assert kinds[:2] == ["reset", "run"]
    assert problems(told) == []
    assert kinds.count("trial") == len((evidence / "trials.jsonl").read_text().splitlines())
    assert kinds.count("test") == len((evidence / "tests.jsonl").read_text().splitlines())
    (withdrawal,) = (message for message in told if message["type"] == "withdrawal")
    assert withdrawal["by"] == "Run Keyword And Return Status"
    (run,) = (message for message in told if message["type"] == "run")
    assert run["title"] == "Golden run"
    assert run["demonstration"] == "a demonstration, not a certification"
    times = [message["t"] for message in told if "t" in message]
    assert times == sorted(times)
    uncounted = [m for m in told if m["type"] == "trial" and m["bed"] == "uncounted"]
    assert [trial["loss"] for trial in uncounted] == [None, None]  # and not 0


def test_rates_are_those_since_the_last_counters(evidence: Path, page: Page) -> None:
    notes = LiveNotes(recorder(evidence))
    notes.counters("trial-1", snapshot(100, received=50, at_ns=1_000_000_005), [NORTH])
    notes.counters("trial-1", snapshot(600, received=250, at_ns=1_500_000_005), [NORTH])
    notes.counters("trial-2", snapshot(7, at_ns=2_000_000_005), [NORTH])
    first, second, third = page.of("counters")
    assert (first["sent"], first["received"], first["part"]) == (100.0, 50.0, 0.1)
    assert (second["sent"], second["received"], second["delay"]) == (1000.0, 400.0, 20_000.0)
    assert second["ports"]["p1"]["sent"] == 1000.0
    assert second["streams"]["north"]["sent"] == 1000.0
    assert (third["sent"], third["delay"], third["ports"]) == (3.5, None, {})


def test_an_interval_is_told_when_it_ends_and_again_with_its_result(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    interval = Interval(
        number=1,
        start_ns=0,
        end_ns=500_000_000,
        guard_ns=0,
        streams=(StreamInterval("north", 100, 75, 7500, BlindDelay(Passages(), Passages(), 1)),),
    )
    LiveNotes(made).interval(interval)
    (live,) = page.of("interval")
    assert (live["sent"], live["received"], live["loss"], live["key"]) == (200.0, 150.0, 0.25, 0)
    made.result(MonitoringResult("north", (), 500_000_000, Method.VERSION, "", (interval,), ()))
    again, result = page.news()
    assert {**again, "t": 0} == {**live, "t": 0}
    assert result["type"] == "result"


def test_half_a_line_is_read_when_it_is_whole(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    made.event("first")
    page.news()
    line = (evidence / "events.jsonl").read_bytes()
    append(evidence / "events.jsonl", line[:40])
    assert page.news() == []
    append(evidence / "events.jsonl", line[40:])
    assert [message["said"] for message in page.news()] == ["first"]


def test_a_line_that_stays_half_is_named_until_it_is_whole(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    made.event("first")
    line = (evidence / "events.jsonl").read_bytes()
    append(evidence / "events.jsonl", line[:40])
    page.news()
    page.clock.now += 5
    (said,) = problems(page.news())
    assert said.endswith("events.jsonl:2 is not whole: the run was killed, or its disk is full")
    append(evidence / "events.jsonl", line[40:])
    news = page.news()
    assert {"type": "problem", "key": "events.jsonl cut", "text": ""} in news
    assert problems(news) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\xff\xfe", "is no record"),
        (b"null", "is no record"),
        (b"[" * 100_000, "is no record"),
        (b'{"kind":"event","schema":1,"at":"2026-01-01T00:00:00+00:00"}', "schema 1, this version reads 2"),
        (b'{"kind":"trial","schema":2,"at":"2026-01-01T00:00:00+00:00"}', "a record of kind 'trial'"),
        (
            b'{"kind":"event","schema":2,"at":"yesterday","testbed":"","suite":"","test":"","event":"x"}',
            "yesterday",
        ),
    ],
)
def test_foreign_lines_are_named_and_the_rest_is_told(
    evidence: Path, page: Page, line: bytes, said: str
) -> None:
    made = recorder(evidence)
    made.event("first")
    append(evidence / "events.jsonl", line + b"\n" + line + b"\n")
    made.event("last")
    news = page.news()
    found = problems(news)[-1]
    assert "events.jsonl:2 is no record" in found
    assert said in found
    assert "and 1 more of its lines" in found
    assert [message["said"] for message in news if message["type"] == "event"] == ["first", "last"]


def test_numbers_that_are_none_do_not_reach_the_page(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    made.trial(SimulatedBench().measure(Fraction(1), SECOND))
    path = evidence / "trials.jsonl"
    trial = json.loads(path.read_text())
    trial["duration_ns"] = 0
    path.write_text(json.dumps(trial) + "\n")
    news = page.news()
    assert "trials.jsonl:1 is no record" in problems(news)[0]


@pytest.mark.parametrize("name", ["run.json", "agenda.json"])
@pytest.mark.parametrize(
    "content", ["[]", '{"kind": "other"}', "\x00", '{"items": 5, "title": []}', '{"items"']
)
def test_a_foreign_run_is_named(evidence: Path, page: Page, name: str, content: str) -> None:
    recorder(evidence).event("first")
    (evidence / name).write_text(content)
    news = page.news()
    assert name in problems(news)[0]
    assert [message["said"] for message in news if message["type"] == "event"] == ["first"]


def test_a_run_without_end_is_not_read_to_it(
    evidence: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite that the service does not trust may leave a file of terabytes."""
    monkeypatch.setattr(follow, "_LONGEST_LINE", 64)
    recorder(evidence).event("first")
    assert "run.json" in problems(page.news())[0]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_named_and_holds_nothing_up(evidence: Path, page: Page, kind: str) -> None:
    recorder(evidence).event("first")
    path = evidence / "trials.jsonl"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    news = page.news()
    assert "trials.jsonl cannot be read" in problems(news)[0]
    assert [message["said"] for message in news if message["type"] == "event"] == ["first"]


def test_records_that_were_taken_back_are_forgotten(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    made.event("first")
    made.event("second")
    assert len(page.of("event")) == 2
    kept = (evidence / "events.jsonl").read_text().splitlines(keepends=True)[1]
    (evidence / "events.jsonl.new").write_text(kept)
    (evidence / "events.jsonl.new").replace(evidence / "events.jsonl")  # as --resume does
    news = page.news()
    assert [message["type"] for message in news[:2]] == ["reset", "run"]
    assert [message["said"] for message in news if message["type"] == "event"] == ["second"]


def test_another_run_in_the_same_folder_begins_anew(evidence: Path, page: Page) -> None:
    recorder(evidence).event("first")
    page.news()
    second = Recorder(evidence, "another")
    second.event("second")
    news = page.news()
    assert "reset" in [message["type"] for message in news]
    assert [message["said"] for message in news if message["type"] == "event"] == ["second"]
    assert problems(news) == []


def test_a_run_is_finished_when_each_test_of_its_agenda_is(evidence: Path, page: Page) -> None:
    made = recorder(evidence)
    agenda.write(evidence, "Night", [Item("simulated", "Suite", name) for name in ("Test", "Other")])
    assert page.of("state") == [{"type": "state", "finished": False, "done": 0, "of": 2}]
    made.end_test(**ENDED)
    assert page.of("state") == [{"type": "state", "finished": False, "done": 1, "of": 2}]
    made.begin_test("Suite", "Other")
    made.event("not_run", reason="no time is left")
    assert page.of("state") == [{"type": "state", "finished": True, "done": 2, "of": 2}]


def test_a_run_without_agenda_is_finished_when_it_says_so(evidence: Path, page: Page) -> None:
    notes = LiveNotes(recorder(evidence))
    notes.begin_test()
    assert page.of("state")[-1]["finished"] is False
    notes.close()
    assert page.of("state")[-1]["finished"] is True


def test_each_kind_of_record_is_followed() -> None:
    assert sorted(_ORDER) == sorted((*KINDS, "live"))


def test_reports_are_named_once_they_are_there(evidence: Path, page: Page) -> None:
    recorder(evidence)
    assert page.of("reports") == [{"type": "reports", "names": []}]
    (evidence.parent / "certificate.html").write_text("")
    assert page.of("reports") == [{"type": "reports", "names": ["certificate.html"]}]
