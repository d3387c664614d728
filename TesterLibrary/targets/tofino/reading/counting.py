# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of loaded streams for snapshots, over any number of flips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil

from ....measurement.snapshot import OutageCounters, StreamCounters, VersionCounters
from ....planning.switch.parts import whole
from ....planning.switch.steps import Level, is_level
from ..driver.loaded import LoadedStream
from ..driver.run import SwitchRun
from ..entries.entry import TableEntry
from ..entries.misrouted import Places, stream_asked
from ..entries.outages import WRAP_NS, LevelArrivals, came_later, joined
from ..session.session import SwitchSession
from .resets import interval_resets
from .stream_readings import (
    StreamRegisters,
    again,
    asked,
    behind,
    buckets,
    cells,
    close,
    departed_asked,
    numbers_are_exact,
    packets_of,
    reached,
    registers,
    stream_counters,
    undelivered,
)
from .stream_times import StreamTimes, SwitchClock
from .time_bases import Bases

_Found = tuple[LoadedStream, StreamRegisters]


class Counting:
    """The counters of all streams of a session. `now_ns` is the driver's clock."""

    def __init__(self, session: SwitchSession, now_ns: Callable[[], int]) -> None:
        self._session, self._now_ns = session, now_ns
        self._times: dict[int, StreamTimes] = {}  # by template
        self._bases = Bases(session)
        self._places = Places(session)

    def begin(self, run: SwitchRun) -> None:
        """Prepares for the start of a job, with counters of 0."""
        self._places.begin([stream.template for stream in run.job.streams.values()])
        clock = SwitchClock()
        for stream in run.job.streams.values():
            begins_ns = run.stretches[stream.planned.id].began_ns + stream.delay_ns
            until = partial(_until_ns, run, stream.planned.id)
            self._times[stream.template] = StreamTimes(begins_ns, (begins_ns, begins_ns), until, clock)
            self._bases.forget(stream.template, 0, 1)

    def closing(self, run: SwitchRun) -> Iterator[TableEntry]:
        """Keeps the sums of a job's other version; yields entries that reset them before its next use."""
        version = 1 - run.version
        streams = [stream for number, stream in run.job.streams.items() if number in run.stretches]
        for stream, found in zip(streams, self._read(streams), strict=True):
            times = self._times[stream.template]
            near_ns, now_ns = times.near_ns[version], self._now_ns()
            wrapped = times.wrapped(version, now_ns)
            closed = times.closed[version]
            done = close(found.tx[version], found.rx[version], closed, near_ns, wrapped=wrapped)
            times.open(version, done, self._now_ns())
            self._bases.forget(stream.template, version)
            yield from interval_resets(stream, version)

    def flipped(self, run: SwitchRun, now_ns: int) -> None:
        """Notes that frames of a job leave in its other version, since now at the latest."""
        for number in run.stretches:
            self._times[run.job.streams[number].template].left_ns = now_ns

    def passed(self, runs: Sequence[SwitchRun]) -> list[StreamCounters]:
        """The counters of all streams of jobs, by id, without histograms and misrouted frames."""
        started = self._started(runs)
        return self._counted(runs, started, self._read(started))

    def streams(self, runs: Sequence[SwitchRun], *, misrouted: bool) -> list[StreamCounters]:
        """The counters of all streams of jobs, by id; `misrouted`: whether frames came to other ports."""
        started = self._started(runs)
        read = self._with_latency(started, self._read(started))
        if misrouted:
            counts = self._session.read([stream_asked(stream.template) for stream in started])
            read = [
                replace(each, misrouted=packets_of([count])) for each, count in zip(read, counts, strict=True)
            ]
            self._places.look()
        return self._counted(runs, started, read)

    def _started(self, runs: Sequence[SwitchRun]) -> list[LoadedStream]:
        return [
            stream for run in runs for number, stream in run.job.streams.items() if number in run.stretches
        ]

    def _counted(
        self, runs: Sequence[SwitchRun], started: Sequence[LoadedStream], read: Sequence[StreamRegisters]
    ) -> list[StreamCounters]:
        found = {loaded.template: each for loaded, each in zip(started, read, strict=True)}
        counted = [
            self._stream(run, stream, found) if stream.template in found else _nothing(stream)
            for run in runs
            for stream in run.job.streams.values()
        ]
        return sorted(counted, key=lambda counters: counters.id)

    def departed(self, streams: Sequence[LoadedStream]) -> list[int]:
        """Frames of each stream that have left."""
        return [packets_of(readings) for readings in self._session.read_each(map(departed_asked, streams))]

    def at_rest(self, streams: Sequence[LoadedStream]) -> list[int]:
        """Frames that held back streams have sent, after those on their way have left too."""
        sent = self.departed(streams)
        while (now := self.departed(streams)) != sent:
            sent = now
        return sent

    def _read(self, streams: Sequence[LoadedStream]) -> list[StreamRegisters]:
        found = [registers(readings) for readings in self._session.read_each(map(asked, streams))]
        found = self._bases.with_bases(
            streams, found, [self._times[stream.template].closed for stream in streams]
        )
        now_ns = self._now_ns()
        return [self._noted(stream, each, now_ns) for stream, each in zip(streams, found, strict=True)]

    def _noted(self, stream: LoadedStream, found: StreamRegisters, now_ns: int) -> StreamRegisters:
        """The registers with unwrapped numbers of frames; they are 0 without a signature."""
        times = self._times[stream.template]
        if stream.planned.signature:
            times.follow(found)
        times.note(found, now_ns)
        outages = replace(found.outages, before=times.before or 0)
        return replace(found, next_sequence=times.following, outages=outages)

    def _with_latency(
        self, streams: Sequence[LoadedStream], found: Sequence[StreamRegisters]
    ) -> list[StreamRegisters]:
        """The registers with the part of the histogram between the least and the greatest latency."""
        numbers = [reached(stream, each) for stream, each in zip(streams, found, strict=True)]
        read = self._session.read_each(
            cells(stream, each) for stream, each in zip(streams, numbers, strict=True)
        )
        return [
            replace(each, histogram=buckets(number, counts))
            for each, number, counts in zip(found, numbers, read, strict=True)
        ]

    def _stream(
        self, run: SwitchRun, stream: LoadedStream, every: Mapping[int, StreamRegisters]
    ) -> StreamCounters:
        """The counters of a stream; `every`: the registers of all streams, by template."""
        found = every[stream.template]
        times, now_ns = self._times[stream.template], self._now_ns()
        sent = sum(passed.packets for passed in found.tx)
        stretch = run.stretches[stream.planned.id]
        earlier = _earlier(run, stream, every)
        counted = stream_counters(
            stream,
            found,
            times.closed,
            times.near_ns,
            wrapped=[times.wrapped(version, now_ns) for version in (0, 1)],
            open_version=run.version,
            sending=run.sending(stream.planned.id, sent),
        )
        if earlier:
            counted = _in_stream(counted, stream, came_later(earlier[-1][1].outages, found.outages))
        return replace(
            counted,
            intended_packets=stretch.intended(now_ns, sent),
            worst_lateness_ns=_lateness_ns(stream) + self._apart_ns(earlier, stream),
            first_tx_ns=times.tx.first_ns,
            last_tx_ns=times.tx.last_ns,
            first_rx_ns=times.rx.first_ns,
            last_rx_ns=found.outages.last_ns(times.rx.first_ns, times.rx.last_ns)
            if counted.rx_packets
            else 0,
            outages=self._outages([*earlier, (stream, found)], now_ns, at_rest=not counted.sending),
            rx_misrouted_ports=self._places.of(stream.template) if found.misrouted else (),
        )

    def _apart_ns(self, earlier: Sequence[_Found], stream: LoadedStream) -> int:
        """By how much the second rate of a step began later or earlier than planned after the first one.

        Entries that let them depart are written one after the other; the chip's clock has seen both begin.
        """
        if not earlier:
            return 0
        first, second = (self._times[one.template] for one in (earlier[0][0], stream))
        if first.base is None or second.base is None:
            return 0
        return abs(second.base - first.base - (second.started_ns - first.started_ns))

    def _outages(self, levels: Sequence[_Found], now_ns: int, *, at_rest: bool) -> OutageCounters | None:
        """The outages of a stream, or of all its rates so far where it is sent in steps."""
        if not all(numbers_are_exact(*level) for level in levels):
            return None
        if any(undelivered(registers) >= 1 << 32 for _, registers in levels):
            return None  # a frame that skips so many numbers seems to skip a few
        if any(self._times[stream.template].before is None for stream, _ in levels):
            return None
        began = next((stream for stream, found in levels if found.outages.first), levels[0][0])
        return self._times[levels[-1][0].template].outage.counters(
            joined([_arrivals(*level) for level in levels], at_rest=at_rest),
            first_ns=self._times[began.template].rx.first_ns,
            now_ns=now_ns,
            missing=sum(_missing(found) for _, found in levels),
            rate=min(stream.staging.rate for stream, _ in levels),
            wrap_ns=WRAP_NS // len(levels),  # from one rate to the next, times may be below 0
        )


def _earlier(run: SwitchRun, stream: LoadedStream, every: Mapping[int, StreamRegisters]) -> list[_Found]:
    """The rates of a step before this one, which have been started with it."""
    if not is_level(stream.planned):
        return []
    parts = run.job.parts(whole(stream.planned.id))
    return [(part, every[part.template]) for number, part in parts.items() if number < stream.planned.id]


def _arrivals(stream: LoadedStream, found: StreamRegisters) -> LevelArrivals:
    law = stream.planned.departures.law
    return LevelArrivals(
        found.outages,
        law.before if isinstance(law, Level) else 0,
        sum(passed.packets for passed in found.tx),
        found.next_sequence,
        _received(found) - behind(found),
    )


def _missing(found: StreamRegisters) -> int:
    """Frames that have not arrived, though later ones have."""
    return found.next_sequence - _received(found) + again(found)


def _received(found: StreamRegisters) -> int:
    return sum(passed.packets for passed in found.rx)


def _until_ns(run: SwitchRun, stream: int, now_ns: int) -> int:
    return run.stretches[stream].until_ns(now_ns)


def _in_stream(counted: StreamCounters, stream: LoadedStream, is_later: bool) -> StreamCounters:
    """The counters of the second rate of a step, in numbers of the stream.

    `is_later`: whether none of its frames came before one of the first rate; else their order is not known.
    """
    law, order = stream.planned.departures.law, counted.order
    assert isinstance(law, Level)
    following = law.before + (order.next_sequence or 0) if counted.rx_packets else 0
    return replace(
        counted,
        rx_out_of_order=counted.rx_out_of_order if is_later else None,
        order=replace(order, next_sequence=following),
    )


def _lateness_ns(stream: LoadedStream) -> int:
    """How late frames can be. The delay of the first one is a whole number of frames.

    Those of the second rate of a step are due since the first one was over, at a rate not quite theirs.
    """
    begin, staging, planned = stream.begin, stream.staging, stream.planned
    if begin.pause_ns is not None:
        off_ns = abs(10**9 / staging.rate - 1 / planned.rate) * (planned.departures.total or 0)
        return ceil(begin.pause_ns + begin.within_ns + off_ns) + staging.lateness_ns
    later_ns = max(0, ceil(stream.delay_ns - stream.planned.departures.due(0)))
    return later_ns + stream.staging.lateness_ns


def _nothing(stream: LoadedStream) -> StreamCounters:
    """The counters of a stream before its first start."""
    both = (VersionCounters(), VersionCounters())
    return StreamCounters(stream.planned.id, versions=both if stream.planned.version else ())
