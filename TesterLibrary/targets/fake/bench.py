# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a fake tester: its ports, its clock, its device, and the streams of loaded jobs."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from threading import RLock

from ...errors import TargetError
from ...measurement.snapshot import PortCounters, StreamCounters
from ...model.plan.plan import Plan, PlannedStream
from ...model.units.units import Duration
from ..base import PortInfo
from ..rules.refusal import known_job
from .damage import damaged_frames
from .device import FakeDevice, set_pace
from .jobs import FakeJobs
from .port_totals import PortTotals
from .stream import FakeStream
from .taps import FakeTaps
from .wire import Wire

_CALL_NS = 10**7  # the fake's time that each call takes
_STALL_NS = 2 * 10**8
_FOREVER = 10**30


def fake_port(name: str, *, link_speed_bps: int = 10**9, max_frame_size: int = 9216) -> PortInfo:
    """A port of a fake tester, with a MAC address made from its name."""
    mac = b"\x02" + random.Random(f"port {name}").randbytes(5)
    return PortInfo(name, "fake", "", mac, link_speed_bps, True, max_frame_size)


class FakeBench:
    """Ports, device, clock and loaded jobs, which the target and its parts share.

    Its arguments are those of `FakeTarget`. Users hold `turn` during a call.
    """

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
        self.turn = RLock()
        self.ports = {p.name: p for p in ports or (fake_port("p1"), fake_port("p2"))}
        self.device = device or FakeDevice()
        self._tester_limit = tester_limit
        self._stalls = stalls
        self.dies_ns = _FOREVER if dies_after is None else dies_after.ns
        self._late = late
        self.max_streams = max_streams
        self.taps = FakeTaps(self.ports, capture_rate)
        self._random = random.Random(seed)
        self.now_ns = 0
        self._starts = 0
        self.plans: dict[str, Plan] = {}
        self.jobs: dict[str, dict[int, FakeStream]] = {}
        self.records = FakeJobs()
        self.taken: dict[str, str] = {}  # jobs that others have unloaded
        self.who = ""  # the client that calls; empty: its only one
        self.links = dict.fromkeys(self.ports, True)  # whether they are up
        self.forwarding = True  # whether the device does
        self.past = {name: PortTotals(name) for name in self.ports}
        self.wire = Wire(self.ports, self.device, self.past, self.plans)

    def advance(self, duration: Duration) -> None:
        """Lets time pass.

        Raises:
            TargetError: the tester dies in it.
        """
        end = self.now_ns + duration.ns
        while True:
            ends = [at for s in self.sending() if (at := s.due_end_ns()) is not None]
            self.now_ns = min([*ends, end, self.dies_ns])
            self.run(self.now_ns)
            if self.now_ns == self.dies_ns:
                raise TargetError(f"the fake tester died {Duration(self.dies_ns)} after it was started")
            over = [s for s in self.sending() if s.due_end_ns() == self.now_ns]
            for stream in over:
                stream.stop(self.now_ns)
            self.set_pace()
            if self.now_ns == end and not over:
                return

    def answer(self, call: str) -> None:
        """Lets the time of a call pass. TargetError if the call is one that is never answered."""
        if call in self._late:
            raise TargetError(f"the fake tester did not answer {call} in time")
        self.advance(Duration(_CALL_NS))
        self.taps.show(self.streams(self.jobs), self.now_ns)

    def run(self, now_ns: int) -> None:
        """Runs the events up to an instant."""
        self.wire.run(now_ns)

    def job(self, name: str) -> dict[int, FakeStream]:
        """The streams of a job by their ids. PlanError if it is not loaded."""
        if name in self.taken and name not in self.jobs:
            raise TargetError(f"no job {name!r}; it was unloaded by {self.taken[name]}")
        return known_job(name, self.jobs)

    def streams(self, jobs: Iterable[str]) -> Iterator[FakeStream]:
        """The streams of jobs."""
        return (stream for streams in [self.job(job) for job in jobs] for stream in streams.values())

    def sending(self) -> list[FakeStream]:
        """All streams that are sending."""
        return [stream for stream in self.streams(self.jobs) if stream.sending]

    def new_stream(self, planned: PlannedStream) -> FakeStream:
        """A stream that has not been started."""
        phase = Fraction(self._random.randrange(1 << 20), 1 << 20)
        path = self.device.path_of(planned)
        return FakeStream(
            planned,
            delay_ns=path.delay.ns,
            phase=phase,
            erases_version=path.erases_version,
            damage=path.damage,
            changes=path.changes,
            out=path.out,
        )

    def stall_ns(self) -> int:
        """Counts a start of jobs. The time for which a worker stands still after it."""
        self._starts += 1
        return _STALL_NS if self._starts in self._stalls else 0

    def set_pace(self) -> None:
        """Gives each sending stream the rate that tester, links and device let pass."""
        down = [name for name, up in self.links.items() if not (up and self.forwarding)]
        set_pace(self.sending(), self.device, self._tester_limit, self.now_ns, down)

    def retire(self, stream: FakeStream) -> None:
        """Forgets a run, and keeps what ports have counted. Its frames in the device are foreign at once."""
        self.taps.show_rest(stream, _FOREVER)
        final = stream.everything()
        now = stream.arrived(self.now_ns)
        foreign = final.rx_packets - now.rx_packets + damaged_frames(final) - damaged_frames(now)
        self._count(stream, final, self.past)
        self.past[stream.out].add(rx_foreign=foreign, rx_stale=foreign)
        if stream.out != stream.planned.rx_port:
            self.past[stream.out].add(rx_misrouted=-foreign)

    def port_counters(self, arrived: Mapping[int, StreamCounters]) -> tuple[PortCounters, ...]:
        """The counters of all ports. `arrived` are those of all loaded streams, by their ids."""
        totals = {name: past.copy() for name, past in self.past.items()}
        for stream in self.streams(self.jobs):
            self._count(stream, arrived[stream.planned.id], totals)
        return tuple(total.counters(link_up=self.links[name]) for name, total in totals.items())

    def _count(self, stream: FakeStream, counted: StreamCounters, totals: Mapping[str, PortTotals]) -> None:
        totals[stream.planned.tx_port].send_stream(counted)
        totals[stream.out].receive_stream(stream.planned, counted)
