# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Follows the files of a run while it goes on: reads what was added, and tells a feed.

It only reads. A line that is not whole yet is read when it is; what is no record is named, and left out.
"""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...errors import TesterLibraryError
from ...files.confined_file import open_beneath
from ..record.agenda import FILE as AGENDA
from ..record.agenda import Agenda, agenda_of
from ..record.recorder import run_of
from . import notes
from .feed import Feed
from .page_messages import NO_RECORD, Message, Teller, encoded, run_message

REPORTS = (
    "certificate.html",
    "report.html",
    "log.html",
    "allure-report/index.html",
    "summary.md",
    "junit.xml",
)
_POLL_S = 0.4
_CLOCK_S = 5.0  # from one sign of life to the next
_CUT_AFTER_S = 2.0  # a line that is not finished for so long was cut off
_LONGEST_LINE = 64 << 20
_AT_ONCE = 8 << 20  # bytes of a file
_THIN = ("counters", "interval")
_ORDER = ("live", "event", "trial", "result", "verdict", "withdrawal", "test")  # of the same millisecond
_FILES = {kind: notes.FILE if kind == "live" else f"{kind}s.jsonl" for kind in _ORDER}


class Replaced(Exception):
    """A file is shorter than it was, or another one: what was read of it does not hold any more."""


class _File:
    """A file of lines that grows."""

    def __init__(self, path: Path, clock: Callable[[], float], opened: Callable[[Path], int]) -> None:
        self.path, self._opened = path, opened
        self._clock = clock
        self._identity: tuple[int, int] | None = None
        self._read = self.lines = 0
        self._rest = b""
        self._grown_at = clock()

    def new_lines(self) -> Iterator[bytes]:
        """Whole lines that were added. OSError if it cannot be read; Replaced if it is not the same."""
        try:
            file = self._opened(self.path)
        except FileNotFoundError:
            if self._identity:
                raise Replaced from None
            return
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise OSError("it is no file")
            identity = (found.st_dev, found.st_ino)
            if self._identity not in (None, identity) or found.st_size < self._read:
                raise Replaced
            self._identity = identity
            opened.seek(self._read)
            while self._read < found.st_size and (added := opened.read(_AT_ONCE)):
                self._read += len(added)
                self._grown_at = self._clock()
                *lines, self._rest = (self._rest + added).split(b"\n")
                if len(self._rest) > _LONGEST_LINE:
                    raise OSError(f"line {self.lines + len(lines) + 1} has no end")
                for line in lines:
                    self.lines += 1
                    yield line

    @property
    def is_cut(self) -> bool:
        """Whether its last line has not been finished for a while."""
        return bool(self._rest) and self._clock() - self._grown_at >= _CUT_AFTER_S


class Follower:
    """Tells a feed what the files of a run say, and what is wrong with them."""

    def __init__(
        self, output: Path, evidence: Path, feed: Feed, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`output` has the reports of the run, once there are some, and `evidence` its records."""
        self._output, self._evidence, self._feed = output, evidence, feed
        self._clock = clock
        self._told_clock_at = float("-inf")
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="follow", daemon=True)
        self._begin()

    def start(self) -> None:
        """Follows until `stop`, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Reads once more, and ends."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()

    def poll(self) -> None:
        """Reads what was added since the last time, and tells it."""
        try:
            self._run()
            records = self._records()
        except Replaced:
            self._begin()
            self._feed.reset()
            self._run()
            try:
                records = self._records()
            except Replaced:  # again, meanwhile: the next time
                return
        for message in records:
            self._note(message)
            self._feed.add(message, thin=message["type"] in _THIN)
        self._tell("state", self._state())
        self._tell("reports", {"names": [n for n in REPORTS if (self._output / n).is_file()]})
        if self._clock() - self._told_clock_at >= _CLOCK_S:
            self._told_clock_at = self._clock()
            now = datetime.now(timezone.utc).timestamp() * 1000
            self._feed.add({"type": "clock", "now": now}, thin=True)

    def _follow(self) -> None:
        while not self._end.wait(_POLL_S):
            self.poll()
        self.poll()

    def _begin(self) -> None:
        self._teller = Teller()
        self._files = {
            kind: _File(self._evidence / name, self._clock, self._open) for kind, name in _FILES.items()
        }
        self._run_seen: tuple[Any, ...] = ()
        self._id = ""
        self._agenda: Agenda | None = None
        self._told: dict[str, Any] = {}
        self._done: set[tuple[str, str]] = set()
        self._closed = False

    def _run(self) -> None:
        """Tells what `run.json` and the agenda say, if they have changed. Replaced: it is another run."""
        seen = tuple(_identity(self._evidence / name) for name in ("run.json", AGENDA))
        if seen == self._run_seen:
            return
        self._run_seen = seen
        try:
            path, agenda = self._evidence / "run.json", self._evidence / AGENDA
            run = run_of(path, self._text(path))
            self._agenda = agenda_of(self._text(agenda)) if agenda.exists() else None
            message = run_message(run, self._agenda, self._output.name)
            if self._id and run["id"] != self._id:
                raise Replaced
            self._id = run["id"]
            self._tell("run", message)
            self._problem("run.json", "")
        except TesterLibraryError as problem:
            self._problem("run.json", str(problem))
        except (OSError, *NO_RECORD) as problem:
            self._problem("run.json", f"{self._evidence}: run.json or {AGENDA} cannot be read: {problem!r}")

    def _open(self, path: Path) -> int:
        """A file, open. What is served to many may be written by somebody whose links are not followed."""
        return open_beneath(self._output, path.relative_to(self._output).parts)

    def _text(self, path: Path) -> str:
        with os.fdopen(self._open(path), encoding="utf-8") as file:
            return file.read(_LONGEST_LINE)  # a stranger may write terabytes

    def _records(self) -> Iterator[Message]:
        """The records that were added to all files, in the order of their times."""
        found: list[tuple[str, list[Message]]] = []
        for kind, file in self._files.items():
            name = file.path.name
            try:
                found += [said for line in file.new_lines() if (said := self._said(kind, line, file.lines))]
                self._problem(name, "")
            except OSError as problem:
                self._problem(name, f"{file.path} cannot be read: {problem.strerror or problem}")
            cut = f"{file.path}:{file.lines + 1} is not whole: the run was killed, or its disk is full"
            self._problem(f"{name} cut", cut if file.is_cut else "")
        found.sort(key=lambda said: said[0])
        return (message for _, messages in found for message in messages)

    def _said(self, kind: str, line: bytes, number: int) -> tuple[str, list[Message]] | None:
        """The time of a record and its messages; None if the line is no record, which is told."""
        try:
            record = json.loads(line)
            messages = list(self._teller.messages(kind, record))
            for message in messages:
                encoded(message)
        except NO_RECORD as problem:
            self._no_record(self._files[kind].path, number, problem)
            return None
        return str(record["at"]), messages

    def _no_record(self, path: Path, number: int, problem: Exception) -> None:
        """Names the first line of a file that is none, and how many more there are."""
        key = f"{path.name} lines"
        first, count = self._told.get(f"first {key}", (f"{path}:{number} is no record: {problem}", 0))
        self._told[f"first {key}"] = (first, count + 1)
        more = f", and {count} more of its lines" if count else ""
        self._problem(key, f"{first}{more}; left out here")

    def _note(self, message: Message) -> None:
        """Remembers how far the run is."""
        if message["type"] == "test" or message.get("left_out"):
            self._done.add((message["suite"], message["test"]))
        if message["type"] in ("began", "procedure", "closed"):
            self._closed = message["type"] == "closed"

    def _state(self) -> Message:
        """Whether the run goes on, as far as its files tell."""
        items = self._agenda.items if self._agenda else ()
        left = [item for item in items if (item.suite, item.test) not in self._done]
        finished = not left if items else self._closed
        return {"finished": finished, "done": len(items) - len(left), "of": len(items)}

    def _tell(self, kind: str, message: Message) -> None:
        """Tells something of which only the newest counts, if it has changed."""
        if self._told.get(kind) != message:
            self._told[kind] = message
            self._feed.add({**message, "type": kind.partition(" ")[0]})

    def _problem(self, key: str, text: str) -> None:
        if text or f"problem {key}" in self._told:
            self._tell(f"problem {key}", {"key": key, "text": text})


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
