# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory, descriptors and packet buffers of an engine."""

from __future__ import annotations

from ..._generated.tester.v1 import control_pb2
from ...measurement.tester_usage import TesterUsage
from .calls import EngineCalls


class EngineUsage:
    """See `TargetUsage`."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls

    def read(self) -> TesterUsage:
        """See `TargetUsage`."""
        with self._calls.errors("GetInfo"):
            info = self._calls.stub.GetInfo(control_pb2.GetInfoRequest(), timeout=self._calls.answer_s)
        if not info.HasField("usage"):  # of an engine of an earlier version
            return TesterUsage()
        usage = info.usage
        return TesterUsage(
            resident_bytes=usage.resident_bytes if usage.HasField("resident_bytes") else None,
            descriptors=usage.descriptors if usage.HasField("descriptors") else None,
            mbufs=usage.mbufs,
        )
