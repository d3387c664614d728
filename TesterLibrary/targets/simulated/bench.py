# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a simulated tester: frames of all streams pass one device in the order of their departure."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.plan.plan import PlannedStream
from ...testbeds.simulated import SimulatedDevice
from ..base import PortInfo
from ..fake.bench import FakeBench
from .path import SimulatedPath
from .stream import SimulatedStream


class SimulatedBench(FakeBench):
    """Streams and the device that they pass. It is the `TargetDevice`, too."""

    def __init__(
        self,
        simulated: SimulatedDevice,
        ports: Sequence[PortInfo],
        *,
        tester_limit: int | None,
        max_streams: int,
    ) -> None:
        super().__init__(ports, tester_limit=tester_limit, max_streams=max_streams)
        self._simulated = simulated
        self._ways = {
            name: SimulatedPath(simulated, port.link_speed_bps) for name, port in self.ports.items()
        }

    def reset(self) -> None:
        """Resets the device."""
        with self.turn:
            for way in self._ways.values():
                way.reset(self.now_ns)

    def new_stream(self, planned: PlannedStream) -> SimulatedStream:
        """A stream that has not been started."""
        return SimulatedStream(
            planned,
            self._ways[planned.rx_port],
            overtaking=bool(self._simulated.hold_every),
        )

    def run(self, now_ns: int) -> None:
        """Runs the events up to an instant."""
        super().run(now_ns)
        streams = [s for s in self.streams(self.jobs) if isinstance(s, SimulatedStream)]
        if len(streams) == 1:
            while streams[0].next_departure(now_ns) is not None:
                streams[0].depart()
        while due := [
            (at, place) for place, s in enumerate(streams) if (at := s.next_departure(now_ns)) is not None
        ]:
            streams[min(due)[1]].depart()
        for stream in streams:
            stream.arrive(now_ns)
