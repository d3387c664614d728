# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Merges snapshots of the joined testers into one.

Departures of a stream are its sender's, arrivals its receiver's, and frames that went astray are those of all
testers. Times are on the clock of the first tester.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ...measurement.capture import CaptureCounters
from ...measurement.counter import total
from ...measurement.job_counters import JobCounters
from ...measurement.snapshot import Snapshot, StreamCounters, VersionCounters

_LCORES = 1 << 10  # numbers of workers for each tester


@dataclass(frozen=True)
class MemberSnapshot:
    """The counters of one tester."""

    name: str
    snapshot: Snapshot
    shift_ns: int  # from its clock to that of the first tester

    def with_departures(self, later: MemberSnapshot) -> MemberSnapshot:
        """The snapshot with what a later one has of the frames that the tester sent."""
        by_id = {stream.id: stream for stream in later.snapshot.streams}
        streams = tuple(sent_as(by_id[stream.id], stream) for stream in self.snapshot.streams)
        return replace(self, snapshot=replace(self.snapshot, streams=streams))


@dataclass(frozen=True)
class StreamPlaces:
    """The names of the testers that send and receive a stream."""

    sender: str
    receiver: str


def merged(
    parts: Sequence[MemberSnapshot], places: Mapping[int, StreamPlaces], ports: Sequence[str]
) -> Snapshot:
    """The snapshot of all testers.

    Args:
        parts: Their snapshots; the clock of the first one is that of the result.
        places: The testers of loaded streams, by ids.
        ports: The names of all ports, in the order of the result.
    """
    first = parts[0].snapshot
    by_name = {counters.name: counters for part in parts for counters in part.snapshot.ports}
    streams: dict[int, dict[str, StreamCounters]] = {}
    for part in parts:
        for stream in part.snapshot.streams:
            streams.setdefault(stream.id, {})[part.name] = _shifted(stream, part.shift_ns)
    clocks = {part.name: part.snapshot.clock for part in parts}
    return Snapshot(
        taken_at_ns=first.taken_at_ns,
        ports=tuple(by_name[name] for name in ports if name in by_name),
        streams=tuple(
            merged_stream(streams[number], places[number]) for number in sorted(streams) if number in places
        ),
        workers=tuple(
            replace(worker, lcore=worker.lcore + _LCORES * place)
            for place, part in enumerate(parts)
            for worker in part.snapshot.workers
        ),
        clock=first.clock,
        clocks={name: clock for name, clock in clocks.items() if clock is not None},
        captures=tuple(_capture(c, part.shift_ns) for part in parts for c in part.snapshot.captures),
        ends=tuple(chain.from_iterable(part.snapshot.ends for part in parts)),
        jobs=_jobs(parts),
        paths=tuple(chain.from_iterable(part.snapshot.paths for part in parts)),
        stamps=tuple(chain.from_iterable(part.snapshot.stamps for part in parts)),
        queries=tuple(chain.from_iterable(part.snapshot.queries for part in parts)),
        mixed={client: why for part in parts for client, why in part.snapshot.mixed.items()},
    )


def merged_stream(counters: Mapping[str, StreamCounters], places: StreamPlaces) -> StreamCounters:
    """The counters of one stream, from those that testers have of it."""
    sent = counters[places.sender]
    received = counters.get(places.receiver, sent)
    one = sent if places.sender == places.receiver else _between(sent, received)
    if len(counters) == 1:
        return one
    everyone = tuple(counters.values())
    return replace(
        one,
        rx_misrouted=total(stream.rx_misrouted for stream in everyone),
        rx_misrouted_ports=tuple(chain.from_iterable(stream.rx_misrouted_ports for stream in everyone)),
        rx_misrouted_by_port=_chained(stream.rx_misrouted_by_port for stream in everyone),
        rx_misrouted_behind=_chained(stream.rx_misrouted_behind for stream in everyone),
        rx_misrouted_damaged=_chained(stream.rx_misrouted_damaged for stream in everyone),
    )


def _between(sent: StreamCounters, received: StreamCounters) -> StreamCounters:
    """The counters of a stream that one tester sends and another receives.

    The receiver does not know when the sender paused, and with which version a frame left.
    """
    return replace(sent_as(sent, received), rx_version_rewritten=None, rx_lost_crowded=None)


def sent_as(sent: StreamCounters, received: StreamCounters) -> StreamCounters:
    """Counters of departures from one reading, and of arrivals from another."""
    return replace(
        received,
        intended_packets=sent.intended_packets,
        given_up_packets=sent.given_up_packets,
        tx_packets=sent.tx_packets,
        tx_bytes=sent.tx_bytes,
        first_tx_ns=sent.first_tx_ns,
        last_tx_ns=sent.last_tx_ns,
        worst_lateness_ns=sent.worst_lateness_ns,
        departures=sent.departures,
        sending=sent.sending,
        open_version=sent.open_version,
        versions=tuple(map(_version, sent.versions, received.versions)),
    )


def _version(sent: VersionCounters, received: VersionCounters) -> VersionCounters:
    return replace(received, tx_packets=sent.tx_packets, tx_bytes=sent.tx_bytes, tx_time_ns=sent.tx_time_ns)


def _chained(counts: Iterable[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    every = list(counts)
    numbers = [count for count in every if count is not None]
    return tuple(chain.from_iterable(numbers)) if len(numbers) == len(every) else None


def _shifted(stream: StreamCounters, shift_ns: int) -> StreamCounters:
    """The counters with their times on another clock; 0 is no time."""
    if not shift_ns:
        return stream
    outages = stream.outages
    if outages is not None and outages.longest_start_ns:
        outages = replace(outages, longest_start_ns=outages.longest_start_ns + shift_ns)
    return replace(
        stream,
        first_tx_ns=_time(stream.first_tx_ns, shift_ns),
        last_tx_ns=_time(stream.last_tx_ns, shift_ns),
        first_rx_ns=_time(stream.first_rx_ns, shift_ns),
        last_rx_ns=_time(stream.last_rx_ns, shift_ns),
        outages=outages,
    )


def _time(time_ns: int, shift_ns: int) -> int:
    return time_ns + shift_ns if time_ns else 0


def _capture(capture: CaptureCounters, shift_ns: int) -> CaptureCounters:
    return replace(capture, triggered_ns=_time(capture.triggered_ns, shift_ns))


def _jobs(parts: Sequence[MemberSnapshot]) -> tuple[JobCounters, ...]:
    records: dict[str, list[JobCounters]] = {}
    for part in parts:
        for job in part.snapshot.jobs:
            shifted = replace(
                job,
                started_at_ns=_time(job.started_at_ns, part.shift_ns),
                stopped_at_ns=_time(job.stopped_at_ns, part.shift_ns),
            )
            records.setdefault(job.name, []).append(shifted)
    return tuple(map(_job, records.values()))


def _job(records: Sequence[JobCounters]) -> JobCounters:
    """One record of a job. A tester that was stopped or changed by somebody else speaks for all."""
    stopped = [job for job in records if job.stopped_at_ns]
    stop = next((job for job in stopped if job.stopped_by), stopped[0] if stopped else records[0])
    updated = max(records, key=lambda job: (bool(job.updated_by), job.updates))
    return replace(
        records[0],
        starts=max(job.starts for job in records),
        started_by=next((job.started_by for job in records if job.started_by), ""),
        stopped_at_ns=stop.stopped_at_ns,
        stopped_by=stop.stopped_by,
        stopped_streams=tuple(sorted({number for job in stopped for number in job.stopped_streams})),
        updates=updated.updates,
        updated_by=updated.updated_by,
        polls=tuple(chain.from_iterable(job.polls for job in records)),
    )
