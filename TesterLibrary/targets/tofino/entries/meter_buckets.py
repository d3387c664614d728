# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Empties the buckets of meters: they are full when a job is loaded, and have to be empty when it starts.

With a full bucket the first frames would leave as fast as their templates loop. A template that loops empties
its bucket in less than a millisecond, even if it is held back; on the vendor's model of a chip that takes
seconds. A bucket is empty when its template loops more often than the meter lets it pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..driver.loaded import LoadedStarts, LoadedStream
from ..reading.stream_readings import number_of, packets_of
from ..session.session import SwitchSession
from .rate import BURST, counting_entries, held_entry, passes_asked
from .template_loop import rounds_asked

_POLLS, _POLL_S = 100, 0.02
_SURE = 3  # polls after which it is clear whether a bucket will be empty at the last one
_ENOUGH = 2 * BURST  # rounds after which a loop is hardly faster than its meter, so its bucket hardly matters


class Buckets:
    """The buckets of the streams and starts of a session. `sleep` waits for so many seconds."""

    def __init__(self, session: SwitchSession, sleep: Callable[[float], object]) -> None:
        self._session, self._sleep = session, sleep
        self._full: set[int] = set()  # templates

    def fill(self, paced: Iterable[LoadedStream | LoadedStarts]) -> None:
        """Notes that the buckets of streams and starts are full, because their meters have been written."""
        self._full |= {one.template for one in paced if one.metered}

    def empty(self, templates: Collection[int]) -> None:
        """Waits until buckets are empty; gives up if templates do not loop as they should."""
        full = sorted(self._full & set(templates))
        self._full -= set(full)
        if not full:
            return
        self._session.write(
            [counting_entry for template in full for counting_entry in counting_entries(template)]
        )
        # The time over which passes are read includes the time over which rounds are read.
        passes, rounds = self._passes(full), self._rounds(full)
        for poll in range(1, _POLLS + 1):
            more = [now - then for now, then in zip(self._rounds(full), rounds, strict=True)]
            passed = [now - then for now, then in zip(self._passes(full), passes, strict=True)]
            if all(p < r or p >= _ENOUGH for p, r in zip(passed, more, strict=True)):
                break
            if poll >= _SURE and 0 < max(passed) * _POLLS < BURST * poll:
                break  # they loop too slowly: a model with many templates
            self._sleep(_POLL_S)
        self._session.write([held_entry(template) for template in full])

    def _passes(self, templates: Sequence[int]) -> list[int]:
        asked = [passes_asked(template) for template in templates]
        return [number_of(reading) for reading in self._session.read(asked)]

    def _rounds(self, templates: Sequence[int]) -> list[int]:
        asked = [rounds_asked(template) for template in templates]
        return [packets_of([reading]) for reading in self._session.read(asked)]
