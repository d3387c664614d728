# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages to pages: a new page gets all that there is so far, and then each piece as it comes."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

_MOST_THIN = 4_000  # messages that may be left out
_NEWEST = 1_000  # of them, which are not
_AT_ONCE = 200  # messages in one answer of `after`

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Numbered:
    """A message with its number, which grows by one from message to message."""

    number: int
    message: Message
    ordinal: int | None  # among those that may be left out once they are many; None: it may not


class Feed:
    """Messages of one run. Readers never wait for each other, and nobody who adds waits for a reader."""

    def __init__(self) -> None:
        self.token = uuid4().hex[:8]  # numbers of another feed mean nothing here
        self._messages: list[Numbered] = []
        self._next = 0
        self._ordinal = self._kept = 0
        self._stride = 1
        self._closed = False
        self._changed = threading.Condition()
        self.reset()

    def add(self, *messages: Message, thin: bool = False) -> None:
        """Tells every page. `thin`: some may be left out for pages that come later."""
        with self._changed:
            for message in messages:
                self._messages.append(Numbered(self._next, message, self._ordinal if thin else None))
                self._next += 1
                self._ordinal += thin
                self._kept += not thin
            if len(self._messages) - self._kept > _MOST_THIN:
                self._thin_out()
            self._changed.notify_all()

    def reset(self) -> None:
        """Forgets everything, and lets every page do so."""
        with self._changed:
            self._messages.clear()
            self._ordinal = self._kept = 0
            self._stride = 1
        self.add({"type": "reset"})

    def close(self) -> None:
        """Nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will come."""
        return self._closed

    def after(self, number: int, timeout_s: float) -> Sequence[Numbered]:
        """The next messages with greater numbers; none if no such message came in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._is_news(number), timeout_s)
            start = bisect_right(self._messages, number, key=lambda known: known.number)
            return self._messages[start : start + _AT_ONCE]

    def _is_news(self, number: int) -> bool:
        return bool(self._messages) and self._messages[-1].number > number

    def _thin_out(self) -> None:
        """Keeps the newest of them, and of the older ones every second, fourth, eighth …"""
        self._keep_each(self._stride)
        while len(self._messages) - self._kept > _MOST_THIN * 3 // 4:
            self._stride *= 2
            self._keep_each(self._stride)

    def _keep_each(self, stride: int) -> None:
        newest = self._ordinal - _NEWEST
        self._messages = [
            known
            for known in self._messages
            if known.ordinal is None or known.ordinal >= newest or known.ordinal % stride == 0
        ]
