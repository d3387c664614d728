# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters from messages of `counters.proto`, by the readers that are generated with their classes."""

from __future__ import annotations

import dataclasses

from ..._generated.tester.v1 import counters_pb2
from ...measurement.capture import CaptureCounters
from ...measurement.job_counters import JobCounters
from ...measurement.query import QueryCounters
from ...measurement.snapshot import (
    ClockCounters,
    EndCounters,
    PathCounters,
    PortCounters,
    Snapshot,
    StampCounters,
    StampFlowCounters,
    StampIntervalCounters,
    StreamCounters,
    WorkerCounters,
)
from ..parts import StampRecords


def snapshot_value(snapshot: counters_pb2.Snapshot, client: str) -> Snapshot:
    """Counters as they are. `client` is how the tester names who asks."""
    return Snapshot(
        taken_at_ns=snapshot.taken_at_ns,
        ports=tuple(map(PortCounters.from_message, snapshot.ports)),
        streams=tuple(map(_stream, snapshot.streams)),
        workers=tuple(map(WorkerCounters.from_message, snapshot.workers)),
        clock=ClockCounters.from_message(snapshot.clock),
        ends=tuple(map(EndCounters.from_message, snapshot.responders)),
        captures=tuple(map(CaptureCounters.from_message, snapshot.captures)),
        jobs=tuple(_job(job, client) for job in snapshot.jobs),
        paths=tuple(map(PathCounters.from_message, snapshot.paths)),
        stamps=tuple(map(StampCounters.from_message, snapshot.stamps)),
        queries=tuple(map(QueryCounters.from_message, snapshot.queries)),
    )


def _stream(message: counters_pb2.StreamCounters) -> StreamCounters:
    stream = StreamCounters.from_message(message)
    if len(message.rx_misrouted_behind) == len(message.rx_misrouted_ports):
        return stream
    return dataclasses.replace(stream, rx_misrouted_behind=None)


def _job(message: counters_pb2.JobCounters, client: str) -> JobCounters:
    def others(name: str) -> str:
        return "" if name.startswith(client) else name

    job = JobCounters.from_message(message)
    return dataclasses.replace(
        job,
        started_by=others(job.started_by),
        stopped_by=others(job.stopped_by),
        updated_by=others(job.updated_by),
    )


def stamp_records_value(records: counters_pb2.StampRecords) -> StampRecords:
    """A chunk of the flows and intervals of stamps."""
    return (
        tuple(map(StampFlowCounters.from_message, records.flows)),
        tuple(map(StampIntervalCounters.from_message, records.intervals)),
    )
