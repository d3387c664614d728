# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester's record of a start of a job: who asked for what, who interfered, how its ports were polled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .._generated.tester.v1 import counters
from .._generated.tester.v1.counters import PollGaps
from ..model.units.units import Duration
from .delays.histogram import bounds_of

__all__ = ["JobCounters", "PollGaps"]

_LATE_NS = 1_000_000  # gaps that are longer are counted by their length


@dataclass(frozen=True)
class JobCounters(counters.JobCounters):
    """The record of the last start of a job. It names other clients that changed something."""

    def worst_gap_ns(self, before: JobCounters | None) -> int:
        """The longest time for which one of its ports was not polled, since `before` or else its start."""
        if before is None or before.started_at_ns != self.started_at_ns:
            return max((polls.worst_ns for polls in self.polls), default=0)
        earlier = {polls.port: polls for polls in before.polls}
        return max((_worst_since(p, earlier.get(p.port, PollGaps(p.port))) for p in self.polls), default=0)

    @property
    def cut_short(self) -> bool:
        """Whether it was stopped before it had done what was asked for."""
        if not self.stopped_at_ns:
            return False
        if self.asked_duration_ns:
            return self.stopped_at_ns < self.started_at_ns + self.asked_duration_ns
        return self.asked_packets > 0

    def _stop_text(self, streams: Mapping[int, str]) -> str:
        after = Duration(max(0, self.stopped_at_ns - self.started_at_ns))
        asked = f" of {Duration(self.asked_duration_ns)}" if self.asked_duration_ns else ""
        verb = "were" if len(self.stopped_streams) > 1 else "was"
        stopped = " and ".join(streams.get(i, f"stream {i}") for i in self.stopped_streams)
        what = stopped or f"job {self.name!r}"
        return f"{what} {verb} stopped after {after}{asked} by {_who(self.stopped_by)}"

    def meddling(self, before: JobCounters | None, streams: Mapping[int, str]) -> Iterator[str]:
        """Sentences on what kept the job from doing what was asked for. `streams` are names by id."""
        if self.started_by and self.starts > (before.starts if before else 0):
            yield f"job {self.name!r} was started anew by {_who(self.started_by)}"
        if self.cut_short or (self.stopped_at_ns and self.stopped_by):
            yield self._stop_text(streams)
        same = before is not None and before.started_at_ns == self.started_at_ns
        if self.updated_by and self.updates > (before.updates if before and same else 0):
            yield f"a stream of job {self.name!r} was changed while it was sending by {_who(self.updated_by)}"


def _worst_since(polls: PollGaps, before: PollGaps) -> int:
    """The longest gap after `before` was read; at most 0.2 % more than it was."""
    new = [index for index, count in polls.buckets.items() if count > before.buckets.get(index, 0)]
    return min(polls.worst_ns, bounds_of(max(new))[1] - 1 if new else _LATE_NS)


def _who(name: str) -> str:
    """Who has done something to a job; a tester that did it itself says why behind its name."""
    if name.startswith("the tester: "):
        return name
    return f"{name} (somebody else)" if name else "this session"
