# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A run as robotframework-dashboard reads it: an `output.xml` with our figures where it looks for them.

It keeps of a test its status, its tags and 150 characters of its message; of a run the metadata of its
suites; and it knows a run again by the time at which its file was written. Robot's own file has no message
for a test that passed, calls NOT JUDGED a PASS, says nothing of the device, and gets a new time whenever it
is made again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from robot.api import ExecutionResult, ResultVisitor
from robot.errors import DataError

from ...errors import TesterLibraryError
from ..record.durable import write_file
from ..record.long_name import below
from ..record.outcome import INCONCLUSIVE, NOT_JUDGED, PASS
from ..record.records import Records, TestRecord
from .facts import Facts

# All others are FAIL.
_STATUS: Mapping[str, Literal["PASS", "SKIP"]] = {PASS: "PASS", INCONCLUSIVE: "SKIP", NOT_JUDGED: "SKIP"}
_GENERATED = re.compile(rb'generated="[^"]*"')
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")  # the dashboard reads metadata as JSON, unescaped


@dataclass(frozen=True)
class Exported:
    """A file for the dashboard, and what its command is to be told beside it."""

    path: Path
    tests: int
    tags: tuple[str, ...]

    @property
    def argument(self) -> str:
        """The value of `robotdashboard --outputpath`: file and tags."""
        return ":".join((str(self.path), *self.tags))


def write(facts: Facts, directory: Path, folder: Path) -> Exported:
    """Puts the file of a run there.

    Args:
        facts: The run.
        directory: Its folder, with `output.xml`.
        folder: Where the file goes; it is made if it is not there.

    Raises:
        TesterLibraryError: there is no whole `output.xml`, or the file cannot be written.
    """
    source = directory / "output.xml"
    try:
        result = ExecutionResult(str(source))
    except DataError as problem:
        said = str(problem).split("\n")[0]
        raise TesterLibraryError(
            f"{source} is no whole output of Robot: {said}. `tester report {directory}` makes it anew"
        ) from None
    visitor = _Told(facts.records)
    result.visit(visitor)
    if not visitor.tests:
        raise TesterLibraryError(f"{source} has no test of the records beside it; it is that of another run")
    run = {"Verdict": facts.verdict, "Tests": facts.counts}
    named = {name.capitalize(): text for name, text in facts.attributes.items()}
    result.suite.metadata.update({name: _clean(text) for name, text in {**run, **named}.items()})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"output_{facts.started_at.astimezone():%Y%m%d-%H%M%S}.xml"
    with TemporaryDirectory() as name:
        made = Path(name) / "output.xml"
        result.save(str(made))
        content = made.read_bytes()
    started = facts.started_at.astimezone().replace(tzinfo=None).isoformat(timespec="microseconds")
    write_file(path, _GENERATED.sub(b'generated="%s"' % started.encode(), content, count=1).decode())
    return Exported(path, visitor.tests, tuple(_tags(facts)))


def _tags(facts: Facts) -> list[str]:
    """Tags of the run. A colon ends one; the version is one if the run has one device only."""
    tags = [facts.attributes.get(name, "") for name in ("testbed", "profile")]
    version = facts.attributes.get("version", "")
    if version and "," not in version:
        tags.append(f"version_{version}")
    return [re.sub(r"[:\s]+", "-", tag) for text in tags for tag in text.split(", ") if tag]


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub(" ", text)


class _Told(ResultVisitor):
    """Gives each test the status and the message of its record."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._known = {f"{test.suite}.{test.test}": test for test in records.tests}
        self.tests = 0

    def visit_test(self, test: Any) -> None:
        """A test of several testbeds' files is below one more suite than when it ran."""
        name = test.full_name
        outermost = test.parent
        while outermost.parent:
            outermost = outermost.parent
        record = self._known.get(name) or self._known.get(below(name, outermost.name))
        if record:
            self.tests += 1
            test.status = _STATUS.get(record.outcome, "FAIL")
            test.message = self._message(record)

    def _message(self, record: TestRecord) -> str:
        """The figures of a test that passed, without their bounds, so that more of them are kept."""
        verdicts = self._records.verdicts_of(record)
        if record.outcome != PASS or not verdicts:
            return f"{record.outcome}: {record.said}"
        return f"{PASS}: " + "; ".join(f"{each.subject} is {each.measured}" for each in verdicts)
