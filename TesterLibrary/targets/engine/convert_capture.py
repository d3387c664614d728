# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Between captures and the messages of `capture.proto`."""

from __future__ import annotations

from ..._generated.tester.v1 import capture_pb2
from ...measurement.capture import CaptureCounters, CapturedFrame, Fate, StoppedCapture, TracedFrame
from ...model.capture import Capture
from .convert_counters import counters_value

_FATES = {
    capture_pb2.TracedFrame.FATE_NONE: Fate.NONE,
    capture_pb2.TracedFrame.FATE_HELD: Fate.HELD,
    capture_pb2.TracedFrame.FATE_LOST: Fate.LOST,
    capture_pb2.TracedFrame.FATE_TAIL_DROP: Fate.TAIL_DROP,
    capture_pb2.TracedFrame.FATE_OVERFLOW: Fate.OVERFLOW,
}


def capture_message(capture: Capture) -> capture_pb2.Capture:
    """The message that asks for a capture."""
    traced = capture.traced
    return capture_pb2.Capture(
        name=capture.name,
        ports=capture.ports,
        direction=capture.direction.value,
        filter=capture.filter,
        streams=capture.streams,
        keep=capture.keep.value,
        frames=capture.frames,
        snap_length=capture.snap_length,
        traced=None
        if traced is None
        else capture_pb2.TracedPath(job=traced.job, path=traced.path, every=traced.every),
    )


def stopped_value(stopped: capture_pb2.StopCaptureResponse) -> StoppedCapture:
    """A stopped capture, from the engine's response."""
    return StoppedCapture(
        counters=counters_value(CaptureCounters, stopped.counters),
        clock_zero_unix_ns=stopped.clock_zero_unix_ns,
        started_ns=stopped.started_ns,
        stopped_ns=stopped.stopped_ns,
        streams=dict(stopped.streams),
    )


def frame_value(frame: capture_pb2.CapturedFrame) -> CapturedFrame:
    """A frame of a capture."""
    return CapturedFrame(
        time_ns=frame.time_ns,
        port=frame.port,
        transmitted=frame.transmitted,
        stream_id=frame.stream_id,
        sequence=frame.sequence if frame.HasField("sequence") else None,
        original_length=frame.original_bytes,
        octets=frame.octets,
        traced=TracedFrame(
            frame.traced.left_ns or None, tuple(frame.traced.events), _FATES[frame.traced.fate]
        )
        if frame.HasField("traced")
        else None,
    )
