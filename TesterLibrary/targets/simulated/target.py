# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that does not exist before a device that does not exist, whose every frame is simulated.

It is the fake with another device: one with a queue, a law of loss, and the rest of `SimulatedDevice`.
Its clock is its own, and stands still between calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import PlanError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...measurement.counter import EVERY_COUNTER, Counter
from ...model.capture import Capture
from ...model.plan.plan import Plan, PlannedStream
from ...testbeds.simulated import SimulatedDevice
from ..base import Capabilities, PortInfo
from ..fake.alone import one_at_a_time
from ..fake.target import FakeTarget
from ..rules.expected_fields import refuse_expected_fields
from ..rules.paths import refuse_paths
from .path import SimulatedPath
from .stream import SimulatedStream

_COUNTS = EVERY_COUNTER - {
    Counter.VARIATION,
    Counter.FLOWS,
    Counter.CAPTURES,
    Counter.END_PACKETS,
    Counter.END_FLOWS,
}
_MAX_STREAMS = 64


@one_at_a_time
class SimulatedTarget(FakeTarget):
    """Streams only: captures, flows, responders and clients are refused.

    Args:
        device: How it treats frames.
        ports: By default `p1` and `p2`.
        tester_limit: Frames/s that a port of the tester sends at most.
    """

    tester_kind = "a simulated tester"

    def __init__(
        self,
        device: SimulatedDevice,
        ports: Sequence[PortInfo] = (),
        *,
        tester_limit: int | None = None,
    ) -> None:
        super().__init__(ports, tester_limit=tester_limit, max_streams=_MAX_STREAMS)
        self._simulated = device
        self._ways = {name: SimulatedPath(device, port.link_speed_bps) for name, port in self._ports.items()}

    def reset_device(self) -> None:
        """Somebody resets the device."""
        for way in self._ways.values():
            way.reset(self._now_ns)

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        self._answer("capabilities")
        ports = tuple(self._ports.values())
        return Capabilities("simulated", "1", ports, _MAX_STREAMS, counts=_COUNTS)

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        for stream in plan.streams:
            if stream.flows:
                raise PlanError(f"stream {stream.name!r}: a simulated tester does not count flows")
        refuse_paths(plan, "a simulated tester")
        refuse_expected_fields(plan, "a simulated tester")
        if plan.ends:
            raise PlanError(
                f"{plan.ends[0].name!r}: a simulated tester has streams only, no responders and no clients"
            )
        super().load(plan)

    def start_capture(self, capture: Capture) -> None:
        """See `Target`."""
        raise PlanError(f"capture {capture.name!r}: a simulated tester captures no frames")

    def stop_capture(self, name: str) -> StoppedCapture:
        """See `Target`."""
        raise PlanError(f"no capture {name!r}: a simulated tester captures no frames")

    def read_capture(self, name: str) -> Iterator[CapturedFrames]:
        """See `Target`."""
        raise PlanError(f"no capture {name!r}: a simulated tester captures no frames")

    def _new(self, planned: PlannedStream) -> SimulatedStream:
        return SimulatedStream(
            planned,
            self._ways[planned.rx_port],
            overtaking=bool(self._simulated.hold_every),
        )

    def _run(self, now_ns: int) -> None:
        super()._run(now_ns)
        streams = [s for s in self._streams(self._jobs) if isinstance(s, SimulatedStream)]
        if len(streams) == 1:
            while streams[0].next_departure(now_ns) is not None:
                streams[0].depart()
        while due := [
            (at, place) for place, s in enumerate(streams) if (at := s.next_departure(now_ns)) is not None
        ]:
            streams[min(due)[1]].depart()
        for stream in streams:
            stream.arrive(now_ns)
