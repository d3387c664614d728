# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that does not exist.

Its clock is its own: waiting for a trial of 60 s takes no time. Equal arguments and calls give equal
counters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from threading import RLock

from ...errors import Inconclusive, PlanError, TargetError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...measurement.counter import EVERY_COUNTER, Counter
from ...measurement.snapshot import (
    ClockCounters,
    FlowCounters,
    PortCounters,
    Snapshot,
    StreamCounters,
    WorkerCounters,
)
from ...model.capture import Capture
from ...model.heading import Heading
from ...model.plan.plan import LearningFrame, Plan, PlannedStream
from ...model.ports import Address
from ...model.units.units import FCS_LENGTH, MIN_FRAME_SIZE, Duration
from ..base import (
    Capabilities,
    Flipped,
    LeaseHolder,
    LeaseTerms,
    PortInfo,
    SendingProgress,
    StampRecords,
    still_sending,
)
from ..rules.ends import check_ends
from ..rules.expected_fields import refuse_changing_fields
from ..rules.paths import refuse_paths, refuse_trace, stamps_refused
from ..rules.queries import WithoutQueries, refuse_triggers
from ..rules.refusal import check_end, check_frames, check_plan, check_update, known_job, known_port
from .alone import one_at_a_time
from .capture import recorded
from .damage import damaged_frames
from .device import FakeDevice, set_pace
from .jobs import FakeJobs
from .port_totals import PortTotals
from .stream import FakeStream
from .taps import FakeTaps
from .wire import Wire

_CALL_NS = 10**7  # what every call takes of the fake's time
_PROGRESS_NS = 5 * 10**8
_STALL_NS = 2 * 10**8
_FOREVER = 10**30
_ROOM = (64, 1 << 20)  # for ends, and for flows of them at once
_COUNTS = EVERY_COUNTER - {Counter.OUTAGES, Counter.ARRIVAL_TIMES, Counter.VARIATION}


def fake_port(name: str, *, link_speed_bps: int = 10**9, max_frame_size: int = 9216) -> PortInfo:
    """A port of a fake tester, with a MAC address made from its name."""
    mac = b"\x02" + random.Random(f"port {name}").randbytes(5)
    return PortInfo(name, "fake", "", mac, link_speed_bps, True, max_frame_size)


@one_at_a_time
class FakeTarget(WithoutQueries):
    """Keeps the contract of `Target`, refusals included, against a device with a known truth.

    Args:
        ports: By default `p1` and `p2`.
        device: By default one that forwards everything after 10 us.
        tester_limit: Frames/s that a port of the tester sends at most.
        stalls: Numbers, from 1, of the starts after which a worker stands still for 200 ms.
        dies_after: The tester is gone when its clock, which starts at 0, reaches this.
        late: Names of calls, such as `snapshot`, that are never answered.
        max_streams: How many streams it holds.
        capture_rate: Frames/s that a capture has room for.
        seed: Decides which frames are lost.
    """

    tester_kind = "a fake tester"

    def __init__(
        self,
        ports: Sequence[PortInfo] = (),
        *,
        device: FakeDevice | None = None,
        tester_limit: int | None = None,
        stalls: Collection[int] = (),
        dies_after: Duration | None = None,
        late: Collection[str] = (),
        max_streams: int = 1024,
        capture_rate: int | None = None,
        seed: int = 1,
    ) -> None:
        self._turn = RLock()
        self._ports = {p.name: p for p in ports or (fake_port("p1"), fake_port("p2"))}
        self._device = device or FakeDevice()
        self._tester_limit = tester_limit
        self._stalls = stalls
        self._dies_ns = _FOREVER if dies_after is None else dies_after.ns
        self._late = late
        self._max_streams = max_streams
        self._taps = FakeTaps(self._ports, capture_rate)
        self._random = random.Random(seed)
        self._now_ns = 0
        self._starts = 0
        self._plans: dict[str, Plan] = {}
        self._jobs: dict[str, dict[int, FakeStream]] = {}
        self._records = FakeJobs()
        self._taken: dict[str, str] = {}  # jobs that others have unloaded
        self._who = ""  # calls: nobody but the one client that it has, unless a test says so
        self._links = dict.fromkeys(self._ports, True)  # whether they are up
        self._forwarding = True  # whether the device does
        self._past = {name: PortTotals(name) for name in self._ports}
        self._wire = Wire(self._ports, self._device, self._past, self._plans)

    @property
    def now_ns(self) -> int:
        """Its time."""
        return self._now_ns

    def advance(self, duration: Duration) -> None:
        """Lets time pass.

        Raises:
            TargetError: the tester dies in it.
        """
        end = self._now_ns + duration.ns
        while True:
            ends = [at for s in self._sending() if (at := s.due_end_ns()) is not None]
            self._now_ns = min([*ends, end, self._dies_ns])
            self._run(self._now_ns)
            if self._now_ns == self._dies_ns:
                raise TargetError(f"the fake tester died {Duration(self._dies_ns)} after it was started")
            over = [s for s in self._sending() if s.due_end_ns() == self._now_ns]
            for stream in over:
                stream.stop(self._now_ns)
            self._set_pace()
            if self._now_ns == end and not over:
                return

    @contextmanager
    def somebody(self, who: str) -> Iterator[None]:
        """Calls inside the block come from another client, which has this name."""
        self._who = who
        try:
            yield
        finally:
            self._who = ""

    def set_link(self, port: str, *, up: bool) -> None:
        """Somebody pulls the cable of a port, or puts it back."""
        self._past[port].add(link_downs=self._links[port] and not up)
        self._links[port] = up
        self._set_pace()

    def forget_connections(self) -> None:
        """Somebody empties the connection table of a device that translates, and waits until that is over."""
        self.advance(Duration(self._wire.forget_connections(self._now_ns)))

    def set_forwarding(self, *, on: bool) -> None:
        """The device stops forwarding the frames of streams, or goes on; links stay up."""
        self._forwarding = on
        self._set_pace()

    def meet_pause(self, port: str, frames: int) -> None:
        """The device sends PAUSE frames, which a port does not obey."""
        self._past[port].receive(MIN_FRAME_SIZE, frames)
        self._past[port].add(rx_pause=frames, rx_foreign=frames)

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        self._answer("capabilities")
        ports = tuple(self._ports.values())
        return Capabilities("fake", "1", ports, self._max_streams, *_ROOM, counts=_COUNTS)

    def lease(self, terms: LeaseTerms) -> LeaseHolder | None:
        """See `Target`. Refused."""
        raise PlanError(
            f"no lease for {terms.owner!r}: a fake or simulated tester has none; nobody else can use it. "
            "Leave out lease, owner and force"
        )

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        self._answer("load")
        refuse_paths(plan, "a fake tester")
        check_plan(plan, self._plans.values(), self._ports, self._max_streams)
        refuse_triggers(plan, self.tester_kind)
        refuse_changing_fields(plan)
        check_ends(plan, self._plans.values(), self._ports, *_ROOM)
        plan = replace(plan, streams=tuple(map(recorded, plan.streams)))
        self._plans[plan.job] = plan
        self._records.load(plan.job)
        self._jobs[plan.job] = {stream.id: self._new(stream) for stream in plan.streams}
        self._wire.load(plan)
        self._taps.know(plan.streams)

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`."""
        self._answer("start")
        check_end(duration, packets)
        for stream in self._streams(jobs):
            if stream.sending:
                raise PlanError(f"stream {stream.planned.name!r} is sending already; stop it first")
        self._wire.check_start(jobs)
        self._starts += 1
        stall_ns = _STALL_NS if self._starts in self._stalls else 0
        for job in jobs:
            self._records.start(
                self._plans[job], self._now_ns, duration, packets, by=self._who, stall_ns=stall_ns
            )
            for stream_id, old in list(self._jobs[job].items()):
                self._retire(old)
                new = self._jobs[job][stream_id] = self._new(old.planned)
                new.start(self._now_ns, duration_ns=duration.ns if duration else None, packets=packets)
        self._wire.start(jobs, self._now_ns)
        self._set_pace()

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`. No time passes: flows that wait for an answer before they end are ended, too."""
        self._answer("stop")
        for job in jobs:
            sending = {stream_id: s for stream_id, s in self._job(job).items() if s.sending}
            answering = any(end.answering for end in self._wire.counters([job]))
            self._records.stop(job, self._now_ns, sorted(sending), answering=answering, by=self._who)
            for stream in sending.values():
                stream.stop(self._now_ns)
        self._wire.stop(jobs, self._now_ns, abandon=abandon)
        self._set_pace()

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`."""
        self._answer("update")
        streams = self._job(job)
        if stream.id not in streams:
            raise PlanError(f"job {job!r} has no stream {stream.id}; it has {sorted(streams)}")
        check_update(streams[stream.id].planned, stream, self._ports)
        streams[stream.id].planned = stream
        self._records.update(job, by=self._who)
        self._set_pace()

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        self.stop(jobs, abandon=True)
        for job in dict.fromkeys(jobs):
            del self._plans[job]
            self._records.unload(job)
            if self._who:
                self._taken[job] = self._who
            self._wire.unload(job)
            for stream in self._jobs.pop(job).values():
                self._retire(stream)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        self._answer("wait")
        streams = list(self._streams(jobs))
        deadline = self._now_ns + timeout.ns
        while any(stream.sending for stream in streams):
            if self._now_ns >= deadline:
                raise still_sending(jobs, timeout)
            ends = [at for stream in self._sending() if (at := stream.due_end_ns()) is not None]
            self.advance(Duration(min([self._now_ns + _PROGRESS_NS, deadline, *ends]) - self._now_ns))
            if on_progress:
                on_progress(SendingProgress.of([stream.counters(self._now_ns) for stream in streams]))

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:  # noqa: ARG002
        """See `Target`."""
        self._answer("snapshot")
        now = self._now_ns
        counters = [stream.counters(now) for stream in self._streams(jobs or tuple(self._jobs))]
        return Snapshot(
            taken_at_ns=now,
            ports=self._port_counters(),
            streams=tuple(sorted(counters, key=lambda c: c.id)),
            workers=(WorkerCounters(1),),
            clock=ClockCounters(0, 0, now, now),
            ends=self._wire.counters(jobs or tuple(self._jobs)),
            jobs=self._records.counters(jobs or tuple(self._jobs)),
            captures=self._taps.counters(),
        )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        self._answer("flip")
        streams = [stream for stream in self._streams(jobs) if stream.planned.version]
        closed = {stream.version for stream in streams}
        if len(closed) != 1:
            why = "are in different versions" if closed else "carry no version"
            raise PlanError(f"streams of {', '.join(jobs)} {why}; they cannot be flipped together")
        for stream in streams:
            stream.flip(self._now_ns)
        return Flipped(self._now_ns, closed.pop())

    def flows(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `Target`. Frame k is of flow k modulo their number; what is lost is spread evenly."""
        self._answer("flows")
        stream = self._job(job).get(stream_id)
        if stream is None or not stream.planned.flows:
            raise PlanError(f"job {job!r} has no stream {stream_id} that counts flows")
        return iter([stream.flows(self._now_ns)])

    def stamp_records(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:  # noqa: ARG002
        """See `Target`. It loads no stamps."""
        raise stamps_refused(name, "a fake tester")

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `Target`. The device floods what is sent to a group address."""
        self._answer("inject")
        frames = list(frames)
        check_frames(frames, self._ports)
        for frame in frames:
            size = max(MIN_FRAME_SIZE, len(frame.frame) + FCS_LENGTH)
            self._past[frame.port].send(size)
            self._taps.show_alone(frame.port, True, frame.frame, self._now_ns)
            for port in self._ports.values():
                if port.name != frame.port and (frame.frame[0] & 1 or frame.frame[:6] == port.mac):
                    self._past[port.name].receive(size)
                    self._past[port.name].add(rx_foreign=1)
                    self._taps.show_alone(port.name, False, frame.frame, self._now_ns)

    def start_capture(self, capture: Capture) -> None:
        """See `Target`."""
        self._answer("start_capture")
        refuse_trace(capture, "a fake tester")
        loaded = [stream for plan in self._plans.values() for stream in plan.streams]
        self._taps.add(capture, loaded, self._now_ns)

    def stop_capture(self, name: str) -> StoppedCapture:
        """See `Target`."""
        self._answer("stop_capture")
        return self._taps[name].stop(self._now_ns)

    def read_capture(self, name: str) -> Iterator[CapturedFrames]:
        """See `Target`."""
        self._answer("read_capture")
        return self._taps[name].frames()

    def forget_capture(self, name: str) -> None:
        """See `Target`."""
        self._answer("forget_capture")
        self._taps.forget(name)

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `Target`. Answers what the device knows and, through it, what other ports answer for."""
        self._answer("resolve")
        known_port(port, self._ports)
        if source.version != address.version:
            raise PlanError(f"{source} cannot ask for {address}: one is IPv4, the other IPv6")
        ours = {n.address: n.mac for p in self._plans.values() for n in p.neighbours if n.port != port}
        mac = self._device.neighbours.get(address) or ours.get(address)
        mac = mac or self._wire.resolve(port, address, source, source_mac)
        if mac is None:
            raise Inconclusive(f"nobody answers at {address} on port {port!r} when {source} asks")
        return mac

    def close(self) -> None:
        """See `Target`."""
        self._jobs.clear()
        self._plans.clear()
        self._taps.clear()

    def _run(self, now_ns: int) -> None:
        """Everything happens that happens between the last instant and this one."""
        self._wire.run(now_ns)

    def _answer(self, call: str) -> None:
        if call in self._late:
            raise TargetError(f"the fake tester did not answer {call} in time")
        self.advance(Duration(_CALL_NS))
        self._taps.show(self._streams(self._jobs), self._now_ns)

    def _job(self, name: str) -> dict[int, FakeStream]:
        if name in self._taken and name not in self._jobs:
            raise TargetError(f"no job {name!r}; it was unloaded by {self._taken[name]}")
        return known_job(name, self._jobs)

    def _streams(self, jobs: Iterable[str]) -> Iterator[FakeStream]:
        return (stream for streams in [self._job(job) for job in jobs] for stream in streams.values())

    def _sending(self) -> list[FakeStream]:
        return [stream for stream in self._streams(self._jobs) if stream.sending]

    def _new(self, planned: PlannedStream) -> FakeStream:
        phase = Fraction(self._random.randrange(1 << 20), 1 << 20)
        path = self._device.path_of(planned)
        return FakeStream(
            planned,
            delay_ns=path.delay.ns,
            phase=phase,
            erases_version=path.erases_version,
            damage=path.damage,
            changes=path.changes,
            out=path.out,
        )

    def _set_pace(self) -> None:
        down = [name for name, up in self._links.items() if not (up and self._forwarding)]
        set_pace(self._sending(), self._device, self._tester_limit, self._now_ns, down)

    def _retire(self, stream: FakeStream) -> None:
        """Forgets a run, not what the ports have counted of it. What is on its way is foreign, at once."""
        self._taps.show_rest(stream, _FOREVER)
        final = stream.everything()
        now = stream.arrived(self._now_ns)
        foreign = final.rx_packets - now.rx_packets + damaged_frames(final) - damaged_frames(now)
        self._count(stream, final, self._past)
        self._past[stream.out].add(rx_foreign=foreign, rx_stale=foreign)
        if stream.out != stream.planned.rx_port:
            self._past[stream.out].add(rx_misrouted=-foreign)

    def _count(self, stream: FakeStream, counted: StreamCounters, totals: Mapping[str, PortTotals]) -> None:
        totals[stream.planned.tx_port].send_stream(counted)
        totals[stream.out].receive_stream(stream.planned, counted)

    def _port_counters(self) -> tuple[PortCounters, ...]:
        totals = {name: past.copy() for name, past in self._past.items()}
        for stream in self._streams(self._jobs):
            self._count(stream, stream.arrived(self._now_ns), totals)
        return tuple(each.counters(link_up=self._links[name]) for name, each in totals.items())
