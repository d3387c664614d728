# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes that the driver makes while jobs run: units know neither delays nor last laps, nor versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...base import Flipped
from ..entries.rate import going_entry, held_entry, last_lap_entry
from ..reading.counting import Counting
from ..session.session import SwitchSession
from .run import SwitchRun

_FLIP_AFTER_NS = 2 * 10**9  # half the range of sums of times; the rest is for frames that a device keeps long


class RunningUnits:
    """The units of jobs that run, and the versions in which their frames leave."""

    def __init__(self, session: SwitchSession, counting: Counting, now_ns: Callable[[], int]) -> None:
        self._session, self._counting, self._now_ns = session, counting, now_ns

    def flip(self, runs: Sequence[SwitchRun]) -> Flipped:
        """Flips jobs whose frames leave in the same version."""
        for run in runs:
            self._session.write(list(self._counting.closing(run)))
        version = 1 - runs[0].version
        self._session.write([entry for run in runs for entry in run.job.flipped(version)])
        now_ns = self._now_ns()
        for run in runs:
            run.version, run.opened_ns = version, now_ns
            self._counting.flipped(run, now_ns)
        return Flipped(now_ns, 1 - version)

    def flip_in_time(self, runs: Iterable[SwitchRun]) -> None:
        """Flips jobs before their 32-bit sums of times wrap, unless a user reads versions."""
        for run in runs:
            unread = run.has_versions and not run.stopped and not run.flipped
            if unread and self._now_ns() - run.opened_ns >= _FLIP_AFTER_NS:
                self.flip([run])

    def lead(self, run: SwitchRun) -> None:
        """Tells units what they cannot know: that a delay is over, and which lap is the last."""
        laps, waiting = run.laps, run.waiting
        streams = [run.job.streams[number] for number in sorted(laps.keys() | waiting)]
        for stream, all_sent in zip(
            streams, self._counting.departed(streams) if streams else (), strict=True
        ):
            number, stretch = stream.planned.id, run.stretches[stream.planned.id]
            sent, limit = all_sent - stretch.before, run.limits.get(stream.planned.id)
            if number in waiting and sent:
                self._session.write([going_entry(stream.template, limit)])
                run.going.add(number)
            if number in laps and sent >= laps[number].last_begins:
                over = sent >= (limit or 0)  # no call has come during the whole last lap
                entry = held_entry(stream.template) if over else last_lap_entry(stream.template, laps[number])
                self._session.write([entry])
                run.last_laps.add(number)
