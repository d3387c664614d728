# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Single frames, and questions for neighbours, in an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import grpc

from ..._generated.tester.v1 import control_pb2
from ...errors import Inconclusive, PlanError
from ...model.plan.plan import LearningFrame
from ...model.ports import Address
from . import convert
from .calls import EngineCalls

_RESOLVE_NS = 10**9
_INJECT_S = 60.0  # returns when all frames have left


class EngineFrames:
    """Single frames through the ports of an engine."""

    def __init__(self, calls: EngineCalls, info: Callable[[], control_pb2.GetInfoResponse]) -> None:
        self._calls, self._info = calls, info

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `TargetFrames`."""
        frames = list(frames)
        info = self._info()
        ports = {port.name for port in info.ports}
        for frame in frames:  # all ports are checked first: refused means that nothing was sent
            if frame.port not in ports:
                raise PlanError(f"the tester has no port {frame.port!r}; it has {', '.join(sorted(ports))}")
        for request in convert.inject_messages(frames, max(1, info.limits.max_inject_frames)):
            self._calls.ask(self._calls.stub.Inject, request, timeout_s=_INJECT_S)

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `TargetFrames`."""
        request = control_pb2.ResolveRequest(
            port=port,
            address=address.packed,
            source_address=source.packed,
            source_mac=source_mac,
            timeout_ns=_RESOLVE_NS,
        )
        began = time.monotonic()
        try:
            return self._calls.stub.Resolve(
                request, timeout=self._calls.answer_s, metadata=self._calls.metadata
            ).mac
        except grpc.RpcError as error:
            # Before our own deadline the error comes from the engine: it runs, but the neighbour is missing.
            in_time = time.monotonic() - began < self._calls.answer_s
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and in_time:
                raise Inconclusive(
                    f"nobody answers at {address} on port {port!r}: {error.details()}"
                ) from None
            raise self._calls.translated(error, "Resolve") from None
