# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that does not exist, for trying out suites and code.

Its clock is its own: waiting for a trial of 60 s takes no time. Equal arguments and calls give equal
counters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from ...measurement.counter import EVERY_COUNTER, Counter
from ...model.units.units import MIN_FRAME_SIZE, Duration
from ..base import Capabilities, PortInfo
from ..parts import TargetInstants
from .bench import FakeBench
from .core import ROOM, FakeCore
from .device import FakeDevice
from .mutual_exclusion import one_at_a_time
from .parts import FakeCaptures, FakeFlows, FakeFrames

_COUNTS = EVERY_COUNTER - {Counter.OUTAGES, Counter.ARRIVAL_TIMES, Counter.VARIATION}


@one_at_a_time
class FakeTarget(FakeCore):
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

    queries = stamps = leases = device = usage = planner = clocks = None
    instants: TargetInstants | None = None

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
        super().__init__(
            FakeBench(
                ports,
                device=device,
                tester_limit=tester_limit,
                stalls=stalls,
                dies_after=dies_after,
                late=late,
                max_streams=max_streams,
                capture_rate=capture_rate,
                seed=seed,
            )
        )
        self.captures = FakeCaptures(self.bench)
        self.flows = FakeFlows(self.bench)
        self.frames = FakeFrames(self.bench)

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        self.bench.answer("capabilities")
        ports = tuple(self.bench.ports.values())
        return Capabilities("fake", "1", ports, self.bench.max_streams, *ROOM, counts=_COUNTS)

    @contextmanager
    def somebody(self, who: str) -> Iterator[None]:
        """Calls inside the block come from another client, which has this name."""
        self.bench.who = who
        try:
            yield
        finally:
            self.bench.who = ""

    def forget_connections(self) -> None:
        """Somebody empties the connection table of a device that translates, and waits until that is over."""
        self.bench.advance(Duration(self.bench.wire.forget_connections(self.bench.now_ns)))

    def set_forwarding(self, *, on: bool) -> None:
        """The device stops forwarding the frames of streams, or goes on; links stay up."""
        self.bench.forwarding = on
        self.bench.set_pace()

    def meet_pause(self, port: str, frames: int) -> None:
        """The device sends PAUSE frames, which a port does not obey."""
        self.bench.past[port].receive(MIN_FRAME_SIZE, frames)
        self.bench.past[port].add(rx_pause=frames, rx_foreign=frames)
