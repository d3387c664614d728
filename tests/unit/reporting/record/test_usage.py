# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of a test says what the tester held before it and after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from TesterLibrary.measurement.tester_usage import TesterUsage
from TesterLibrary.reporting.record.listener import Listener
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder

SCHEMA = Path(__file__).parents[4] / "reports" / "schemas" / "test.schema.json"
HELD = TesterUsage(resident_bytes=5_000_000, descriptors=40, mbufs=1024)
MORE = TesterUsage(resident_bytes=None, descriptors=41, mbufs=1024)


def recorded(folder: Path, *usage: TesterUsage | None) -> dict[str, Any]:
    """The record of a test, at whose begin and end the tester holds this."""
    values: Iterator[TesterUsage | None] = iter(usage)
    recorder = Recorder(folder)
    listener = Listener(recorder, Console(folder), usage=lambda: next(values))
    data = SimpleNamespace(name="A", parent=SimpleNamespace(full_name="Suite", name="Suite", tests=()))
    result = SimpleNamespace(
        name="A",
        status="PASS",
        message="",
        tags=set(),
        start_time=datetime.now(tz=timezone.utc),
        elapsed_time=timedelta(seconds=1),
    )
    listener.start_test(data, result)
    listener.end_test(data, result)
    (line,) = (folder / "tests.jsonl").read_text().splitlines()
    record: dict[str, Any] = json.loads(line)
    jsonschema.validate(record, json.loads(SCHEMA.read_text()))
    return record


@pytest.mark.parametrize(
    ("before", "after"),
    [(HELD, MORE), (None, HELD), (HELD, None)],
    ids=["both", "opened in it", "closed in it"],
)
def test_a_test_has_what_the_tester_held(
    tmp_path: Path, before: TesterUsage | None, after: TesterUsage | None
) -> None:
    usage = recorded(tmp_path, before, after)["usage"]
    assert usage == {
        "before": None if before is None else vars(before),
        "after": None if after is None else vars(after),
    }


def test_a_tester_that_does_not_tell_leaves_no_trace(tmp_path: Path) -> None:
    assert "usage" not in recorded(tmp_path, None, None)
