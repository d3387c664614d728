# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Between captures and the messages of `capture.proto`."""

from __future__ import annotations

from ..._generated.tester.v1 import capture_pb2
from ...measurement.capture import CaptureCounters, StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...model.capture import Capture, CaptureTrigger


def capture_message(capture: Capture) -> capture_pb2.Capture:
    """The message that asks for a capture."""
    traced = capture.traced
    return capture_pb2.Capture(
        name=capture.name,
        ports=capture.ports,
        direction=capture.direction.value,
        filter=capture.filter,
        streams=capture.streams,
        keep=None if capture.trigger else capture.keep.value,
        frames=0 if capture.trigger else capture.frames,
        snap_length=capture.snap_length,
        trigger=None if capture.trigger is None else _trigger(capture.trigger),
        traced=None
        if traced is None
        else capture_pb2.TracedPath(job=traced.job, path=traced.path, every=traced.every),
    )


def _trigger(trigger: CaptureTrigger) -> capture_pb2.CaptureTrigger:
    return capture_pb2.CaptureTrigger(
        kind=trigger.kind.value,
        latency_ns=trigger.above.ns if trigger.above else 0,
        filter=trigger.filter,
        before=trigger.before,
        after=trigger.after,
    )


def stopped_value(stopped: capture_pb2.StopCaptureResponse) -> StoppedCapture:
    """A stopped capture, from the engine's response."""
    return StoppedCapture(
        counters=CaptureCounters.from_message(stopped.counters),
        clock_zero_unix_ns=stopped.clock_zero_unix_ns,
        started_ns=stopped.started_ns,
        stopped_ns=stopped.stopped_ns,
        streams=dict(stopped.streams),
    )


def frames_value(frames: capture_pb2.CapturedFrames) -> CapturedFrames:
    """Frames of a capture."""
    return CapturedFrames.unpacked(frames.ports, frames.facts, frames.octets, traced=frames.traced)
