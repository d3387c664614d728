# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures of an engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..._generated.tester.v1 import capture_pb2
from ...errors import PlanError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...model.capture import Capture
from . import convert_capture
from .calls import EngineCalls

_READ_S = 600.0  # for the largest capture, even if the reader writes it slowly


class EngineCaptures:
    """The captures of an engine, which outlive this process unless they are forgotten."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls
        self._started: set[str] = set()

    def start(self, capture: Capture) -> None:
        """See `TargetCaptures`."""
        if not 0 <= capture.frames < 2**32 or not 0 <= capture.snap_length < 2**32:
            raise PlanError(
                f"capture {capture.name!r}: {capture.frames} frames of {capture.snap_length} bytes; "
                "at least 1 frame, of 0 (all) or more bytes"
            )
        request = capture_pb2.StartCaptureRequest(capture=convert_capture.capture_message(capture))
        self._calls.ask(self._calls.stub.StartCapture, request)
        self._started.add(capture.name)

    def stop(self, name: str) -> StoppedCapture:
        """See `TargetCaptures`."""
        answer = self._calls.ask(self._calls.stub.StopCapture, capture_pb2.StopCaptureRequest(name=name))
        return convert_capture.stopped_value(answer)

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """See `TargetCaptures`."""
        request = capture_pb2.ReadCaptureRequest(name=name)
        with self._calls.errors("ReadCapture"):
            call = self._calls.stub.ReadCapture(request, timeout=_READ_S, metadata=self._calls.metadata)
            try:
                for chunk in call:
                    yield convert_capture.frames_value(chunk)
            finally:
                call.cancel()

    def forget(self, name: str) -> None:
        """See `TargetCaptures`."""
        self._calls.ask(self._calls.stub.ForgetCapture, capture_pb2.ForgetCaptureRequest(name=name))
        self._started.discard(name)

    def forget_all(self) -> None:
        """Forgets what this session has started. Raises as `forget`."""
        for name in sorted(self._started):
            self.forget(name)
