# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The lease under which this process uses an engine: acquired once, renewed by a thread, and released.

A process that dies renews nothing, and the engine stops its traffic when the lease has ended.

Somebody else may have acquired the lease for this process, as `tester serve` does for its users. VARIABLE
then has the address of the engine and the token: the lease is used and renewed here, and never released.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from datetime import datetime, timedelta, timezone

import grpc

from ..._generated.tester.v1 import control_pb2_grpc, lease_pb2
from ...errors import PlanError
from ...model.units.units import Duration
from ..parts import LeaseHolder, LeaseTerms

VARIABLE = "TESTER_LEASE"  # in the environment: ADDRESS TOKEN
_KEY = "tester-lease"
_ANSWER_S = 10.0
_RENEWALS = 3  # within the time of a lease
_LONGEST_PAUSE_S = 5.0  # between renewals, so that who has lost a long lease learns it soon
_RETRIES = 10  # the same, while the engine does not answer

Metadata = tuple[tuple[str, str], ...]
Stub = control_pb2_grpc.TesterStub


class Lease:
    """A lease that this process holds at one address, whatever number of targets use it."""

    def __init__(self, stub: Stub, address: str, token: str, ttl_ns: int, *, is_given: bool = False) -> None:
        """`is_given`: somebody else has acquired it, and releases it."""
        self.token = token
        self.metadata: Metadata = ((_KEY, token),)
        self.address = address
        self.users = [stub]  # connections of those that use it; any of them can renew it
        self.is_given = is_given
        self._ttl_s = ttl_ns / 1e9
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"lease of {address}", daemon=True)
        self._thread.start()

    @property
    def is_kept(self) -> bool:
        """Whether it is renewed; no more once the engine has said that it has ended."""
        return self._thread.is_alive()

    def _keep(self) -> None:
        usual = pause = min(self._ttl_s / _RENEWALS, _LONGEST_PAUSE_S)
        while not self._closed.wait(pause):
            try:
                self.users[-1].RenewLease(
                    lease_pb2.RenewLeaseRequest(),
                    metadata=self.metadata,
                    timeout=min(_ANSWER_S, self._ttl_s / _RENEWALS),
                )
                pause = usual
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.PERMISSION_DENIED:
                    return  # every further call is told so, and who has the tester now
                pause = min(self._ttl_s / _RETRIES, usual)
            except ValueError:  # this user has just closed its connection
                pause = min(self._ttl_s / _RETRIES, usual)

    def ended(self, stub: Stub) -> str:
        """How it has ended, as the engine says; empty if it has not, or nobody answers."""
        try:
            stub.RenewLease(lease_pb2.RenewLeaseRequest(), metadata=self.metadata, timeout=_ANSWER_S)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.PERMISSION_DENIED:
                return error.details() or ""
        return ""

    def close(self) -> None:
        """Releases the lease, unless it was given: what was loaded under it is gone. Never raises."""
        self._closed.set()
        if not self.is_given:
            with suppress(grpc.RpcError):
                request = lease_pb2.ReleaseLeaseRequest()
                self.users[-1].ReleaseLease(request, metadata=self.metadata, timeout=_ANSWER_S)
        self._thread.join()


_held: dict[str, Lease] = {}  # by address
_holding = threading.Lock()


def acquire(stub: Stub, address: str, terms: LeaseTerms) -> tuple[Lease, LeaseHolder | None]:
    """The lease of this process at an address, and who was deprived of it by force.

    A process that holds the lease already goes on with it: its targets do not exclude each other. One that
    was given a lease of this address uses that.

    Raises:
        grpc.RpcError: the engine refuses, or does not answer.
        PlanError: a lease was given, and another one is to be taken by force.
    """
    if token := _given(address):
        if terms.force:
            raise PlanError(
                f"{VARIABLE} gives this run a lease of the tester at {address}; leave out force, or unset it"
            )
        return use(stub, address, token, is_given=True), None
    with _holding:
        held = _held.get(address)
        if held is not None and held.is_kept and not terms.force:
            held.users.append(stub)
            return held, None
        request = lease_pb2.AcquireLeaseRequest(
            owner=terms.owner, ttl_ns=max(0, terms.ttl.ns), force=terms.force
        )
        granted = stub.AcquireLease(request, timeout=_ANSWER_S)
        lease = _held[address] = Lease(stub, address, granted.token, granted.lease.ttl_ns)
        return lease, holder(granted.taken_over) if granted.HasField("taken_over") else None


def use(stub: Stub, address: str, token: str, *, is_given: bool) -> Lease:
    """The lease of a token that is known already: one that was given, or was acquired by an earlier process.

    Raises:
        grpc.RpcError: the lease has ended, or the engine does not answer.
    """
    with _holding:
        held = _held.get(address)
        if held is not None and held.is_kept and held.token == token:
            held.users.append(stub)
            return held
        metadata = ((_KEY, token),)
        renewed = stub.RenewLease(lease_pb2.RenewLeaseRequest(), metadata=metadata, timeout=_ANSWER_S)
        lease = _held[address] = Lease(stub, address, token, renewed.lease.ttl_ns, is_given=is_given)
        return lease


def variable(address: str, token: str) -> str:
    """The value of VARIABLE for a process that is to use a lease."""
    return f"{address} {token}"


def _given(address: str) -> str:
    """The token that this process was given for an address; empty if there is none."""
    given_address, _, token = os.environ.get(VARIABLE, "").rpartition(" ")
    return token if given_address == address else ""


def release(lease: Lease, stub: Stub) -> None:
    """Ends the use of a lease by one target; the last one releases it. Never raises."""
    with _holding:
        if len(lease.users) > 1:
            lease.users.remove(stub)
            return
        if _held.get(lease.address) is lease:
            del _held[lease.address]
        lease.close()


def holder(message: lease_pb2.Lease) -> LeaseHolder:
    """The holder of a lease, from its message."""
    return LeaseHolder(
        number=message.number,
        owner=message.owner,
        client=message.client,
        since=datetime.fromtimestamp(message.since_unix_ns // 10**9, timezone.utc),
        until=datetime.now(timezone.utc) + timedelta(microseconds=message.remaining_ns // 1000),
        ttl=Duration(message.ttl_ns),
    )
