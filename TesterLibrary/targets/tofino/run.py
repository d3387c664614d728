# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a driver knows of a loaded job and its switch does not: when it began, and what was due since."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil

from ...model.plan import PlannedStream
from ...model.units import Duration
from ...planning.staging import Staging
from ...planning.switch_resources import PASS_SKIP_UNITS
from .job import SwitchJob
from .laps import Laps

_GRACE_NS = 10**9  # for the last frames of a stream that ends by itself


@dataclass(frozen=True)
class Stretch:
    """A stream since its start, or since it was changed. Times are nanoseconds of the driver's clock."""

    planned: PlannedStream
    staging: Staging
    began_ns: int
    ends_ns: int | None = None  # nothing is due any more
    most: int | None = None  # frames of all stretches together
    before: int = 0  # frames of earlier stretches
    stopped_ns: int | None = None

    def intended(self, now_ns: int) -> int:
        """Frames that were due: by its law when its time is over, until then by ticks of the meter."""
        until_ns = now_ns if self.stopped_ns is None else min(now_ns, self.stopped_ns)
        if self.limit is not None and self.ends_ns is not None and until_ns >= self.ends_ns:
            return self.before + self.limit
        ticks = 1 + int((until_ns - self.began_ns) * self.staging.meter_rate / 10**9)
        due = self.staging.departures(ticks)
        return self.before + (due if self.limit is None else min(due, self.limit))

    def until_ns(self, now_ns: int) -> int:
        """When its last frame leaves at the latest, or now."""
        ends = [own for own in (self.stopped_ns, self.ends_ns) if own is not None]
        if self.limit is not None:
            ends.append(self.began_ns + ceil(self.limit * 10**9 / self.staging.rate))
        return min([now_ns, *ends])

    @property
    def limit(self) -> int | None:
        """Frames that this stretch sends at most; None: until it is stopped."""
        last = self.most if self.most is None else self.most - self.before
        total = self.planned.departures.total
        due = None if self.ends_ns is None else self.planned.frames_due(self.ends_ns - self.began_ns)
        return min((own for own in (last, total, due) if own is not None), default=None)


@dataclass
class Run:
    """A loaded job."""

    job: SwitchJob
    stretches: dict[int, Stretch] = field(default_factory=dict)  # by stream; none before the first start
    version: int = 0
    answering: bool = False
    stopped: bool = True
    last_laps: set[int] = field(default_factory=set)  # streams that are told of their last lap
    flipped: bool = False  # by whoever reads versions, since the start
    opened_ns: int = 0  # when frames began to leave in the version that is open

    def start(self, now_ns: int, duration: Duration | None, packets: int | None) -> None:
        """Counts from 0."""
        ends_ns = None if duration is None else now_ns + duration.ns
        self.stretches = {
            number: Stretch(own.planned, own.staging, now_ns, ends_ns, packets)
            for number, own in self.job.streams.items()
        }
        self.version, self.stopped, self.answering = 0, False, bool(self.job.ends)
        self.last_laps, self.flipped, self.opened_ns = set(), False, now_ns

    def stop(self, now_ns: int) -> None:
        """Nothing is due from now on."""
        self.stretches = {number: replace(own, stopped_ns=now_ns) for number, own in self.stretches.items()}
        self.stopped, self.answering = True, False

    def change(self, stream: PlannedStream, sent: int, now_ns: int) -> None:
        """Another stream goes on from now on, after so many frames."""
        staging = self.job.streams[stream.id].staging
        old = self.stretches[stream.id]
        self.stretches[stream.id] = replace(
            old, planned=stream, staging=staging, began_ns=now_ns, before=sent
        )
        self.last_laps.discard(stream.id)

    @property
    def has_versions(self) -> bool:
        """Whether its frames say in which version they leave."""
        return any(own.planned.version for own in self.job.streams.values())

    def needs_stop(self, now_ns: int) -> bool:
        """Whether time is up for a stream that does not end by itself, or has not in time."""
        itself = self.limits.keys() - self.laps.keys()
        return any(
            own.ends_ns is not None and own.ends_ns + (_GRACE_NS if number in itself else 0) <= now_ns
            for number, own in self.stretches.items()
        )

    def sending(self, number: int, sent: int) -> bool:
        """Whether a stream that has sent so many frames sends more."""
        if self.stopped or number not in self.stretches:
            return False
        limit = self.limits.get(number)
        return limit is None or sent < self.stretches[number].before + limit

    @property
    def laps(self) -> dict[int, Laps]:
        """Streams that have not been told of their last lap, without which they do not end by themselves."""
        if self.stopped:
            return {}
        found = {number: Laps.of(limit) for number, limit in self.limits.items()}
        return {number: own for number, own in found.items() if own.whole and number not in self.last_laps}

    @property
    def limits(self) -> dict[int, int]:
        """How many frames each stream sends, of those that end by themselves.

        What counts them is a unit that a pattern may need; then only its time ends a stream.
        """
        found = {}
        for number, own in self.stretches.items():
            counts = own.most is not None or len(self.job.streams[number].staging.stages) < PASS_SKIP_UNITS
            if own.limit is not None and counts:
                found[number] = own.limit
        return found
