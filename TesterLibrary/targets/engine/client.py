# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives `testerd` over gRPC. `proto/tester/v1/control.proto` is the contract of each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress

import grpc

from ..._generated.tester.v1 import control_pb2
from ...errors import PlanError, TargetError, TesterLibraryError
from ...measurement.snapshot import Snapshot
from ...model.plan.plan import Plan, PlannedStream
from ...model.units.units import Duration
from ..base import Capabilities, Flipped, SendingProgress, still_sending
from ..dead_clients import process_of
from ..parts import LeaseTerms
from . import convert, convert_counters
from .address import Certificates, open_channel
from .calls import EngineCalls
from .captures import EngineCaptures
from .engine_instants import EngineInstants
from .engine_leases import EngineLeases
from .engine_usage import EngineUsage
from .flows import EngineFlows, EngineStamps
from .frames import EngineFrames
from .owner import OWNER, client
from .queries import EngineQueries

_SHORTEST_LEASE = Duration(10**9)


class EngineTarget:
    """A `Target` in an engine; every call has a deadline."""

    kind = "a testerd"
    clock = clocks = device = planner = None

    def __init__(
        self,
        channel: grpc.Channel,
        address: str,
        *,
        on_close: Callable[[], None] | None = None,
        obituary: Callable[[], str] | None = None,
    ) -> None:
        """`on_close` ends an engine that we started; `obituary` says how it ended, empty if it has not."""
        self._calls = EngineCalls(channel, address, obituary)
        self._on_close = on_close
        self._info: control_pb2.GetInfoResponse | None = None
        self.captures = EngineCaptures(self._calls)
        self.queries = EngineQueries(self._calls)
        self.flows = EngineFlows(self._calls)
        self.stamps = EngineStamps(self._calls)
        self.frames = EngineFrames(self._calls, self._read_info)
        self.leases = EngineLeases(self._calls)
        self.usage = EngineUsage(self._calls)
        self.instants = EngineInstants(self._calls)

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
        return convert.capabilities_value(self._read_info())

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        self._calls.ask(self._calls.stub.Load, control_pb2.LoadRequest(job=convert.job_message(plan)))
        self._calls.loaded.add(plan.job)

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`."""
        self.instants.start(jobs, duration=duration, packets=packets)

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`."""
        self._calls.ask(self._calls.stub.Stop, control_pb2.StopRequest(jobs=jobs, abandon=abandon), jobs)

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`."""
        request = control_pb2.UpdateRequest(job=job, stream=convert.stream_message(stream))
        self._calls.ask(self._calls.stub.Update, request, [job])

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        self._calls.ask(self._calls.stub.Unload, control_pb2.UnloadRequest(jobs=jobs), jobs)
        self._calls.loaded.difference_update(jobs)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        with self._calls.errors("Wait", jobs, late=still_sending(jobs, timeout)):
            call = self._calls.stub.Wait(
                control_pb2.WaitRequest(jobs=jobs), timeout=timeout.seconds, metadata=self._calls.metadata
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
        answer = self._calls.ask(self._calls.stub.TakeSnapshot, request, jobs)
        return convert_counters.snapshot_value(answer, client())

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        answer = self._calls.ask(self._calls.stub.Flip, control_pb2.FlipRequest(jobs=jobs), jobs)
        return Flipped(answer.flipped_at_ns, answer.closed_version)

    def shutdown(self, timeout: Duration) -> None:
        """Asks the engine to end itself. Raises TargetError if it does not answer."""
        self._calls.ask(self._calls.stub.Shutdown, control_pb2.ShutdownRequest(), timeout_s=timeout.seconds)

    def close(self) -> None:
        """See `Target`."""
        if not self._on_close:
            with suppress(TargetError, PlanError):
                self.captures.forget_all()
                self.queries.forget_all()
            for job in sorted(
                self._calls.loaded
            ):  # one by one, because others may have unloaded some of them
                with suppress(TargetError, PlanError):
                    self.unload([job])
        self.leases.release()
        if self._on_close:
            self._on_close()
        self._calls.channel.close()

    def _read_info(self) -> control_pb2.GetInfoResponse:
        """The engine's identity and limits, which do not change while it runs."""
        if self._info is None:
            with self._calls.errors("GetInfo"):
                self._info = self._calls.stub.GetInfo(
                    control_pb2.GetInfoRequest(), timeout=self._calls.answer_s
                )
        return self._info


def end_lease_of(process: int, address: str, certificates: Certificates | None) -> None:
    """Ends the lease of a process of this machine that was killed, and its traffic, before its time.

    A lease of anybody else is left alone, and so is a tester that does not answer.
    """
    with (
        suppress(TesterLibraryError),
        closing(EngineTarget.connect(address, certificates=certificates)) as target,
    ):
        holder = target.leases.holder()
        if holder and process_of(holder) == process:
            target.leases.acquire(LeaseTerms(OWNER, _SHORTEST_LEASE, force=True))
