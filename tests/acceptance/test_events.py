# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Events that a suite marks, from the tester's clock to the reports."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from TesterLibrary.commands.main import main

from .robots import check_passed, lines, run


def test_an_event_is_on_the_clock_of_the_intervals_and_in_every_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_passed(run("events.robot", tmp_path))
    (mark,) = [event for event in lines(tmp_path / "evidence" / "events.jsonl") if event["event"] == "marked"]
    (watched,) = [
        r for r in lines(tmp_path / "evidence" / "results.jsonl") if r["type"] == "MonitoringResult"
    ]
    first, last = watched["intervals"][0], watched["intervals"][-1]
    assert first["end_ns"] < mark["tester_ns"] < last["start_ns"]

    main(["report", str(tmp_path)])

    page = (tmp_path / "certificate.html").read_text()
    assert "marked “reload” in Events · Loss While The Device Is Reloaded" in page
    assert "; reload at 0." in page  # beside the chart
    asked = (
        "select e.mark, i.lost from events e join intervals i on e.tester_ns between i.start_ns and i.end_ns"
    )
    capsys.readouterr()
    assert main(["query", str(tmp_path), asked, "--csv"]) == 0
    assert capsys.readouterr().out == "mark,lost\nreload,0\n"
    (row,) = csv.DictReader((tmp_path / "events.csv").read_text().splitlines())
    assert (row["mark"], row["tester_ns"]) == ("reload", str(mark["tester_ns"]))
