# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Events that a suite marks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import TesterLibraryError

from ..fake_library import library_on_fake

EVENTS = Path("evidence") / "events.jsonl"


def events() -> list[dict[str, Any]]:
    return [json.loads(line) for line in EVENTS.read_text().splitlines()] if EVENTS.exists() else []


def test_an_event_has_the_time_of_the_testers_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tester = library_on_fake(monkeypatch, tmp_path)
    tester.open_tester()
    target = tester.suite.tester.target
    for name in ("reload", "50 $ of $"):
        before = target.snapshot().taken_at_ns
        tester.mark_event(name)
        assert (events()[-1]["event"], events()[-1]["mark"]) == ("marked", name)
        assert before <= events()[-1]["tester_ns"] <= target.snapshot().taken_at_ns


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 61])
def test_a_name_that_no_chart_can_show_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tester = library_on_fake(monkeypatch, tmp_path)
    tester.open_tester()
    with pytest.raises(TesterLibraryError, match="has to be one line of 1 to 60 characters"):
        tester.mark_event(name)
    assert events() == []


def test_without_a_tester_there_is_no_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TesterLibraryError, match="no tester is open"):
        TesterLibrary().mark_event("reload")
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_records_nothing(tmp_path: Path) -> None:
    suite = tmp_path / "reload.robot"
    suite.write_text(
        "*** Settings ***\nLibrary    TesterLibrary\n*** Test Cases ***\nA\n    Mark Event    reload\n"
    )
    command = [sys.executable, "-m", "robot", "--dryrun", "--outputdir", str(tmp_path / "out"), str(suite)]
    subprocess.run(command, check=True, capture_output=True)
    assert not (tmp_path / "out" / "evidence").exists()
