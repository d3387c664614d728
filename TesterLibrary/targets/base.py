# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of every tester, which a driver implements and does not extend.

The contract of each call is in `proto/tester/v1/control.proto`; `tests/contract` holds every target to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, overload

from ..errors import PlanError, TargetError
from ..measurement.counter import Counter
from ..measurement.delays.latency_error import OF_ENGINE, PercentileError
from ..measurement.snapshot import Snapshot, StreamCounters
from ..model.plan.plan import Plan, PlannedStream
from ..model.plan.planned_query import Matcher
from ..model.units.units import Duration
from .parts import (
    TargetCaptures,
    TargetClock,
    TargetClocks,
    TargetDevice,
    TargetFlows,
    TargetFrames,
    TargetInstants,
    TargetLeases,
    TargetPlanner,
    TargetQueries,
    TargetStamps,
    TargetUsage,
)


def still_sending(jobs: Sequence[str], timeout: Duration) -> TargetError:
    """The error of a `wait` that was over before its jobs."""
    return TargetError(
        f"the tester is late: jobs {', '.join(jobs)} were still sending after {timeout}; it was stopped, or "
        "has too little time on its CPU"
    )


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
    queue_cpus: tuple[int, ...] = ()  # the CPU of the worker that serves each of its queues; empty: not known


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
class Flipped:
    """The time at which streams changed their version, on the target's clock, and the version before."""

    at_ns: int
    closed_version: int  # 0 or 1


class Target(Protocol):
    """A network tester: what every one does. What only some do is a part, or None.

    Every call raises TargetError when the tester is broken, gone or late, and PlanError when it refuses what
    it was asked, after which nothing has changed.
    """

    @property
    def kind(self) -> str:
        """The kind of tester, with its article: `a switch`."""
        ...

    @property
    def captures(self) -> TargetCaptures | None:
        """Copies of frames."""
        ...

    @property
    def queries(self) -> TargetQueries | None:
        """Packets counted by keys."""
        ...

    @property
    def flows(self) -> TargetFlows | None:
        """Counters of the flows of streams."""
        ...

    @property
    def stamps(self) -> TargetStamps | None:
        """Counters of stamped packets by flows and intervals."""
        ...

    @property
    def frames(self) -> TargetFrames | None:
        """Single frames, and questions for neighbours."""
        ...

    @property
    def leases(self) -> TargetLeases | None:
        """The right to use a tester that several can reach."""
        ...

    @property
    def clock(self) -> TargetClock | None:
        """The tester's own time; None: that of this machine."""
        ...

    @property
    def instants(self) -> TargetInstants | None:
        """Starts at agreed instants, and streams that another tester sends or receives."""
        ...

    @property
    def clocks(self) -> TargetClocks | None:
        """The clocks of several testers; None: one clock measures all delays."""
        ...

    @property
    def device(self) -> TargetDevice | None:
        """The device under test, where it is part of the tester."""
        ...

    @property
    def usage(self) -> TargetUsage | None:
        """Memory, descriptors and packet buffers of its process."""
        ...

    @property
    def planner(self) -> TargetPlanner | None:
        """Its own planner; None: what is planned can be loaded, or is refused then."""
        ...

    def capabilities(self) -> Capabilities:
        """The target's name, version, ports and limits."""
        ...

    def load(self, plan: Plan) -> None:
        """Adds a job beside those loaded; its counters are 0, nothing is sent."""
        ...

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """Starts loaded jobs together: streams for a time, for a number of frames each, or until stopped;
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

    def close(self) -> None:
        """Ends the target if this library started it, otherwise removes its own jobs. Never raises."""
        ...


_MISSING = {
    "captures": "captures no frames; use a testerd",
    "queries": "does not count packets by keys; use a testerd",
    "flows": "does not count flows of streams; use a testerd",
    "stamps": "does not count stamped packets by flows or by intervals; use a testerd",
    "frames": "sends no single frames and asks for no MAC address; leave gateway out of the testbed, or use "
    "another tester, such as a testerd",
    "leases": "has no leases, because it has one client at a time; leave out lease, owner and force",
}


@overload
def part_of(target: Target, part: Literal["captures"]) -> TargetCaptures: ...
@overload
def part_of(target: Target, part: Literal["queries"]) -> TargetQueries: ...
@overload
def part_of(target: Target, part: Literal["flows"]) -> TargetFlows: ...
@overload
def part_of(target: Target, part: Literal["stamps"]) -> TargetStamps: ...
@overload
def part_of(target: Target, part: Literal["frames"]) -> TargetFrames: ...
@overload
def part_of(target: Target, part: Literal["leases"]) -> TargetLeases: ...
def part_of(target: Target, part: str) -> object:
    """A part of a target. PlanError if this kind of tester does not have it."""
    value: object = getattr(target, part)
    if value is None:
        raise PlanError(f"{target.kind} {_MISSING[part]}")
    return value
