# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Integer counters of a tester at one instant. `counters.proto` defines each; its classes are made from that.

A counter that may be None is None where the target does not count it; `counter.py` names those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from .._generated.tester.v1.counters import (
    ClockCounters,
    DepartureCounters,
    DurationCounters,
    EndCounters,
    FieldCounters,
    FieldExampleCounters,
    FlowCounters,
    IcmpErrorCounters,
    LatencyCounters,
    OrderCounters,
    OutageCounters,
    PathCounters,
    PathDirectionCounters,
    PathEventCounters,
    PortCounters,
    PortVersionCounters,
    QueryCounters,
    StampCounters,
    StampDirectionCounters,
    StampFlowCounters,
    StampIntervalCounters,
    StreamCounters,
    VariationCounters,
    VersionCounters,
    WorkerCounters,
)
from .capture import CaptureCounters
from .job_counters import JobCounters

__all__ = [
    "ClockCounters",
    "DepartureCounters",
    "DurationCounters",
    "EndCounters",
    "FieldCounters",
    "FieldExampleCounters",
    "FlowCounters",
    "IcmpErrorCounters",
    "LatencyCounters",
    "OrderCounters",
    "OutageCounters",
    "PathCounters",
    "PathDirectionCounters",
    "PathEventCounters",
    "PortCounters",
    "PortVersionCounters",
    "Snapshot",
    "StampCounters",
    "StampDirectionCounters",
    "StampFlowCounters",
    "StampIntervalCounters",
    "StreamCounters",
    "VariationCounters",
    "VersionCounters",
    "WorkerCounters",
    "without_signature",
]


@dataclass(frozen=True)
class Snapshot:
    """Everything a target counts, read at one instant of its own clock."""

    taken_at_ns: int
    ports: tuple[PortCounters, ...] = ()
    streams: tuple[StreamCounters, ...] = ()
    workers: tuple[WorkerCounters, ...] = ()  # none where the target has none
    clock: ClockCounters | None = None  # of several testers: that whose time `taken_at_ns` is
    clocks: Mapping[str, ClockCounters] = field(default_factory=dict)  # of several testers, by their names
    captures: tuple[CaptureCounters, ...] = ()
    ends: tuple[EndCounters, ...] = ()
    jobs: tuple[JobCounters, ...] = ()
    paths: tuple[PathCounters, ...] = ()
    stamps: tuple[StampCounters, ...] = ()
    queries: tuple[QueryCounters, ...] = ()
    mixed: Mapping[str, str] = field(default_factory=dict)  # by clients, why their flows may be mixed up

    def job(self, name: str) -> JobCounters | None:
        """The record of one job; None where the target does not tell."""
        return next((job for job in self.jobs if job.name == name), None)

    def end(self, job: str, name: str) -> EndCounters:
        """The counters of one end of a job. KeyError if the snapshot has none of that name."""
        for end in self.ends:
            if (end.job, end.name) == (job, name):
                return end
        raise KeyError(f"no end {name!r} of {job!r} in the snapshot; it has {[e.name for e in self.ends]}")

    def path(self, job: str, name: str) -> PathCounters:
        """The counters of one path of a job. KeyError if the snapshot has none of that name."""
        for path in self.paths:
            if (path.job, path.name) == (job, name):
                return path
        raise KeyError(f"no path {name!r} of {job!r} in the snapshot; it has {[p.name for p in self.paths]}")

    def stamped(self, job: str, name: str) -> StampCounters:
        """The counters of stamps of a job. KeyError if the snapshot has none of that name."""
        for stamps in self.stamps:
            if (stamps.job, stamps.name) == (job, name):
                return stamps
        raise KeyError(
            f"no stamps {name!r} of {job!r} in the snapshot; it has {[s.name for s in self.stamps]}"
        )

    def port(self, name: str) -> PortCounters:
        """The counters of one port. KeyError if the snapshot has none of that name."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(f"no port {name!r} in the snapshot; it has {[p.name for p in self.ports]}")

    def stream(self, stream_id: int) -> StreamCounters:
        """The counters of one stream. KeyError if the snapshot has none of that id."""
        found = self._streams_by_id.get(stream_id)
        if found is None:
            raise KeyError(f"no stream {stream_id} in the snapshot; it has {[s.id for s in self.streams]}")
        return found

    @cached_property
    def _streams_by_id(self) -> dict[int, StreamCounters]:
        return {stream.id: stream for stream in self.streams}


def without_signature(counters: StreamCounters) -> StreamCounters:
    """The counters of frames that cannot be told apart: everything that needs a signature is None."""
    return replace(
        counters,
        rx_misrouted=None,
        rx_misrouted_by_port=None,
        rx_misrouted_behind=None,
        rx_out_of_order=None,
        rx_version_rewritten=None,
        rx_corrupted=None,
        rx_wrong_length=None,
        rx_fragments=None,
        rx_wrong_headers=None,
        order=OrderCounters(),
        outages=None,
        variation=None,
        rx_lost_crowded=None,
    )
