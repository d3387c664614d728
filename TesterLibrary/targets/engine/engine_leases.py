# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The lease of an engine, as one target uses it."""

from __future__ import annotations

from ..._generated.tester.v1 import lease_pb2
from ...errors import PlanError
from ..parts import LeaseHolder, LeaseTerms
from . import leases
from .calls import EngineCalls


class EngineLeases:
    """Acquires the lease of an engine, and releases it when the target is closed."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls

    def acquire(self, terms: LeaseTerms) -> LeaseHolder | None:
        """See `TargetLeases`. PlanError if this target has a lease already."""
        if self._calls.lease is not None:
            raise PlanError(f"this session has the lease of the tester at {self._calls.address} already")
        with self._calls.errors("AcquireLease"):
            self._calls.lease, taken_over = leases.acquire(self._calls.stub, self._calls.address, terms)
        return taken_over

    def holder(self) -> LeaseHolder | None:
        """Who may use the tester now; None if nobody holds a lease."""
        with self._calls.errors("GetLease"):
            answer = self._calls.stub.GetLease(lease_pb2.GetLeaseRequest(), timeout=self._calls.answer_s)
        return leases.holder(answer.lease) if answer.HasField("lease") else None

    def is_free(self) -> bool:
        """Whether a client without a lease may use the tester now."""
        with self._calls.errors("GetLease"):
            answer = self._calls.stub.GetLease(lease_pb2.GetLeaseRequest(), timeout=self._calls.answer_s)
        return not answer.required and not answer.HasField("lease")

    def keep(self, token: str) -> None:
        """Goes on with a lease that an earlier process has acquired, and releases it when it is closed.

        LeaseError if it has ended.
        """
        with self._calls.errors("RenewLease"):
            self._calls.lease = leases.use(self._calls.stub, self._calls.address, token, is_given=False)

    @property
    def token(self) -> str:
        """The token of its lease, for a process that is to use it; empty without a lease."""
        return self._calls.lease.token if self._calls.lease else ""

    @property
    def is_kept(self) -> bool:
        """Whether this target has a lease that has not been lost, as far as is known."""
        return self._calls.lease is not None and self._calls.lease.is_kept

    def release(self) -> None:
        """Ends the use of the lease by this target, if it has one. Never raises."""
        if self._calls.lease:
            leases.release(self._calls.lease, self._calls.stub)
            self._calls.lease = None
