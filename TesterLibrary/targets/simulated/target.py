# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that does not exist before a device that does not exist, whose every frame is simulated.

It is the fake with another device: one with a queue, a law of loss, and the rest of `SimulatedDevice`.
Its clock is its own, and stands still between calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PlanError
from ...measurement.counter import EVERY_COUNTER, Counter
from ...model.plan.plan import Plan
from ...testbeds.simulated import SimulatedDevice
from ..base import Capabilities, PortInfo
from ..fake.core import FakeCore
from ..fake.mutual_exclusion import one_at_a_time
from ..fake.parts import FakeFrames
from ..rules.refusal import refuse_expected_fields, refuse_paths
from .bench import SimulatedBench

_COUNTS = EVERY_COUNTER - {
    Counter.VARIATION,
    Counter.FLOWS,
    Counter.CAPTURES,
    Counter.END_PACKETS,
    Counter.END_FLOWS,
}
_MAX_STREAMS = 64


@one_at_a_time
class SimulatedTarget(FakeCore):
    """Streams only: it has no captures, flows, responders and clients.

    Args:
        device: How it treats frames.
        ports: By default `p1` and `p2`.
        tester_limit: Frames/s that a port of the tester sends at most.
    """

    kind = "a simulated tester"
    captures = queries = flows = stamps = leases = usage = planner = instants = clocks = None

    def __init__(
        self,
        device: SimulatedDevice,
        ports: Sequence[PortInfo] = (),
        *,
        tester_limit: int | None = None,
    ) -> None:
        bench = SimulatedBench(device, ports, tester_limit=tester_limit, max_streams=_MAX_STREAMS)
        super().__init__(bench)
        self.frames = FakeFrames(bench)
        self.device = bench

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        self.bench.answer("capabilities")
        ports = tuple(self.bench.ports.values())
        return Capabilities("simulated", "1", ports, _MAX_STREAMS, counts=_COUNTS)

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        for stream in plan.streams:
            if stream.flows:
                raise PlanError(f"stream {stream.name!r}: {self.kind} does not count flows")
        refuse_paths(plan, self.kind)
        refuse_expected_fields(plan, self.kind)
        if plan.ends:
            raise PlanError(
                f"{plan.ends[0].name!r}: {self.kind} has streams only, no responders and no clients"
            )
        super().load(plan)
