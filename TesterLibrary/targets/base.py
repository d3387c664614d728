# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of every tester, which a driver implements and does not extend.

The contract of each call is in `proto/tester/v1/control.proto`; `tests/contract` holds every target to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..errors import TargetError
from ..measurement.capture import StoppedCapture
from ..measurement.captured_frames import CapturedFrames
from ..measurement.counter import Counter
from ..measurement.delays.latency_error import OF_ENGINE, PercentileError
from ..measurement.query import QuerySummary, RawRow
from ..measurement.snapshot import (
    FlowCounters,
    Snapshot,
    StampFlowCounters,
    StampIntervalCounters,
    StreamCounters,
)
from ..model.capture import Capture
from ..model.heading import Heading
from ..model.plan.plan import LearningFrame, Plan, PlannedStream
from ..model.plan.planned_query import Matcher, PlannedQuery
from ..model.ports import Address
from ..model.units.units import Duration


def still_sending(jobs: Sequence[str], timeout: Duration) -> TargetError:
    """The error of a `wait` that was over before its jobs."""
    return TargetError(
        f"the tester is late: jobs {', '.join(jobs)} were still sending after {timeout}; it was stopped, or "
        "has too little time on its CPU"
    )


StampRecords = tuple[tuple[StampFlowCounters, ...], tuple[StampIntervalCounters, ...]]


@dataclass(frozen=True)
class PortInfo:
    """A port as the target knows it."""

    name: str
    driver: str
    driver_reason: str
    mac: bytes
    link_speed_bps: int  # 0 where the link does not know
    link_up: bool
    max_frame_size: int  # bytes, FCS included
    interface: str = ""
    notes: tuple[str, ...] = ()  # settings of the port that are bad for a tester
    reorders: str = ""  # why received frames of several flows may be reordered; empty: they are not
    loses_tags: str = ""  # why received frames may have lost a VLAN tag; empty: they have not
    gets_unfinished: str = ""  # why packets of a host may arrive as none is on a cable; empty: they do not
    rehearses: bool | None = None  # whether the kernel's code for sending is kept warm; None: it is not used


@dataclass(frozen=True)
class Capabilities:
    """The target's identity and limits. They do not change while the target is open."""

    target: str  # "engine", "fake", "tofino"
    version: str
    ports: tuple[PortInfo, ...]
    max_streams: int
    max_ends: int = 0  # responders and clients
    max_end_flows: int = 0  # flows of all of them at one time
    details: str = ""  # one line for the report: driver library, CPUs, process
    counts: frozenset[Counter] = frozenset()  # counters that are not in it are None in every record
    percentile_error: PercentileError = OF_ENGINE  # the largest error of a percentile of latency
    time_step_ns: int = 0  # by how much a time that is summed up for blind delays can be off
    max_paths: int = 0  # between its ports; 0: it does not forward the frames of others
    max_stamps: int = 0  # groups of stamps; 0: it has none
    matcher: Matcher = Matcher.ENGINE  # of its queries
    planner: str = ""  # as `tester plan --target` calls its kind, if that refuses protocols; else empty

    def port(self, name: str) -> PortInfo:
        """The port of that name. KeyError names those there are."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(f"the tester has no port {name!r}; it has {', '.join(p.name for p in self.ports)}")


@dataclass(frozen=True)
class SendingProgress:
    """The progress of running jobs: frames, summed over their streams."""

    tx_packets: int
    rx_packets: int
    intended_packets: int
    sending: bool

    @classmethod
    def of(cls, counters: Collection[StreamCounters]) -> SendingProgress:
        """The progress of these streams."""
        return cls(
            tx_packets=sum(counter.tx_packets for counter in counters),
            rx_packets=sum(counter.rx_packets for counter in counters),
            intended_packets=sum(counter.intended_packets for counter in counters),
            sending=any(counter.sending for counter in counters),
        )


@dataclass(frozen=True)
class LeaseTerms:
    """The terms on which a client asks for the lease of a tester."""

    owner: str  # for others who want it: 1 to 128 characters of ASCII
    ttl: Duration  # 1 s to 1 h: so long after this process has died its traffic stops
    force: bool = False  # takes it from whoever has it, and ends all jobs and captures there are


@dataclass(frozen=True)
class LeaseHolder:
    """Who may use a tester now."""

    number: int  # higher than that of every earlier lease of the tester
    owner: str
    client: str  # program, user, machine and process; certificate and address where there are such
    since: datetime
    until: datetime  # unless it is renewed
    ttl: Duration

    def __str__(self) -> str:
        times = f"{self.since:%Y-%m-%d %H:%M:%S} UTC, until {self.until:%H:%M:%S} UTC unless it is renewed"
        return f"{self.owner!r} ({self.client}) since {times}"


@dataclass(frozen=True)
class Flipped:
    """The time at which streams changed their version, on the target's clock, and the version before."""

    at_ns: int
    closed_version: int  # 0 or 1


class Target(Protocol):
    """A network tester. Every call raises TargetError when the tester is broken, gone or late, and
    PlanError when it refuses what it was asked, after which nothing has changed."""

    def capabilities(self) -> Capabilities:
        """The target's name, version, ports and limits."""
        ...

    def lease(self, terms: LeaseTerms) -> LeaseHolder | None:
        """Makes this process the only one that may use the tester, until it is closed or this process dies.

        Returns from whom it was taken by force. LeaseError if somebody else has it.
        """
        ...

    def load(self, plan: Plan) -> None:
        """Adds a job beside those loaded; its counters are 0, nothing is sent."""
        ...

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """Starts loaded jobs together: streams for a time, for so many frames each, or until stopped;
        responders and clients until stopped, with no flows and counters of 0."""
        ...

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """Stops jobs: when it returns, no further frame of them leaves.

        Flows that are open are ended as their tables say, for a second at most; `abandon` leaves them open.
        """
        ...

    def update(self, job: str, stream: PlannedStream) -> None:
        """Replaces the stream with the same id, also while it runs; counters go on.

        The new stream begins with frame 0 of its departures. Ports, signature and its sum have to stay.
        """
        ...

    def unload(self, jobs: Sequence[str]) -> None:
        """Stops and forgets jobs."""
        ...

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """Returns when none of the jobs is sending. TargetError after the timeout."""
        ...

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        """Counters of these jobs, or of all of them and of queries, and of all ports and workers.

        Without buckets streams may have neither their distributions nor the errors of their departures, which
        take time to read: counts, sums and extremes of latencies and reordering are there.
        """
        ...

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """Changes the version of all streams that have one; no more frames leave in the closed version."""
        ...

    def flows(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """Counters of the flows of a stream, in chunks, while it runs."""
        ...

    def stamp_records(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:
        """Flows and intervals of one direction of stamps, in chunks, while packets are stamped."""
        ...

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """Sends frames once, as they are and in order."""
        ...

    def start_capture(self, capture: Capture) -> None:
        """Copies frames from now on, whatever jobs are loaded, started and unloaded meanwhile."""
        ...

    def stop_capture(self, name: str) -> StoppedCapture:
        """Stops copying frames and keeps those that were copied. It may be repeated."""
        ...

    def read_capture(self, name: str) -> Iterator[CapturedFrames]:
        """The frames that a stopped capture has kept, by ascending time."""
        ...

    def forget_capture(self, name: str) -> None:
        """Stops a capture and deletes the frames that it has kept."""
        ...

    def start_query(self, query: PlannedQuery) -> None:
        """Counts packets by keys from now on, whatever jobs are loaded, started and unloaded meanwhile."""
        ...

    def stop_query(self, name: str) -> None:
        """Stops counting and keeps what was counted. It may be repeated."""
        ...

    def read_query(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """A query so far, or until it was stopped, with all its rows by ascending keys.

        Args:
            name: The query.
            top: Only so many rows, those with the greatest results first; 0: none.
            keys: Only the row with these keys, if there is one.
        """
        ...

    def forget_query(self, name: str) -> None:
        """Stops a query and deletes what it has counted."""
        ...

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """The MAC address of a neighbour. Inconclusive if nobody answers."""
        ...

    def close(self) -> None:
        """Ends the target if this library started it, otherwise leaves it as it was found. Never raises."""
        ...
