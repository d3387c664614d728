# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The status of a child: events are heard as they come, and lines that are none are ignored by name."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.campaign import child_status
from TesterLibrary.campaign.child_status import StatusReader, StatusWriter
from TesterLibrary.commands import main as cli
from tests.unit.commands.test_main import suite


def heard(*parts: bytes) -> tuple[list[Any], list[str]]:
    """The events of what a child has written, and why lines are none."""
    events: list[Any] = []
    ignored: list[str] = []
    reader = StatusReader(events.append, ignored.append)
    for part in parts:
        reader.feed(part)
    return events, ignored


def written(path: Path) -> list[dict[str, Any]]:
    """The events in a file, without their version."""
    events, ignored = heard(path.read_bytes())
    assert not ignored
    return [{name: value for name, value in event.items() if name != "version"} for event in events]


def line(**fields: object) -> bytes:
    return json.dumps({"version": 1, **fields}).encode() + b"\n"


def test_events_come_in_any_parts() -> None:
    text = line(event="ready") + line(event="refused", status=400, call="SetConfig", error="a\nb")
    for size in (1, 7, len(text)):
        events, ignored = heard(*(text[begin : begin + size] for begin in range(0, len(text), size)))
        assert [event["event"] for event in events] == ["ready", "refused"]
        assert (events[1]["error"], ignored) == ("a\nb", [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"refused 403: SetConfig: forged\n", "a line of status is no JSON"),
        (b"[" * 60_000 + b"\n", "a line of status is no JSON"),
        (b"\xff\n", "a line of status is no JSON"),
        (b"[1]\n", "a line of status is no object of version 1"),
        (b'{"version": 2, "event": "ready"}\n', "a line of status is no object of version 1"),
        (line(event="over"), "status has no event 'over'; it has begun, test, ready, refused, error, ended"),
        (line(event=["ready"]), "status has no event"),
        (line(event="refused", status="400", call="", error=""), "status of the event refused is no int"),
        (line(event="begun", title="", tests=True, testbeds=[]), "tests of the event begun is no int"),
        (b"x" * (1 << 17) + b"\n", "a line of status is longer than 65536 bytes"),
    ],
)
def test_what_is_no_event_is_left_out_by_name(text: bytes, reason: str) -> None:
    """Once for each reason; what comes after it is heard."""
    events, ignored = heard(text, text, line(event="ready"))
    assert [event["event"] for event in events] == ["ready"]
    assert len(ignored) == 1
    assert ignored[0].startswith(reason)


def test_a_child_that_writes_without_end_is_not_read_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_status, "_MOST", 100)
    ignored: list[str] = []
    reader = StatusReader(lambda _: None, ignored.append)
    assert reader.feed(b"x" * 100)
    assert not reader.feed(b"x")
    assert ignored == ["more than 100 bytes of status; the rest is not read"]


def test_a_parent_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    status = StatusWriter(writing)
    status.tell("error", text="x" * 5000)
    (event,), _ = heard(os.read(reading, 1 << 16))
    assert len(event["text"]) == 2000
    os.close(reading)
    status.tell("ready")
    os.close(writing)


def test_a_run_tells_its_tests_and_how_it_ended(tmp_path: Path) -> None:
    path = suite(tmp_path, "Passes", "Fails")
    with (tmp_path / "status").open("wb", 0) as file:
        arguments = [
            "certify",
            "--testbed",
            "l2-bridge",
            "--suite",
            str(path),
            "--output",
            str(tmp_path / "out"),
        ]
        assert cli.main([f"--status-fd={file.fileno()}", *arguments]) == 1
    begun, *tests, ended = written(tmp_path / "status")
    assert (begun["event"], begun["tests"]) == ("begun", 2)
    assert [(test["test"], test["outcome"]) for test in tests] == [("Passes", "PASS"), ("Fails", "FAIL")]
    assert ended == {"event": "ended", "outcome": "FAIL"}


def test_why_a_command_has_failed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "status").open("wb", 0) as file:
        assert cli.main([f"--status-fd={file.fileno()}", "run", str(tmp_path / "none.yaml")]) == 3
    error, ended = written(tmp_path / "status")
    assert capsys.readouterr().err == f"tester: {error['text']}\n"
    assert ended == {"event": "ended", "outcome": "ERROR"}
