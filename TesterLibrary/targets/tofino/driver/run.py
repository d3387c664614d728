# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a loaded job that only the driver has: when it began, and how many frames were due since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import ceil

from ....model.plan.plan import PlannedStream
from ....model.units.units import Duration
from ....planning.switch.parts import share
from ....planning.switch.resources import PASS_SKIP_UNITS
from ....planning.switch.staging import Staging
from ....planning.switch.steps import Level
from ..entries.rate import needs_word
from .counter_laps import Laps
from .job import SwitchJob

_GRACE_NS = 10**9  # time for the last frames of a stream that ends by itself


@dataclass(frozen=True)
class StreamStretch:
    """A stream since its start, or since it was changed. Times are nanoseconds of the driver's clock."""

    planned: PlannedStream
    staging: Staging
    began_ns: int  # when the switch was asked to begin
    ends_ns: int | None = None  # no frame is due from then on
    most: int | None = None  # the most frames of all stretches together
    before: int = 0  # frames of earlier stretches
    delay: int = 0  # frames that were skipped first
    begun_ns: int | None = None  # when the switch had done so; None: at once
    stopping_ns: int | None = None  # when the switch was asked to stop it
    stopped_ns: int | None = None  # when the switch had done so

    def intended(self, now_ns: int, sent: int) -> int:
        """Frames that were due: by the stream's law after its end, before that by ticks of the meter.

        A start and a stop take effect at some time between the request and its answer. What was due in
        between is known by what has left, so neither is an error of the rate.

        Random gaps make a stream be ahead or behind by chance; only what is more than that was not due.

        Args:
            now_ns: The driver's clock.
            sent: Frames that have left, of all stretches.
        """
        stopping_ns = now_ns if self.stopping_ns is None else min(now_ns, self.stopping_ns)
        stopped_ns = now_ns if self.stopped_ns is None else min(now_ns, self.stopped_ns)
        begun_ns = self.began_ns if self.begun_ns is None else self.begun_ns
        least, most = self._due(begun_ns, stopping_ns), self._due(self.began_ns, stopped_ns)
        if self.staging.gaps and not self._over(stopping_ns):
            least = max(self.before, least - self.staging.spread(least - self.before))
            most += self.staging.spread(most - self.before)
            most = most if self.limit is None else min(most, self.before + self.limit)
        return min(max(sent, least), most)

    def _due(self, since_ns: int, until_ns: int) -> int:
        """Frames that were due between a start and then."""
        if self.limit is not None and self._over(until_ns):
            return self.before + self.limit
        ticks = 1 + int((until_ns - since_ns) * self.staging.meter_rate / 10**9)
        due = max(0, self.staging.departures(ticks) - self.delay)
        return self.before + (due if self.limit is None else min(due, self.limit))

    def _over(self, until_ns: int) -> bool:
        """Whether all that is due until its end is due until then."""
        return self.ends_ns is not None and until_ns >= self.ends_ns + self.grace_ns

    @property
    def grace_ns(self) -> int:
        """The time after its end in which its last frames may leave, because its random gaps were long."""
        frames = self.staging.spread(self.limit or 0)
        return ceil(frames * 10**9 / self.staging.rate) if frames else 0

    def until_ns(self, now_ns: int) -> int:
        """The latest time at which its last frame leaves, at most `now_ns`."""
        ends = [end for end in (self.stopped_ns,) if end is not None]
        if self.ends_ns is not None and not isinstance(self.planned.departures.law, Level):
            ends.append(self.ends_ns + self.grace_ns)  # the second rate of a step is over later by its pause
        if self.limit is not None:
            frames = self.delay + self.staging.phase + self.limit
            ends.append(self.began_ns + ceil(frames * 10**9 / self.staging.rate) + self.grace_ns)
        return min([now_ns, *ends])

    @property
    def limit(self) -> int | None:
        """The most frames that this stretch sends; None: it sends until it is stopped."""
        last = self.most if self.most is None else self.most - self.before
        total = self.planned.departures.total
        due = None
        if self.ends_ns is not None:
            departures = self.planned.departures
            span_ns = self.ends_ns - self.began_ns
            if isinstance(departures.law, Level):  # its delay is the time of another rate
                due = departures.count(span_ns)
            else:
                due = max(0, departures.law.count(span_ns - round(departures.phase_ns)) - self.delay)
        return min((limit for limit in (last, total, due) if limit is not None), default=None)


@dataclass
class SwitchRun:
    """A loaded job."""

    job: SwitchJob
    stretches: dict[int, StreamStretch] = field(
        default_factory=dict
    )  # by stream; none before the first start
    version: int = 0
    answering: bool = False
    stopped: bool = True
    last_laps: set[int] = field(default_factory=set)  # streams whose last lap was set
    going: set[int] = field(default_factory=set)  # streams whose unit was told that their delay is over
    flipped: bool = False  # whether a user has flipped versions since the start
    opened_ns: int = 0  # when frames began to leave in the open version

    def start(self, now_ns: int, duration: Duration | None, packets: int | None) -> None:
        """Starts all streams with counts of 0."""
        ends_ns = None if duration is None else now_ns + duration.ns
        self.stretches = {
            number: StreamStretch(
                stream.planned,
                stream.staging,
                now_ns,
                ends_ns,
                None if packets is None else share(stream.planned, packets),
                delay=stream.delay,
            )
            for number, stream in self.job.streams.items()
        }
        self.version, self.stopped, self.answering = 0, False, bool(self.job.ends)
        self.last_laps, self.going, self.flipped, self.opened_ns = set(), set(), False, now_ns

    def begun(self, done_ns: int) -> None:
        """The switch has begun what it was asked to begin."""
        self.stretches = {
            number: stretch if stretch.begun_ns is not None else replace(stretch, begun_ns=done_ns)
            for number, stretch in self.stretches.items()
        }

    def stop(self, asked_ns: int, done_ns: int) -> None:
        """Stops the job: no frame is due from some time on, between a request and its answer."""
        self.stretches = {
            number: replace(stretch, stopping_ns=asked_ns, stopped_ns=done_ns)
            for number, stretch in self.stretches.items()
        }
        self.stopped, self.answering = True, False

    def change(self, stream: PlannedStream, sent: int, now_ns: int) -> None:
        """Continues with another stream from now on, after so many frames."""
        loaded, old = self.job.streams[stream.id], self.stretches[stream.id]
        self.stretches[stream.id] = replace(
            old,
            planned=stream,
            staging=loaded.staging,
            began_ns=now_ns,
            begun_ns=None,
            before=sent,
            delay=loaded.delay,
        )
        self.last_laps.discard(stream.id)
        self.going.discard(stream.id)

    @property
    def has_versions(self) -> bool:
        """Whether any of its frames carry a version."""
        return any(stream.planned.version for stream in self.job.streams.values())

    def needs_stop(self, now_ns: int) -> bool:
        """Whether time is up for a stream that does not end by itself, or did not end in time."""
        itself = self.limits.keys() - self.laps.keys()
        ends = {
            number: stretch.ends_ns + (_GRACE_NS + stretch.grace_ns if number in itself else 0)
            for number, stretch in self.stretches.items()
            if stretch.ends_ns is not None
        }
        return any(end_ns <= now_ns for end_ns in ends.values())

    def sending(self, number: int, sent: int) -> bool:
        """Whether a stream that has sent so many frames sends more."""
        if self.stopped or number not in self.stretches:
            return False
        limit = self.limits.get(number)
        return limit is None or sent < self.stretches[number].before + limit

    @property
    def laps(self) -> dict[int, Laps]:
        """Streams whose last lap has not been set yet; until then they do not end by themselves."""
        if self.stopped:
            return {}
        found = {number: Laps.of(limit) for number, limit in self.limits.items()}
        return {number: laps for number, laps in found.items() if laps.whole and number not in self.last_laps}

    @property
    def waiting(self) -> set[int]:
        """Streams whose unit has to be told when their delay is over."""
        if self.stopped:
            return set()
        limits = self.limits
        return {
            number
            for number, stretch in self.stretches.items()
            if number not in self.going and needs_word(limits.get(number), stretch.delay)
        }

    @property
    def limits(self) -> dict[int, int]:
        """The number of frames of each stream that ends by itself.

        A pass/skip unit counts them. If the stream's pattern needs that unit, only time ends the stream.
        """
        found = {}
        for number, stretch in self.stretches.items():
            counts = (
                stretch.most is not None or len(self.job.streams[number].staging.stages) < PASS_SKIP_UNITS
            )
            if stretch.limit is not None and counts:
                found[number] = stretch.limit
        return found


def template_numbers(runs: Iterable[SwitchRun]) -> dict[str, list[int]]:
    """The numbers of streams by name; jobs may have streams of the same name."""
    numbers: dict[str, list[int]] = {}
    for run in runs:
        for stream in run.job.streams.values():
            numbers.setdefault(stream.planned.name, []).append(stream.template)
    return numbers
