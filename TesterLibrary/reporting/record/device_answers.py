# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of the device under test before the first trial and after the last, by the hooks of its testbed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .recorder import Recorder
from .records import EventRecord

EVENT = "device_said"
MOST_CHARACTERS = 4_000  # of what one hook says
When = Literal["before", "after"]


@dataclass(frozen=True)
class Said:
    """The answer of one hook."""

    at: str  # when it was asked, ISO 8601 in UTC
    said: str
    failed: str  # why it is no answer; empty if it is one


@dataclass(frozen=True)
class Answers:
    """The answers of one hook: the first one before trials, and the last one after them."""

    hook: str
    asked: str
    before: Said | None
    after: Said | None

    @property
    def is_unchanged(self) -> bool:
        """Whether both are the same answer."""
        first, last = self.before, self.after
        return bool(first and last) and (first.said, first.failed) == (last.said, last.failed)  # type: ignore[union-attr]


def record_said(
    recorder: Recorder, hook: str, when: When, *, asked: str, said: bytes, failed: str = ""
) -> None:
    """Records the answer of a hook, of which only the begin is kept."""
    recorder.event(EVENT, hook=hook, when=when, asked=asked, said=_readable(said), failed=failed)


def answers_of(events: Iterable[EventRecord], testbed: str) -> tuple[Answers, ...]:
    """The answers of the device of a testbed, in the order in which its hooks were asked."""
    asked: dict[str, str] = {}
    before: dict[str, Said] = {}
    after: dict[str, Said] = {}
    for event in events:
        if event.event != EVENT or event.place.testbed != testbed:
            continue
        facts = event.facts
        hook = str(facts["hook"])
        answer = Said(str(facts["at"]), str(facts["said"]), str(facts["failed"]))
        asked[hook] = str(facts["asked"])
        if facts["when"] == "before":
            before.setdefault(hook, answer)
        else:
            after[hook] = answer
    return tuple(Answers(hook, words, before.get(hook), after.get(hook)) for hook, words in asked.items())


def _readable(said: bytes) -> str:
    lines = said.decode(errors="replace").replace("\r\n", "\n").strip()
    text = "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in lines)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n… and more"
