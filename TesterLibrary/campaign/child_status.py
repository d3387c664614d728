# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The status of a child process: JSON objects, one a line, on a descriptor that its parent gives it.

docs/service.md has the events. Text on the console is for people, and no process reads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

VERSION = 1
EVENTS: Mapping[str, Mapping[str, type]] = {  # with their fields
    "begun": {"title": str, "tests": int, "testbeds": list},
    "test": {"suite": str, "test": str, "outcome": str},
    "ready": {},
    "refused": {"status": int, "call": str, "error": str},
    "error": {"text": str},
    "ended": {"outcome": str},
}
Event = Mapping[str, Any]
_LONGEST_TEXT = 2000  # characters
_LONGEST_LINE = 1 << 16  # bytes
_MOST = 64 << 20  # bytes of one child
_TAG = "verdict-"  # of a test with its outcome, as the library's own listener sets it


class StatusWriter:
    """Tells the parent what happens, if it has given a descriptor."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Takes the descriptor over; children of this process do not inherit it."""
        self.descriptor = descriptor
        if descriptor is not None:
            os.set_inheritable(descriptor, False)

    def tell(self, event: str, **fields: object) -> None:
        """Writes an event. A parent that has gone, or reads no more, is no error of the child."""
        if self.descriptor is None:
            return
        short = {name: _short(value) for name, value in fields.items()}
        line = json.dumps({"version": VERSION, "event": event, **short}).encode() + b"\n"
        with suppress(OSError):
            while line:
                line = line[os.write(self.descriptor, line) :]


UNHEARD = StatusWriter()  # of a process whose parent wants no status


def _short(value: object) -> object:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


class TestStatus:
    """A listener of Robot that tells how each test has ended, to be given with the descriptor."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = -1  # after the library's own listener, which decides it

    def __init__(self, descriptor: str) -> None:
        self._status = StatusWriter(int(descriptor))

    def end_test(self, data: Any, result: Any) -> None:
        """Without the library's own listener there is no outcome but an error."""
        tags = (tag[len(_TAG) :] for tag in map(str, result.tags) if tag.startswith(_TAG))
        outcome = next(tags, "error").replace("-", " ").upper()
        self._status.tell("test", suite=data.parent.full_name, test=result.name, outcome=outcome)


class StatusReader:
    """Events from the bytes that a child writes. Lines that are no event are left out, by name."""

    def __init__(self, event: Callable[[Event], None], ignored: Callable[[str], None]) -> None:
        """`ignored` is called with the reason, once for each."""
        self._event, self._ignored = event, ignored
        self._rest = b""
        self._read = 0
        self._reasons: set[str] = set()

    def feed(self, part: bytes) -> bool:
        """Reads on. False: the child has written more than any run does, and is not read any more."""
        self._read += len(part)
        if self._read > _MOST:
            self._ignore(f"more than {_MOST} bytes of status; the rest is not read")
            return False
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            self._take(line)
        if len(self._rest) > _LONGEST_LINE:
            self._rest = self._rest[: _LONGEST_LINE + 1]  # its end is waited for, and it is left out
        return True

    def _take(self, line: bytes) -> None:
        try:
            self._event(event_of(line))
        except ValueError as problem:
            self._ignore(str(problem))

    def _ignore(self, reason: str) -> None:
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._ignored(reason)


def event_of(line: bytes) -> Event:
    """The event of a line. ValueError says what is wrong with it."""
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"a line of status is longer than {_LONGEST_LINE} bytes")
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("a line of status is no JSON") from None
    if not isinstance(event, dict) or event.get("version") != VERSION:
        raise ValueError(f"a line of status is no object of version {VERSION}")
    fields = EVENTS.get(name) if isinstance(name := event.get("event"), str) else None
    if fields is None:
        raise ValueError(f"status has no event {str(name)[:40]!r}; it has {', '.join(EVENTS)}")
    for field, kind in fields.items():
        if not isinstance(event.get(field), kind) or isinstance(event[field], bool):
            raise ValueError(f"{field} of the event {name} is no {kind.__name__}")
    return event
