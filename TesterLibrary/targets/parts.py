# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts that only some testers have. `Target` has each, or None; `base.part_of` refuses a missing one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..errors import TargetError
from ..measurement.capture import StoppedCapture
from ..measurement.captured_frames import CapturedFrames
from ..measurement.query import QuerySummary, RawRow
from ..measurement.snapshot import FlowCounters, StampFlowCounters, StampIntervalCounters
from ..measurement.tester_usage import TesterUsage
from ..model.capture import Capture
from ..model.heading import Heading
from ..model.plan.plan import LearningFrame, Plan, PlannedStream
from ..model.plan.planned_query import PlannedQuery
from ..model.ports import Address
from ..model.units.units import Duration

StampRecords = tuple[tuple[StampFlowCounters, ...], tuple[StampIntervalCounters, ...]]


class TargetCaptures(Protocol):
    """Copies frames, whatever jobs are loaded, started and unloaded meanwhile."""

    def start(self, capture: Capture) -> None:
        """Copies frames from now on."""
        ...

    def stop(self, name: str) -> StoppedCapture:
        """Stops copying frames and keeps those that were copied. It may be repeated."""
        ...

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """The frames that a stopped capture has kept, by ascending time."""
        ...

    def forget(self, name: str) -> None:
        """Stops a capture and deletes the frames that it has kept."""
        ...


class TargetQueries(Protocol):
    """Counts packets by keys, whatever jobs are loaded, started and unloaded meanwhile."""

    def start(self, query: PlannedQuery) -> None:
        """Counts packets from now on."""
        ...

    def stop(self, name: str) -> None:
        """Stops counting and keeps what was counted. It may be repeated."""
        ...

    def read(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """A query up to now, or until it was stopped, with all its rows by ascending keys.

        Args:
            name: The query.
            top: The number of rows to read: those with the greatest results come first; 0: none.
            keys: Only the row with these keys, if it exists.
        """
        ...

    def forget(self, name: str) -> None:
        """Stops a query and deletes what it has counted."""
        ...


class TargetFlows(Protocol):
    """Counts the flows of streams."""

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """Counters of the flows of a stream, in chunks, while it runs."""
        ...


class TargetStamps(Protocol):
    """Counts stamped packets by flows and by intervals."""

    def read(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:
        """Flows and intervals of one direction of stamps, in chunks, while packets are stamped."""
        ...


class TargetFrames(Protocol):
    """Sends single frames, which belong to no stream."""

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """Sends frames once, unchanged and in order."""
        ...

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """The MAC address of a neighbour. Inconclusive if it does not answer."""
        ...


@dataclass(frozen=True)
class LeaseTerms:
    """The terms on which a client asks for the lease of a tester."""

    owner: str  # for others who want it: 1 to 128 characters of ASCII
    ttl: Duration  # 1 s to 1 h: when this process has died, its traffic stops after this time
    force: bool = False  # takes it from its holder, and ends all jobs and captures of the tester


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


class TargetLeases(Protocol):
    """Gives one process at a time the right to use a tester that several can reach."""

    def acquire(self, terms: LeaseTerms) -> LeaseHolder | None:
        """Makes this process the only user of the tester, until the target is closed or this process dies.

        Returns the holder from whom it was taken by force. LeaseError if another process has it.
        """
        ...

    def holder(self) -> LeaseHolder | None:
        """Who may use the tester now; None if no client holds a lease."""
        ...

    def is_free(self) -> bool:
        """Whether a client without a lease may use the tester now."""
        ...


class TargetClock(Protocol):
    """The time of a tester that does not run by the clock of this machine."""

    @property
    def now_ns(self) -> int:
        """Its time."""
        ...

    def advance(self, duration: Duration) -> None:
        """Lets time pass."""
        ...


class JobGone(TargetError):
    """A job that this session has loaded is not loaded any more."""


class InstantPassed(TargetError):
    """An order came after the instant that was agreed for it. Nothing was started."""


class TargetInstants(Protocol):
    """Starts jobs at an instant of the clock, and loads streams whose other end is another tester."""

    def read_ns(self) -> int:
        """The tester's clock."""
        ...

    def start(
        self,
        jobs: Sequence[str],
        *,
        at_ns: int,
        duration: Duration | None = None,
        packets: int | None = None,
    ) -> None:
        """Starts loaded jobs as `Target.start` does. First frames are due at `at_ns` of the tester's clock.

        InstantPassed if the order comes too late; nothing is started then.
        """
        ...


class TargetClocks(Protocol):
    """The clocks of several testers."""

    def error_ns(self, stream: PlannedStream) -> int:
        """By how much delays of a loaded stream may be wrong, because two clocks measure them."""
        ...


class TargetDevice(Protocol):
    """The device under test, where it is part of the tester."""

    def reset(self) -> None:
        """Resets the device."""
        ...


class TargetPlanner(Protocol):
    """The planner of testers with limits that a neutral plan does not know."""

    def check(self, plan: Plan) -> None:
        """PlanError for a plan that this tester can never load, whatever else it has loaded."""
        ...


class TargetUsage(Protocol):
    """Memory, descriptors and packet buffers of the tester's process."""

    def read(self) -> TesterUsage:
        """The usage at this moment."""
        ...
