# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The clock of an engine, and starts at an instant of it."""

from __future__ import annotations

from collections.abc import Sequence

from ..._generated.tester.v1 import control_pb2
from ...errors import PlanError
from ...model.units.units import Duration
from ..parts import InstantPassed
from ..rules.refusal import check_end
from .calls import EngineCalls


class EngineInstants:
    """Starts the jobs of an engine."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls

    def read_ns(self) -> int:
        """See `TargetInstants`."""
        return self._calls.ask(self._calls.stub.ReadClock, control_pb2.ReadClockRequest()).engine_ns

    def start(
        self,
        jobs: Sequence[str],
        *,
        at_ns: int = 0,
        duration: Duration | None = None,
        packets: int | None = None,
    ) -> None:
        """See `TargetInstants`. 0 as an instant: as soon as possible."""
        check_end(duration, packets)  # 0 means no limit on the wire
        request = control_pb2.StartRequest(
            jobs=jobs, duration_ns=duration.ns if duration else 0, packets_per_stream=packets or 0
        )
        if at_ns:
            request.at_ns = at_ns
        try:
            self._calls.ask(self._calls.stub.Start, request, jobs)
        except PlanError:
            if at_ns and self.read_ns() >= at_ns:
                raise InstantPassed(
                    "Start: the order came after the instant that was agreed for it; this machine, or the "
                    "network to the tester, is too slow"
                ) from None
            raise
