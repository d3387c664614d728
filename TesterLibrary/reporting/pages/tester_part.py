# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's part in what has no trials: clients and responders, paths, traces and stamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...measurement.remarks import by_kind
from ...measurement.session_trial import SessionTrial
from ...model.units.number import counted
from ..captures.stamp_files import FOLDER as STAMP_FILES
from ..record.record_place import EVIDENCE
from ..record.recorder import INVALID_ATTEMPT
from ..record.records import EventRecord

PATH, STAMPS, TRACE = "path_stopped", "stamps_stopped", "trace"  # events


@dataclass(frozen=True)
class TesterPart:
    """A sentence on what the tester did, with its files as the page links to them."""

    text: str
    files: tuple[str, ...] = ()


def tester_parts(events: Sequence[EventRecord], sessions: Sequence[SessionTrial]) -> tuple[TesterPart, ...]:
    """A sentence on all measurements of connections, and one on each path, trace and stamps."""
    parts = [part for event in events if (part := _part(event))]
    attempts = [event.facts for event in events if event.event == INVALID_ATTEMPT]
    return (*_sessions(sessions), *_invalid_attempts(attempts), *parts)


def _invalid_attempts(attempts: Sequence[Mapping[str, Any]]) -> Iterator[TesterPart]:
    """A sentence on the attempts at measurements of connections that were repeated, with their reasons."""
    if attempts:
        kinds = by_kind([reason for attempt in attempts for reason in attempt["reasons"]])
        reasons = "; ".join(text + (f" ({count} such)" if count > 1 else "") for text, count in kinds)
        number = counted(len(attempts), "attempt")
        yield TesterPart(f"{number} at measurements of connections did not count: {reasons}")


def _sessions(trials: Sequence[SessionTrial]) -> Iterator[TesterPart]:
    if not trials:
        return
    invalid = [trial for trial in trials if not trial.valid]
    due = [trial for trial in trials if trial.due is not None]
    text = (
        f"{counted(len(trials), 'measurement')} of clients and responders, {len(invalid)} invalid because "
        "the tester fell short (it lost frames itself, a link was down, a worker paused, it opened too few)"
    )
    if due:
        asked = round(sum((trial.due or 0) for trial in due))
        text += (
            f"; {asked:,} openings were due, {sum(trial.statistics.openings for trial in due):,} were made"
        )
    for objection, count in by_kind([text for trial in invalid for text in trial.objections]):
        text += f"; {objection}" + (f" ({count} such)" if count > 1 else "")
    yield TesterPart(text)


def _part(event: EventRecord) -> TesterPart | None:
    facts = event.facts
    if event.event == PATH:
        return TesterPart(_path(event.place.test, facts))
    if event.event == STAMPS:
        files = tuple(f"{EVIDENCE}/{STAMP_FILES}/{name}" for name in facts.get("files", ()))
        return TesterPart(_of(event.place.test, f"stamps {facts['result']}"), files)
    if event.event == TRACE:
        text = (
            f"trace of path {facts['path']}: {facts['packets']:,} of {facts['due']:,} packets, "
            f"{facts['dropped']:,} dropped by the tester"
        )
        return TesterPart(_of(event.place.test, text), (f"{EVIDENCE}/{facts['file']}",))
    return None


def _path(test: str, facts: Mapping[str, Any]) -> str:
    objections = facts.get("objections") or ["nothing speaks against the tester"]
    frames = f"{facts['received']:,} frames arrived, {facts['forwarded']:,} left"
    lost = f"lost by the tester {facts['lost']:,}, dropped for want of memory {facts['overflowed']:,}"
    return _of(test, f"path {facts['path']}: {frames}; {lost}; {'; '.join(objections)}")


def _of(test: str, text: str) -> str:
    return f"{test}: {text}" if test else text
