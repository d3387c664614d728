# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a tester remembers of a start of a job: who asked for what, who meddled, how it was polled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..model.units import Duration
from .histogram import bounds_of

_LATE_NS = 1_000_000  # gaps that are longer are counted by their length


@dataclass(frozen=True)
class PollGaps:
    """For how long a worker did not look at a port of the job since its start.

    `buckets` maps the index of `histogram.py` to a count of gaps longer than a millisecond.
    """

    port: str
    worst_ns: int = 0
    late: int = 0
    buckets: Mapping[int, int] = field(default_factory=dict)

    def worst_since(self, before: PollGaps) -> int:
        """The longest gap after `before` was read; at most 0.2 % more than it was."""
        new = [index for index, count in self.buckets.items() if count > before.buckets.get(index, 0)]
        return min(self.worst_ns, bounds_of(max(new))[1] - 1 if new else _LATE_NS)


@dataclass(frozen=True)
class JobCounters:
    """Since the last start of a job. Whoever did something is named, except this client itself."""

    name: str
    starts: int = 0  # since it was loaded
    started_at_ns: int = 0  # when its first frames were due; 0 before the first start
    started_by: str = ""
    asked_duration_ns: int = 0  # 0: until it is stopped
    asked_packets: int = 0  # of each stream; 0: no such limit
    stopped_at_ns: int = 0  # while it was sending or answering; 0: it was not, or ended by itself
    stopped_by: str = ""
    stopped_streams: tuple[int, ...] = ()  # ids of those that were sending then
    updates: int = 0  # of its streams
    updated_by: str = ""  # the last one
    polls: tuple[PollGaps, ...] = ()  # of its ports

    def worst_gap_ns(self, before: JobCounters | None) -> int:
        """The longest time for which one of its ports was not polled, since `before` or else its start."""
        if before is None or before.started_at_ns != self.started_at_ns:
            return max((polls.worst_ns for polls in self.polls), default=0)
        earlier = {polls.port: polls for polls in before.polls}
        return max((p.worst_since(earlier.get(p.port, PollGaps(p.port))) for p in self.polls), default=0)

    @property
    def cut_short(self) -> bool:
        """Whether it was stopped before it had done what was asked for."""
        if not self.stopped_at_ns:
            return False
        if self.asked_duration_ns:
            return self.stopped_at_ns < self.started_at_ns + self.asked_duration_ns
        return self.asked_packets > 0

    def meddling(self, before: JobCounters | None, streams: Mapping[int, str]) -> Iterator[str]:
        """What kept it from doing what was asked for: each as a sentence. `streams` are names by id."""
        if self.started_by and self.starts > (before.starts if before else 0):
            yield f"job {self.name!r} was started anew by {_who(self.started_by)}"
        stopped = " and ".join(streams.get(i, f"stream {i}") for i in self.stopped_streams)
        if self.cut_short or (self.stopped_at_ns and self.stopped_by):
            after = Duration(max(0, self.stopped_at_ns - self.started_at_ns))
            asked = f" of {Duration(self.asked_duration_ns)}" if self.asked_duration_ns else ""
            verb = "were" if len(self.stopped_streams) > 1 else "was"
            what = stopped or f"job {self.name!r}"
            yield f"{what} {verb} stopped after {after}{asked} by {_who(self.stopped_by)}"
        same = before is not None and before.started_at_ns == self.started_at_ns
        if self.updated_by and self.updates > (before.updates if before and same else 0):
            yield f"a stream of job {self.name!r} was changed while it was sending by {_who(self.updated_by)}"


def _who(name: str) -> str:
    return f"{name} (somebody else)" if name else "this session"
