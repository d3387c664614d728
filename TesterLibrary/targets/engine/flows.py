# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows of streams and of stamps in an engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..._generated.tester.v1 import control_pb2
from ...measurement.snapshot import FlowCounters
from ...model.heading import Heading
from ..parts import StampRecords
from . import convert_counters
from .calls import EngineCalls

_FLOWS_S = 60.0  # for millions of flows


class EngineFlows:
    """The flows of streams in an engine."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `TargetFlows`."""
        request = control_pb2.ReadFlowsRequest(job=job, stream_id=stream_id)
        with self._calls.errors("ReadFlows", [job]):
            for chunk in self._calls.stub.ReadFlows(request, timeout=_FLOWS_S, metadata=self._calls.metadata):
                yield FlowCounters.from_message(chunk)


class EngineStamps:
    """The flows and intervals of stamps in an engine."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls

    def read(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:
        """See `TargetStamps`."""
        request = control_pb2.ReadStampsRequest(job=job, name=name, heading=heading.value)
        with self._calls.errors("ReadStamps", [job]):
            for chunk in self._calls.stub.ReadStamps(
                request, timeout=_FLOWS_S, metadata=self._calls.metadata
            ):
                yield convert_counters.stamp_records_value(chunk)
