# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets of meters: full when a job is loaded, empty before it starts.

Else its first frames would leave as fast as their templates loop. A template that loops empties its bucket,
held back or not, in less than a millisecond; on the vendor's model of a chip that takes seconds. A bucket is
empty when its template goes round more often than the meter lets it pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from .loaded import LoadedStream
from .looping import rounds_asked
from .rate import BURST, counting_entries, held_entry, passes_asked
from .readings import number_of, packets_of
from .session import Session

_POLLS, _POLL_S = 100, 0.02
_ENOUGH = 2 * BURST  # rounds of a loop that is hardly faster than its meter, whose bucket hardly matters


class Buckets:
    """Of the streams of a session. `sleep` waits for so many seconds."""

    def __init__(self, session: Session, sleep: Callable[[float], object]) -> None:
        self._session, self._sleep = session, sleep
        self._full: set[int] = set()  # templates

    def fill(self, streams: Iterable[LoadedStream]) -> None:
        """Their meters have been written."""
        self._full |= {own.template for own in streams if own.metered}

    def empty(self, templates: Collection[int]) -> None:
        """Returns when they are empty, or when templates do not loop as they should."""
        full = sorted(self._full & set(templates))
        self._full -= set(full)
        if not full:
            return
        self._session.write([own for template in full for own in counting_entries(template)])
        # What is read of passes begins before, and ends behind, what is read of rounds.
        passes, rounds = self._passes(full), self._rounds(full)
        for _ in range(_POLLS):
            more = [now - then for now, then in zip(self._rounds(full), rounds, strict=True)]
            passed = [now - then for now, then in zip(self._passes(full), passes, strict=True)]
            if all(p < r or p >= _ENOUGH for p, r in zip(passed, more, strict=True)):
                break
            self._sleep(_POLL_S)
        self._session.write([held_entry(template) for template in full])

    def _passes(self, templates: Sequence[int]) -> list[int]:
        return [number_of(own) for own in self._session.read([passes_asked(one) for one in templates])]

    def _rounds(self, templates: Sequence[int]) -> list[int]:
        return [packets_of([own]) for own in self._session.read([rounds_asked(one) for one in templates])]
