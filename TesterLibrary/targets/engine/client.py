# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives `testerd` over gRPC. `proto/tester/v1/control.proto` is the contract of each call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain

import grpc

from ..._generated.tester.v1 import capture_pb2, control_pb2, control_pb2_grpc, lease_pb2, query_pb2
from ...errors import Inconclusive, LeaseError, PlanError, TargetError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...measurement.query import QuerySummary, RawRow
from ...measurement.snapshot import FlowCounters, Snapshot
from ...model.capture import Capture
from ...model.heading import Heading
from ...model.plan.plan import LearningFrame, Plan, PlannedStream
from ...model.plan.planned_query import PlannedQuery
from ...model.ports import Address
from ...model.units.units import Duration
from ..base import (
    Capabilities,
    Flipped,
    LeaseHolder,
    LeaseTerms,
    SendingProgress,
    StampRecords,
    still_sending,
)
from . import convert, convert_capture, convert_counters, convert_query, leases
from .address import Certificates, open_channel
from .owner import client

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
_ANSWER_S = 10.0  # for calls that answer within a second, on a machine that may be busy
_RESOLVE_NS = 10**9
_READ_S = 600.0  # for the largest capture, even if the reader writes it slowly
_FLOWS_S = 60.0  # for millions of flows
_QUERY_S = 300.0  # for millions of keys
_INJECT_S = 60.0  # returns when all frames have left


class EngineTarget:
    """A `Target` in an engine; every call has a deadline."""

    def __init__(
        self,
        channel: grpc.Channel,
        address: str,
        *,
        on_close: Callable[[], None] | None = None,
        obituary: Callable[[], str] | None = None,
    ) -> None:
        """`on_close` ends an engine that we started; `obituary` says how it ended, empty if it has not."""
        self._channel = channel
        self._stub = control_pb2_grpc.TesterStub(channel)
        self._address = address
        self._on_close = on_close
        self._obituary = obituary
        self._capabilities: Capabilities | None = None
        self._inject_limit = 1
        self._loaded: set[str] = set()
        self._captures: set[str] = set()
        self._queries: set[str] = set()
        self._lease: leases.Lease | None = None

    @classmethod
    def connect(cls, address: str, *, certificates: Certificates | None = None) -> EngineTarget:
        """Reaches an engine that somebody else started; closing leaves it running, without our jobs.

        Args:
            address: `unix:/path`, or `grpc+tls:host:port`.
            certificates: For TLS: PEM files `ca`, `certificate` and `key`.

        Raises:
            TestbedError: the address or a certificate file is wrong.
            TargetError: nobody answers there.
        """
        target = cls(open_channel(address, certificates), address)
        try:
            target.capabilities()
        except BaseException:
            target.close()
            raise
        return target

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        if self._capabilities is None:
            with self._errors("GetInfo"):
                info = self._stub.GetInfo(control_pb2.GetInfoRequest(), timeout=_ANSWER_S)
            self._capabilities = convert.capabilities_value(info)
            self._inject_limit = max(1, info.limits.max_inject_frames)
        return self._capabilities

    @property
    def _metadata(self) -> leases.Metadata:
        return self._lease.metadata if self._lease else ()

    def lease(self, terms: LeaseTerms) -> LeaseHolder | None:
        """See `Target`. PlanError if this target has a lease already."""
        if self._lease is not None:
            raise PlanError(f"this session has the lease of the tester at {self._address} already")
        with self._errors("AcquireLease"):
            self._lease, taken_over = leases.acquire(self._stub, self._address, terms)
        return taken_over

    def keep_lease(self, token: str) -> None:
        """Goes on with a lease that an earlier process has acquired, and releases it when it is closed.

        LeaseError if it has ended.
        """
        with self._errors("RenewLease"):
            self._lease = leases.use(self._stub, self._address, token, is_given=False)

    @property
    def lease_token(self) -> str:
        """The token of its lease, for a process that is to use it; empty without a lease."""
        return self._lease.token if self._lease else ""

    @property
    def is_leased(self) -> bool:
        """Whether this target has a lease that has not been lost, as far as is known."""
        return self._lease is not None and self._lease.is_kept

    def is_free(self) -> bool:
        """Whether a client without a lease may use the tester now."""
        with self._errors("GetLease"):
            answer = self._stub.GetLease(lease_pb2.GetLeaseRequest(), timeout=_ANSWER_S)
        return not answer.required and not answer.HasField("lease")

    def lease_holder(self) -> LeaseHolder | None:
        """Who may use the tester now; None if nobody holds a lease."""
        with self._errors("GetLease"):
            answer = self._stub.GetLease(lease_pb2.GetLeaseRequest(), timeout=_ANSWER_S)
        return leases.holder(answer.lease) if answer.HasField("lease") else None

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        with self._errors("Load"):
            self._stub.Load(
                control_pb2.LoadRequest(job=convert.job_message(plan)),
                timeout=_ANSWER_S,
                metadata=self._metadata,
            )
        self._loaded.add(plan.job)

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`."""
        # On the wire 0 means no limit; a user who writes 0 means something else.
        if duration is not None and duration.ns <= 0:
            raise PlanError(f"a duration of {duration} is too short; it must be above 0")
        if packets is not None and packets < 1:
            raise PlanError(f"{packets} frames a stream are too few; at least 1, or None for no limit")
        request = control_pb2.StartRequest(
            jobs=jobs, duration_ns=duration.ns if duration else 0, packets_per_stream=packets or 0
        )
        with self._errors("Start", jobs):
            self._stub.Start(request, timeout=_ANSWER_S, metadata=self._metadata)

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`."""
        with self._errors("Stop", jobs):
            self._stub.Stop(
                control_pb2.StopRequest(jobs=jobs, abandon=abandon),
                timeout=_ANSWER_S,
                metadata=self._metadata,
            )

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`."""
        request = control_pb2.UpdateRequest(job=job, stream=convert.stream_message(stream))
        with self._errors("Update", [job]):
            self._stub.Update(request, timeout=_ANSWER_S, metadata=self._metadata)

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        with self._errors("Unload", jobs):
            self._stub.Unload(
                control_pb2.UnloadRequest(jobs=jobs), timeout=_ANSWER_S, metadata=self._metadata
            )
        self._loaded.difference_update(jobs)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        with self._errors("Wait", jobs, late=still_sending(jobs, timeout)):
            call = self._stub.Wait(
                control_pb2.WaitRequest(jobs=jobs), timeout=timeout.seconds, metadata=self._metadata
            )
            try:
                for progress in call:
                    if on_progress:
                        on_progress(convert.progress_value(progress))
            finally:
                call.cancel()

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        """See `Target`."""
        request = control_pb2.TakeSnapshotRequest(jobs=jobs, without_buckets=not buckets)
        with self._errors("TakeSnapshot", jobs):
            answer = self._stub.TakeSnapshot(request, timeout=_ANSWER_S, metadata=self._metadata)
        return convert_counters.snapshot_value(answer, client())

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        with self._errors("Flip", jobs):
            answer = self._stub.Flip(
                control_pb2.FlipRequest(jobs=jobs), timeout=_ANSWER_S, metadata=self._metadata
            )
        return Flipped(answer.flipped_at_ns, answer.closed_version)

    def flows(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `Target`."""
        request = control_pb2.ReadFlowsRequest(job=job, stream_id=stream_id)
        with self._errors("ReadFlows", [job]):
            for chunk in self._stub.ReadFlows(request, timeout=_FLOWS_S, metadata=self._metadata):
                yield convert_counters.flows_value(chunk)

    def stamp_records(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:
        """See `Target`."""
        request = control_pb2.ReadStampsRequest(job=job, name=name, heading=heading.value)
        with self._errors("ReadStamps", [job]):
            for chunk in self._stub.ReadStamps(request, timeout=_FLOWS_S, metadata=self._metadata):
                yield convert_counters.stamp_records_value(chunk)

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `Target`."""
        frames = list(frames)
        capabilities = self.capabilities()
        known = {port.name for port in capabilities.ports}
        for frame in frames:  # all ports are checked first: refused means that nothing was sent
            if frame.port not in known:
                raise PlanError(f"the tester has no port {frame.port!r}; it has {', '.join(sorted(known))}")
        for request in convert.inject_messages(frames, self._inject_limit):
            with self._errors("Inject"):
                self._stub.Inject(request, timeout=_INJECT_S, metadata=self._metadata)

    def start_capture(self, capture: Capture) -> None:
        """See `Target`."""
        if not 0 <= capture.frames < 2**32 or not 0 <= capture.snap_length < 2**32:
            raise PlanError(
                f"capture {capture.name!r}: {capture.frames} frames of {capture.snap_length} bytes; "
                "at least 1 frame, of 0 (all) or more bytes"
            )
        request = capture_pb2.StartCaptureRequest(capture=convert_capture.capture_message(capture))
        with self._errors("StartCapture"):
            self._stub.StartCapture(request, timeout=_ANSWER_S, metadata=self._metadata)
        self._captures.add(capture.name)

    def stop_capture(self, name: str) -> StoppedCapture:
        """See `Target`."""
        with self._errors("StopCapture"):
            answer = self._stub.StopCapture(
                capture_pb2.StopCaptureRequest(name=name), timeout=_ANSWER_S, metadata=self._metadata
            )
        return convert_capture.stopped_value(answer)

    def read_capture(self, name: str) -> Iterator[CapturedFrames]:
        """See `Target`."""
        with self._errors("ReadCapture"):
            call = self._stub.ReadCapture(
                capture_pb2.ReadCaptureRequest(name=name), timeout=_READ_S, metadata=self._metadata
            )
            try:
                for chunk in call:
                    yield convert_capture.frames_value(chunk)
            finally:
                call.cancel()

    def forget_capture(self, name: str) -> None:
        """See `Target`."""
        with self._errors("ForgetCapture"):
            self._stub.ForgetCapture(
                capture_pb2.ForgetCaptureRequest(name=name), timeout=_ANSWER_S, metadata=self._metadata
            )
        self._captures.discard(name)

    def start_query(self, query: PlannedQuery) -> None:
        """See `Target`."""
        request = query_pb2.StartQueryRequest(query=convert_query.query_message(query))
        with self._errors("StartQuery"):
            self._stub.StartQuery(request, timeout=_ANSWER_S, metadata=self._metadata)
        self._queries.add(query.name)

    def stop_query(self, name: str) -> None:
        """See `Target`."""
        with self._errors("StopQuery"):
            self._stub.StopQuery(
                query_pb2.StopQueryRequest(name=name), timeout=_ANSWER_S, metadata=self._metadata
            )

    def read_query(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """See `Target`."""
        request = query_pb2.ReadQueryRequest(name=name, top=top, keys=keys)
        with self._errors("ReadQuery"):
            call = self._stub.ReadQuery(request, timeout=_QUERY_S, metadata=self._metadata)
            first = next(call)

        def rows() -> Iterator[RawRow]:
            with self._errors("ReadQuery"):
                try:
                    for chunk in chain([first], call):
                        yield from map(convert_query.row_value, chunk.rows)
                finally:
                    call.cancel()

        return convert_query.summary_value(first.summary), rows()

    def forget_query(self, name: str) -> None:
        """See `Target`."""
        with self._errors("ForgetQuery"):
            self._stub.ForgetQuery(
                query_pb2.ForgetQueryRequest(name=name), timeout=_ANSWER_S, metadata=self._metadata
            )
        self._queries.discard(name)

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `Target`."""
        request = control_pb2.ResolveRequest(
            port=port,
            address=address.packed,
            source_address=source.packed,
            source_mac=source_mac,
            timeout_ns=_RESOLVE_NS,
        )
        asked_at = time.monotonic()
        try:
            return self._stub.Resolve(request, timeout=_ANSWER_S, metadata=self._metadata).mac
        except grpc.RpcError as error:
            # Before our own deadline the error comes from the engine: it runs, but the neighbour is missing.
            in_time = time.monotonic() - asked_at < _ANSWER_S
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and in_time:
                raise Inconclusive(
                    f"nobody answers at {address} on port {port!r}: {error.details()}"
                ) from None
            raise self._translated(error, "Resolve") from None

    def shutdown(self, timeout: Duration) -> None:
        """Asks the engine to end itself. Raises TargetError if it does not answer."""
        with self._errors("Shutdown"):
            self._stub.Shutdown(
                control_pb2.ShutdownRequest(), timeout=timeout.seconds, metadata=self._metadata
            )

    def close(self) -> None:
        """See `Target`."""
        if not self._on_close:
            with suppress(TargetError, PlanError):
                for name in sorted(self._captures):
                    self.forget_capture(name)
                for name in sorted(self._queries):
                    self.forget_query(name)
            for job in sorted(self._loaded):  # one by one, because others may have unloaded some of them
                with suppress(TargetError, PlanError):
                    self.unload([job])
        if self._lease:
            leases.release(self._lease, self._stub)
            self._lease = None
        if self._on_close:
            self._on_close()
        self._channel.close()

    @contextmanager
    def _errors(
        self, call: str, jobs: Sequence[str] = (), *, late: TargetError | None = None
    ) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            gone = (error.details() or "").startswith("no job ")
            ours = bool(jobs) and self._loaded.issuperset(jobs)
            if gone and error.code() is grpc.StatusCode.NOT_FOUND and ours:
                if ended := self._lease.ended(self._stub) if self._lease else "":
                    raise LeaseError(f"{call}: {ended}; what was loaded under it is gone") from None
                raise TargetError(
                    f"{call}: {error.details()}. This session has loaded what is missing, so somebody else "
                    f"has unloaded it, or started the tester at {self._address} anew"
                ) from None
            raise self._translated(error, call, late) from None

    def _advice(self) -> str:
        """Advice to whom nobody answers: a server that refuses a certificate hangs up without saying why."""
        if self._address.startswith("unix:"):
            path = self._address.removeprefix("unix:")
            return (
                f"; start it first: testerd --listen {self._address} --port NAME=iface:INTERFACE …, or leave "
                f"out the testbed's tester: address:, and each run starts its own. Nobody listens at {path}"
            )
        if not self._address.startswith("grpc+tls:"):
            return ""
        return (
            "; if it runs, it wants a client certificate that its --tls-client-ca has signed: the testbed "
            "names it as certificate and key, and who has signed the tester's own as ca, under "
            "tester: certificates"
        )

    def _translated(
        self, error: grpc.RpcError, call: str, late: TargetError | None = None
    ) -> PlanError | TargetError:
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
            return late or TargetError(f"the tester at {self._address} did not answer {call} in time")
        if code is grpc.StatusCode.UNAVAILABLE:
            return TargetError(f"no tester answers at {self._address} ({call}: {details}){self._advice()}")
        return TargetError(f"the tester at {self._address} failed in {call}: {code.name}: {details}")
