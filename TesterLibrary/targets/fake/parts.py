# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a fake tester: captures, flows of streams, and single frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...errors import Inconclusive, PlanError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...measurement.snapshot import FlowCounters
from ...model.capture import Capture
from ...model.plan.plan import LearningFrame
from ...model.ports import Address
from ...model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ..rules.refusal import check_frames, known_port, refuse_trace
from .bench import FakeBench
from .mutual_exclusion import one_at_a_time


class _Part:
    def __init__(self, bench: FakeBench) -> None:
        self._bench = bench
        self._turn = bench.turn


@one_at_a_time
class FakeCaptures(_Part):
    """Captures of the frames that pass ports."""

    def start(self, capture: Capture) -> None:
        """See `TargetCaptures`."""
        self._bench.answer("start_capture")
        refuse_trace(capture, "a fake tester")
        loaded = [stream for plan in self._bench.plans.values() for stream in plan.streams]
        self._bench.taps.add(capture, loaded, self._bench.now_ns)

    def stop(self, name: str) -> StoppedCapture:
        """See `TargetCaptures`."""
        self._bench.answer("stop_capture")
        return self._bench.taps[name].stop(self._bench.now_ns)

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """See `TargetCaptures`."""
        self._bench.answer("read_capture")
        return self._bench.taps[name].frames()

    def forget(self, name: str) -> None:
        """See `TargetCaptures`."""
        self._bench.answer("forget_capture")
        self._bench.taps.forget(name)


@one_at_a_time
class FakeFlows(_Part):
    """Flows of streams."""

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `TargetFlows`. Frame k is of flow k modulo their number; what is lost is spread evenly."""
        self._bench.answer("flows")
        stream = self._bench.job(job).get(stream_id)
        if stream is None or not stream.planned.flows:
            raise PlanError(f"job {job!r} has no stream {stream_id} that counts flows")
        return iter([stream.flows(self._bench.now_ns)])


@one_at_a_time
class FakeFrames(_Part):
    """Single frames."""

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `TargetFrames`. The device floods what is sent to a group address."""
        self._bench.answer("inject")
        frames = list(frames)
        check_frames(frames, self._bench.ports)
        for frame in frames:
            size = max(MIN_FRAME_SIZE, len(frame.frame) + FCS_LENGTH)
            self._bench.past[frame.port].send(size)
            self._bench.taps.show_alone(frame.port, True, frame.frame, self._bench.now_ns)
            for port in self._bench.ports.values():
                if port.name != frame.port and (frame.frame[0] & 1 or frame.frame[:6] == port.mac):
                    self._bench.past[port.name].receive(size)
                    self._bench.past[port.name].add(rx_foreign=1)
                    self._bench.taps.show_alone(port.name, False, frame.frame, self._bench.now_ns)

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `TargetFrames`. Answers what the device knows and, through it, what other ports answer for."""
        self._bench.answer("resolve")
        known_port(port, self._bench.ports)
        if source.version != address.version:
            raise PlanError(f"{source} cannot ask for {address}: one is IPv4, the other IPv6")
        ours = {n.address: n.mac for p in self._bench.plans.values() for n in p.neighbours if n.port != port}
        mac = self._bench.device.neighbours.get(address) or ours.get(address)
        mac = mac or self._bench.wire.resolve(port, address, source, source_mac)
        if mac is None:
            raise Inconclusive(f"nobody answers at {address} on port {port!r} when {source} asks")
        return mac
