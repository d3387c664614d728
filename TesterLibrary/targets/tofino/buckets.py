# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets of meters: full when a job is loaded, empty before it starts.

Else its first frames would leave as fast as their templates loop. A template that loops empties its bucket,
held back or not, in less than a millisecond; on the vendor's model of a chip that takes seconds. Its first
unit counts the rounds that the meter lets pass meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .rate import BURST, counting_entries, held_entry, rounds_asked
from .session import Session
from .switch import Reading

_POLLS, _POLL_S = 100, 0.02


class Buckets:
    """Of the streams of a session. `sleep` waits for so many seconds."""

    def __init__(self, session: Session, sleep: Callable[[float], object]) -> None:
        self._session, self._sleep = session, sleep
        self._full: set[int] = set()  # templates

    def fill(self, templates: Iterable[int]) -> None:
        """Their meters have been written."""
        self._full |= set(templates)

    def empty(self, templates: Collection[int]) -> None:
        """Returns when they are empty, or when templates do not loop as they should."""
        full = sorted(self._full & set(templates))
        self._full -= set(full)
        if not full:
            return
        self._session.write([own for template in full for own in counting_entries(template)])
        asked = [rounds_asked(template) for template in full]
        for _ in range(_POLLS):
            if all(_rounds(own) >= BURST for own in self._session.read(asked)):
                break
            self._sleep(_POLL_S)
        self._session.write([held_entry(template) for template in full])


def _rounds(reading: Reading) -> int:
    """Of the pipe in which a template loops."""
    (found,) = reading.values()
    assert not isinstance(found, int | str)
    return max(found)
