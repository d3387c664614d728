# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls to an engine: its channel, the lease they use, and what their errors mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from ..._generated.tester.v1 import control_pb2_grpc
from ...errors import LeaseError, PlanError, TargetError
from ..parts import JobGone
from . import leases

_REFUSED = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
_SINGLE_FRAMES = frozenset({"Inject", "Resolve"})  # calls that need no state of the tester but a link

T = TypeVar("T")


class EngineCalls:
    """The connection to an engine, which a target and its parts share."""

    answer_s = 10.0  # for calls that answer within a second, on a machine that may be busy

    def __init__(self, channel: grpc.Channel, address: str, obituary: Callable[[], str] | None) -> None:
        """`obituary` says how the engine ended, empty if it has not."""
        self.channel = channel
        self.stub = control_pb2_grpc.TesterStub(channel)
        self.address = address
        self.loaded: set[str] = set()  # jobs of this session
        self.lease: leases.Lease | None = None
        self._obituary = obituary

    @property
    def metadata(self) -> leases.Metadata:
        """Metadata of each call: the token of the lease."""
        return self.lease.metadata if self.lease else ()

    def ask(
        self,
        call: Callable[..., T],
        request: Message,
        jobs: Sequence[str] = (),
        *,
        timeout_s: float | None = None,
    ) -> T:
        """The answer to a request. Errors are those of this library; `jobs` are the jobs that it names."""
        with self.errors(request.DESCRIPTOR.name.removesuffix("Request"), jobs):
            return call(request, timeout=timeout_s or self.answer_s, metadata=self.metadata)

    @contextmanager
    def errors(
        self, call: str, jobs: Sequence[str] = (), *, late: TargetError | None = None
    ) -> Iterator[None]:
        """Raises errors of gRPC as those of this library. `late`: the error of a call that took too long."""
        try:
            yield
        except grpc.RpcError as error:
            gone = (error.details() or "").startswith("no job ")
            ours = bool(jobs) and self.loaded.issuperset(jobs)
            if gone and error.code() is grpc.StatusCode.NOT_FOUND and ours:
                if ended := self.lease.ended(self.stub) if self.lease else "":
                    raise LeaseError(f"{call}: {ended}; what was loaded under it is gone") from None
                raise JobGone(
                    f"{call}: {error.details()}. This session has loaded what is missing, so somebody else "
                    f"has unloaded it, or started the tester at {self.address} anew"
                ) from None
            raise self.translated(error, call, late) from None

    def translated(
        self, error: grpc.RpcError, call: str, late: TargetError | None = None
    ) -> PlanError | TargetError:
        """The error of this library for one of gRPC."""
        code, details = error.code(), error.details() or ""
        if code is grpc.StatusCode.FAILED_PRECONDITION and call in _SINGLE_FRAMES:
            return TargetError(details)  # the port takes no frames
        if code in _REFUSED:
            return PlanError(details)
        if code is grpc.StatusCode.PERMISSION_DENIED:
            return LeaseError(f"{call}: {details}")
        if code is grpc.StatusCode.ABORTED:
            return TargetError(f"{call}: {details}")
        ended = self._obituary() if self._obituary else ""
        if ended:
            return TargetError(f"{call}: {ended}. Close Tester, then Open Tester, starts another")
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return late or TargetError(f"the tester at {self.address} did not answer {call} in time")
        if code is grpc.StatusCode.UNAVAILABLE:
            return TargetError(f"no tester answers at {self.address} ({call}: {details}){self._advice()}")
        return TargetError(f"the tester at {self.address} failed in {call}: {code.name}: {details}")

    def _advice(self) -> str:
        """Advice to whom nobody answers: a server that refuses a certificate hangs up without saying why."""
        if self.address.startswith("unix:"):
            path = self.address.removeprefix("unix:")
            return (
                f"; start it first: testerd --listen {self.address} --port NAME=iface:INTERFACE …, or leave "
                f"out the testbed's tester: address:, and each run starts its own. Nobody listens at {path}"
            )
        if not self.address.startswith("grpc+tls:"):
            return ""
        return (
            "; if it runs, it wants a client certificate that its --tls-client-ca has signed: the testbed "
            "names it as certificate and key, and who has signed the tester's own as ca, under "
            "tester: certificates"
        )
