# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of loaded streams, as snapshots have them, over many flips.

A switch's times are of 32 bits and of its own clock. They are put on the driver's: a run's first frame left
when the run was started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from ...measurement.snapshot import StreamCounters, VersionCounters
from .bases import Bases
from .entry import Entry
from .loaded import LoadedStream
from .misrouted import Places, stream_asked
from .readings import (
    Closed,
    Passed,
    StreamRegisters,
    asked,
    buckets,
    cells,
    close,
    departed_asked,
    packets_of,
    reached,
    registers,
    stream_counters,
    unwrapped,
)
from .resets import interval_resets
from .run import Run
from .session import Session

_WORD = 1 << 32
_LONGEST_NS = 4 * 10**9  # of an interval whose sums are right


@dataclass(frozen=True)
class _Seen:
    """Of one direction of a stream, as far as it has been read. Times are of the driver's clock."""

    packets: int = 0
    first_ns: int = 0
    last_ns: int = 0


@dataclass
class _Times:
    """Of a stream since its start."""

    started_ns: int
    opened_ns: tuple[int, int]  # of each version, when frames began to leave in it last
    version: int = 0  # in which they leave now
    base: int | None = None  # low 32 bits of the switch's time of the start
    closed: tuple[Closed, Closed] = (Closed(), Closed())
    tx: _Seen = _Seen()
    rx: _Seen = _Seen()
    following: int = 0  # the number after the highest one that arrived, of as many bits as there are

    @property
    def near_ns(self) -> tuple[int, int]:
        """A time of the switch when the interval of each version began."""
        first, second = ((self.base or 0) + opened - self.started_ns for opened in self.opened_ns)
        return first, second

    def open(self, version: int, done: Closed, now_ns: int) -> None:
        """Frames leave in a version again, of which this has been counted."""
        self.version = version
        self.closed = (done, self.closed[1]) if version == 0 else (self.closed[0], done)
        self.opened_ns = (now_ns, self.opened_ns[1]) if version == 0 else (self.opened_ns[0], now_ns)

    def ended_ns(self, version: int, now_ns: int) -> int:
        """When frames left in a version for the last time at the latest."""
        return now_ns if version == self.version else self.opened_ns[self.version]

    def wrapped(self, version: int, ends_ns: int) -> bool:
        """Whether times of the interval of a version do not fit its sums; nothing leaves after `ends_ns`."""
        return min(self.ended_ns(version, ends_ns), ends_ns) - self.opened_ns[version] >= _LONGEST_NS

    def follow(self, found: StreamRegisters) -> int:
        """The next number of 32 bits as a whole one: arrivals are close behind departures while any come."""
        if sum(own.packets for own in found.rx) != self.rx.packets:
            self.following = unwrapped(found.next_sequence, sum(own.packets for own in found.tx))
        return self.following

    def note(self, found: StreamRegisters, now_ns: int) -> None:
        """What has been read now."""
        firsts = [passed.times.base for passed in found.tx if passed.times.base]
        if self.base is None and firsts:
            self.base = firsts[0]
        if self.base is not None:
            done = self.closed
            self.tx = self._seen(self.tx, found.tx, [own.tx for own in done], now_ns)
            self.rx = self._seen(self.rx, found.rx, [own.rx for own in done], now_ns)

    def _seen(self, before: _Seen, passed: Sequence[Passed], closed: Sequence[Passed], now_ns: int) -> _Seen:
        packets = sum(own.packets for own in passed)
        if packets <= before.packets:
            return before
        counts = [own.packets - done.packets for own, done in zip(passed, closed, strict=True)]
        firsts = [self._onto(own.times.base, now_ns) for own in passed if own.times.base]
        lasts = [
            self._last(version, own, count, now_ns)
            for version, (own, count) in enumerate(zip(passed, counts, strict=True))
            if own.times.base and count
        ]
        first_ns = before.first_ns or min(firsts, default=now_ns)
        return _Seen(packets, first_ns, max([before.last_ns, *lasts]))

    def _last(self, version: int, passed: Passed, packets: int, now_ns: int) -> int:
        """When the last frame of an interval came: as far behind their mean time as the first was before it.

        Sums are those of 32-bit differences. Of a longer interval it is its end, at most a poll late.
        """
        ended_ns = self.ended_ns(version, now_ns)
        if ended_ns - self.opened_ns[version] >= _LONGEST_NS:
            return ended_ns
        return min(now_ns, self._onto(passed.times.base, now_ns) + 2 * passed.times.since // packets)

    def _onto(self, time: int, now_ns: int) -> int:
        """The latest time of the driver's clock that a time of the switch can be."""
        since = (time - (self.base or 0)) % _WORD
        return self.started_ns + since + max(0, now_ns - self.started_ns - since) // _WORD * _WORD


class Counting:
    """Of all streams of a session. `now_ns` is the driver's clock."""

    def __init__(self, session: Session, now_ns: Callable[[], int]) -> None:
        self._session, self._now_ns = session, now_ns
        self._times: dict[int, _Times] = {}  # by template
        self._bases = Bases(session)
        self._places = Places(session)

    def begin(self, run: Run) -> None:
        """Before a job starts, with counters of 0."""
        now_ns = self._now_ns()
        self._places.begin([own.template for own in run.job.streams.values()])
        for own in run.job.streams.values():
            self._times[own.template] = _Times(now_ns, (now_ns, now_ns))
            self._bases.forget(own.template, 0, 1)

    def closing(self, run: Run) -> Iterator[Entry]:
        """Before frames of a job leave in its other version again: sums of that are kept, and begin anew."""
        version = 1 - run.version
        streams = [own for number, own in run.job.streams.items() if number in run.stretches]
        for own, found in zip(streams, self._read(streams), strict=True):
            times = self._times[own.template]
            near_ns, now_ns = times.near_ns[version], self._now_ns()
            wrapped = times.wrapped(version, run.stretches[own.planned.id].until_ns(now_ns))
            closed = times.closed[version]
            done = close(found.tx[version], found.rx[version], closed, near_ns, wrapped=wrapped)
            times.open(version, done, self._now_ns())
            self._bases.forget(own.template, version)
            yield from interval_resets(own, version)

    def passed(self, runs: Sequence[Run]) -> list[StreamCounters]:
        """Of all streams of jobs, by their ids, without a histogram and frames that were misrouted."""
        started = self._started(runs)
        return self._counted(runs, started, self._read(started))

    def streams(self, runs: Sequence[Run], *, misrouted: bool) -> list[StreamCounters]:
        """Of all streams of jobs, by their ids; `misrouted`: whether frames have come to other ports."""
        started = self._started(runs)
        read = self._with_latency(started, self._read(started))
        if misrouted:
            counts = self._session.read([stream_asked(own.template) for own in started])
            read = [
                replace(own, misrouted=packets_of([each])) for own, each in zip(read, counts, strict=True)
            ]
            self._places.look()
        return self._counted(runs, started, read)

    def _started(self, runs: Sequence[Run]) -> list[LoadedStream]:
        return [own for run in runs for number, own in run.job.streams.items() if number in run.stretches]

    def _counted(
        self, runs: Sequence[Run], started: Sequence[LoadedStream], read: Sequence[StreamRegisters]
    ) -> list[StreamCounters]:
        found = {own.template: each for own, each in zip(started, read, strict=True)}
        counted = [
            self._stream(run, own, found[own.template]) if own.template in found else _nothing(own)
            for run in runs
            for own in run.job.streams.values()
        ]
        return sorted(counted, key=lambda own: own.id)

    def departed(self, streams: Sequence[LoadedStream]) -> list[int]:
        """Frames of each stream that have left."""
        return [packets_of(own) for own in self._session.read_each(map(departed_asked, streams))]

    def at_rest(self, own: LoadedStream) -> int:
        """Frames of a stream that is held back: those that were on their way have left, too."""
        sent = self.departed([own])
        while (now := self.departed([own])) != sent:
            sent = now
        return sent[0]

    def _read(self, streams: Sequence[LoadedStream]) -> list[StreamRegisters]:
        found = [registers(own) for own in self._session.read_each(map(asked, streams))]
        found = self._bases.with_bases(streams, found, [self._times[own.template].closed for own in streams])
        now_ns = self._now_ns()
        return [self._noted(own, each, now_ns) for own, each in zip(streams, found, strict=True)]

    def _noted(self, own: LoadedStream, found: StreamRegisters, now_ns: int) -> StreamRegisters:
        """With the number of its next frame as a whole one; frames without a signature have none."""
        times = self._times[own.template]
        following = times.follow(found) if own.planned.signature else 0
        times.note(found, now_ns)
        return replace(found, next_sequence=following)

    def _with_latency(
        self, streams: Sequence[LoadedStream], found: Sequence[StreamRegisters]
    ) -> list[StreamRegisters]:
        """With what of the histograms lies between the least and the greatest latency."""
        numbers = [reached(own, each) for own, each in zip(streams, found, strict=True)]
        read = self._session.read_each(cells(own, each) for own, each in zip(streams, numbers, strict=True))
        return [
            replace(each, histogram=buckets(own, counts))
            for each, own, counts in zip(found, numbers, read, strict=True)
        ]

    def _stream(self, run: Run, own: LoadedStream, found: StreamRegisters) -> StreamCounters:
        times, now_ns = self._times[own.template], self._now_ns()
        sent = sum(passed.packets for passed in found.tx)
        stretch = run.stretches[own.planned.id]
        counted = stream_counters(
            own,
            found,
            times.closed,
            times.near_ns,
            wrapped=[times.wrapped(own, stretch.until_ns(now_ns)) for own in (0, 1)],
            open_version=run.version,
            sending=run.sending(own.planned.id, sent),
        )
        return replace(
            counted,
            intended_packets=stretch.intended(now_ns),
            worst_lateness_ns=_unevenness_ns(own),
            first_tx_ns=times.tx.first_ns,
            last_tx_ns=times.tx.last_ns,
            first_rx_ns=times.rx.first_ns,
            last_rx_ns=times.rx.last_ns,
            rx_misrouted_ports=self._places.of(own.template) if found.misrouted else (),
        )


def _unevenness_ns(own: LoadedStream) -> int:
    """A frame leaves at a tick of the meter, and the meter is ahead of the rate until ticks are skipped."""
    return ceil((1 + own.staging.lead) * 10**9 / own.staging.meter_rate)


def _nothing(own: LoadedStream) -> StreamCounters:
    """Before its first start."""
    both = (VersionCounters(), VersionCounters())
    return StreamCounters(own.planned.id, versions=both if own.planned.version else ())
