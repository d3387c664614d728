# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks: events that a suite names itself, such as a reload of the device, on the tester's clock."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import TesterLibraryError
from .durable import write_file
from .record_place import RecordPlace
from .recorder import Recorder
from .records import EventRecord

FILE = "events.csv"
_EVENT = "marked"
_LONGEST = 60  # characters of a name, which has to be read in a chart
_COLUMNS = ("at", "testbed", "suite", "test", "event", "mark", "tester_ns", "reason")


@dataclass(frozen=True)
class Mark:
    """An event that a suite has marked."""

    place: RecordPlace
    name: str
    tester_ns: int  # on the clock of the tester that was open

    def is_of(self, place: RecordPlace) -> bool:
        """Whether it was made in this test or, where the place is a suite, in any of its tests."""
        if self.place.testbed != place.testbed:
            return False
        if place.test:
            return (self.place.suite, self.place.test) == (place.suite, place.test)
        return f"{self.place.suite}.".startswith(f"{place.suite}.")


def record_mark(recorder: Recorder, name: str, tester_ns: int) -> None:
    """Records a mark, which is on the disk when the call returns.

    Raises:
        TesterLibraryError: the name cannot be written beside a line of a chart; nothing was recorded.
    """
    if not (name.strip() and name.isprintable() and len(name) <= _LONGEST):
        raise TesterLibraryError(
            f"{name!r} cannot be the name of an event; it has to be one line of 1 to {_LONGEST} characters"
        )
    recorder.event(_EVENT, mark=name, tester_ns=tester_ns)


def marks_of(events: Iterable[EventRecord]) -> tuple[Mark, ...]:
    """The marks among the events of a run."""
    return tuple(
        Mark(found.place, str(found.facts["mark"]), int(found.facts["tester_ns"]))
        for found in events
        if found.event == _EVENT
    )


def write_table(events: Sequence[EventRecord], path: Path) -> Path:
    """Writes all events of a run as CSV, marks and others. RecordError if the disk is full, for example."""
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(found.facts for found in events)
    write_file(path, text.getvalue())
    return path
