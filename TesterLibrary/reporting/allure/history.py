# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The history of runs for Allure: a line for each run, in a file beside the folders of the runs.

A run is there once, however often its report is made. Two runs that end together take turns.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from ..record.durable import json_line, write_file
from ..record.records import Records

FILE = "allure-history.jsonl"
MOST = 60  # runs


class AllureHistory:
    """The runs before this one, and this one once its report is there."""

    def __init__(self, output: Path, records: Records) -> None:
        """`output` is the folder of the run."""
        self._path = output.absolute().parent / FILE
        self._id = str(records.run["id"])
        started = datetime.fromisoformat(str(records.run["started_at"]))
        self._started_ms = round(started.timestamp() * 1000)

    def hand_over(self, target: Path) -> None:
        """Writes the earlier runs to a file to which Allure appends this one."""
        earlier = [point for point in self._points() if point["timestamp"] < self._started_ms]
        write_file(target, "".join(f"{_line(point)}\n" for point in earlier[-MOST:]))

    def take_back(self, written: Path) -> None:
        """Adds what Allure has appended there to the history."""
        lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
        if not lines:
            return
        point = {**json.loads(lines[-1]), "uuid": self._id, "timestamp": self._started_ms}
        with self._locked():
            points = sorted((*self._points(), point), key=lambda known: known["timestamp"])
            write_file(self._path, "".join(f"{_line(known)}\n" for known in points[-MOST:]))

    def _points(self) -> list[dict[str, Any]]:
        """All runs but this one; a line that is none is left out."""
        found = []
        text = self._path.read_text(encoding="utf-8", errors="replace") if self._path.exists() else ""
        for line in text.splitlines():
            try:
                point = json.loads(line)
                if point["uuid"] != self._id and isinstance(point["timestamp"], (int, float)):
                    found.append(point)
            except (ValueError, KeyError, TypeError):
                continue
        return found

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._path.with_name(f".{FILE}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _line(point: dict[str, Any]) -> str:
    return json_line(point)
