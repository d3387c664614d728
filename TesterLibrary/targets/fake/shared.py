# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A fake tester that poses as several testers around one device, each with some of its ports.

Each of them counts only what passes its own ports, as testers on different machines do. They share one clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import Protocol

from ...errors import PlanError
from ...measurement.snapshot import FlowCounters, Snapshot
from ...model.plan.plan import Plan, PlannedStream
from ...model.units.units import Duration
from ..base import Capabilities, Flipped, PortInfo, SendingProgress, Target
from ..parts import InstantPassed, TargetFlows
from ..rules.refusal import check_end, known_job
from .own_counters import SharedReading, own_flows


class WholeTester(Target, Protocol):
    """A tester whose clock stands still between calls."""

    @property
    def now_ns(self) -> int:
        """Its time."""
        ...


class SharedFake:
    """The whole tester, and what the testers that it poses as have loaded and asked for."""

    def __init__(self, whole: WholeTester, ports: Mapping[str, Sequence[str]]) -> None:
        """`ports` are those of each tester, by its name."""
        self.whole = whole
        self.turn = RLock()
        self._halves: dict[str, dict[str, Plan]] = {}  # plans by job and tester
        self._starting: dict[tuple[str, ...], set[str]] = {}  # testers by jobs
        self._flipped: dict[tuple[str, ...], tuple[Flipped, set[str]]] = {}
        self._readings: dict[tuple[tuple[str, ...], bool], tuple[SharedReading, set[str]]] = {}
        self.plans: dict[str, Plan] = {}  # that the whole tester has loaded
        self._open = set(ports)
        known = {port.name: port for port in whole.capabilities().ports}
        self.testers = {
            name: FakeMember(self, name, tuple(known[port] for port in names))
            for name, names in ports.items()
        }

    def load(self, name: str, plan: Plan) -> None:
        """One tester loads its half. The whole plan is loaded with the last of them."""
        halves = self._halves.setdefault(plan.job, {})
        if name in halves:
            raise PlanError(f"a job {plan.job!r} is loaded already; unload it first")
        halves[name] = plan
        if len(halves) < len(self.testers):
            return
        whole = _joined(list(halves.values()))
        try:
            self.whole.load(whole)
        except PlanError:
            del halves[name]
            raise
        self.plans[plan.job] = whole

    def start(
        self,
        name: str,
        jobs: Sequence[str],
        *,
        at_ns: int,
        duration: Duration | None,
        packets: int | None,
    ) -> None:
        """Starts with the last tester that is told to."""
        check_end(duration, packets)
        if at_ns <= self.whole.now_ns:
            raise InstantPassed(f"Start: it is {self.whole.now_ns} ns, after the instant {at_ns} ns")
        for job in jobs:
            known_job(job, self.plans)
        told = self._starting.setdefault(tuple(jobs), set())
        told.add(name)
        if len(told) == len(self.testers):
            del self._starting[tuple(jobs)]
            self.whole.start(jobs, duration=duration, packets=packets)

    def stop(self, jobs: Sequence[str], *, abandon: bool) -> None:
        """Stops jobs; one that only some testers were told to start is not started any more."""
        self._starting.pop(tuple(jobs), None)
        self.whole.stop([job for job in jobs if job in self.plans], abandon=abandon)

    def update(self, job: str, stream: PlannedStream) -> None:
        """Changes a stream once, whichever of its testers are told to."""
        plan = known_job(job, self.plans)
        loaded = next((s for s in plan.streams if s.id == stream.id), None)
        if loaded is None:
            raise PlanError(f"job {job!r} has no stream {stream.id}; it has {[s.id for s in plan.streams]}")
        changed = replace(stream, tx_port=loaded.tx_port, rx_port=loaded.rx_port, sender_clock=None)
        if changed != loaded:
            self.whole.update(job, changed)
            streams = tuple(changed if s is loaded else s for s in plan.streams)
            self.plans[job] = replace(plan, streams=streams)

    def unload(self, name: str, jobs: Sequence[str]) -> None:
        """One tester unloads its halves; what the others still have counts nothing any more."""
        self._readings.clear()
        for job in jobs:
            halves = known_job(job, self._halves)
            if halves.pop(name, None) is None:
                raise PlanError(f"no job {job!r} is loaded")
            if self.plans.pop(job, None):
                self.whole.unload([job])
            if not halves:
                del self._halves[job]

    def read(self, name: str, jobs: Sequence[str], *, buckets: bool) -> SharedReading:
        """The counters of the whole tester, read once for all testers that are asked at one time."""
        request = tuple(jobs), buckets
        reading, told = self._readings.get(request, (None, {name}))
        if reading is None or name in told or reading.whole.taken_at_ns != self.whole.now_ns:
            reading, told = SharedReading(self.whole.snapshot(jobs, buckets=buckets), self.plans), set()
        self._readings[request] = reading, {*told, name}
        return reading

    def flip(self, name: str, jobs: Sequence[str]) -> Flipped:
        """Flips once for all testers that are told to."""
        flipped, told = self._flipped.get(tuple(jobs), (None, {name}))
        if flipped is None or name in told:
            flipped, told = self.whole.flip(jobs), set()
        self._flipped[tuple(jobs)] = flipped, {*told, name}
        return flipped

    def close(self, name: str) -> None:
        """The last tester closes the whole."""
        self._open.discard(name)
        if not self._open:
            self.whole.close()


def _joined(halves: Sequence[Plan]) -> Plan:
    """The plan of all halves. PlanError for a stream without one of its ends."""
    streams: dict[int, PlannedStream] = {}
    for half in halves:
        for stream in half.streams:
            known = streams.get(stream.id, stream)
            streams[stream.id] = replace(
                known,
                tx_port=known.tx_port or stream.tx_port,
                rx_port=known.rx_port or stream.rx_port,
                sender_clock=None,
            )
    for stream in streams.values():
        if not (stream.tx_port and stream.rx_port):
            raise PlanError(f"stream {stream.name!r}: no tester has its other end loaded")
    return replace(
        halves[0],
        streams=tuple(streams.values()),
        neighbours=tuple(neighbour for half in halves for neighbour in half.neighbours),
        learning=tuple(frame for half in halves for frame in half.learning),
        ends=tuple(end for half in halves for end in half.ends),
    )


class FakeMember:
    """One of the testers that a fake poses as."""

    kind = "a fake tester"
    stamps = leases = usage = planner = clocks = None

    def __init__(self, shared: SharedFake, name: str, ports: tuple[PortInfo, ...]) -> None:
        self._shared = shared
        self._name = name
        self._ports = ports
        whole = shared.whole
        self.captures, self.queries, self.frames = whole.captures, whole.queries, whole.frames
        self.clock, self.device = whole.clock, whole.device
        self.instants = self
        self.flows = _MemberFlows(self, whole.flows) if whole.flows else None

    @property
    def ports(self) -> frozenset[str]:
        """The names of its ports."""
        return frozenset(port.name for port in self._ports)

    def stream(self, job: str, number: int) -> PlannedStream:
        """A stream of a job that is loaded as a whole."""
        return next(s for s in self._shared.plans[job].streams if s.id == number)

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        return replace(self._shared.whole.capabilities(), ports=self._ports)

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        with self._shared.turn:
            self._shared.load(self._name, plan)

    def read_ns(self) -> int:
        """See `TargetInstants`."""
        return self._shared.whole.now_ns

    def start(
        self,
        jobs: Sequence[str],
        *,
        at_ns: int | None = None,
        duration: Duration | None = None,
        packets: int | None = None,
    ) -> None:
        """See `TargetInstants`. By itself it starts nothing: that takes the order to the other testers."""
        with self._shared.turn:
            at_ns = self.read_ns() + 1 if at_ns is None else at_ns
            self._shared.start(self._name, jobs, at_ns=at_ns, duration=duration, packets=packets)

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`. It stops the streams of all testers."""
        with self._shared.turn:
            self._shared.stop(jobs, abandon=abandon)

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`."""
        with self._shared.turn:
            self._shared.update(job, stream)

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        with self._shared.turn:
            self._shared.unload(self._name, jobs)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        self._shared.whole.wait(jobs, timeout=timeout, on_progress=on_progress)

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        """See `Target`."""
        with self._shared.turn:
            return self._shared.read(self._name, jobs, buckets=buckets).of(self.ports)

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        with self._shared.turn:
            return self._shared.flip(self._name, jobs)

    def close(self) -> None:
        """See `Target`."""
        with self._shared.turn:
            self._shared.close(self._name)


class _MemberFlows:
    """The flows of streams, as far as they pass the ports of one tester."""

    def __init__(self, member: FakeMember, flows: TargetFlows) -> None:
        self._member = member
        self._flows = flows

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `TargetFlows`."""
        for chunk in self._flows.read(job, stream_id):
            yield own_flows(chunk, self._member.stream(job, stream_id), self._member.ports)
