# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Acquires a place in labgrid beside the lease of the service, so that those who use labgrid see who has it.

labgrid's coordinator (26.0) has neither TLS nor users: it believes every name. It keeps people apart who mean
well; the tester's own lease keeps out the others.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from socket import gethostname
from typing import Any

import grpc

from ..errors import TesterLibraryError
from .config import LabgridPlace

_ANSWER_S = 10.0
_CLIENT = "tester-serve"


def acquire(place: LabgridPlace, owner: str) -> None:
    """Acquires a place for a user of the service.

    Raises:
        TesterLibraryError: labgrid is not installed, its coordinator does not answer, there is no such place,
            or somebody who does not use this service has it.
    """
    with _session(place, f"{_user()}/{owner}") as (messages, stub):
        holder = _holder(messages, stub, place.place)
        if holder.startswith(f"{_user()}/"):  # an earlier process has left it
            _release(messages, stub, place.place, holder)
        elif holder:
            raise TesterLibraryError(f"in labgrid, {holder} has acquired the place {place.place!r}")
        stub.AcquirePlace(messages.AcquirePlaceRequest(placename=place.place), timeout=_ANSWER_S)


def release(place: LabgridPlace) -> None:
    """Releases a place, if it was acquired by this service. TesterLibraryError as `acquire`."""
    with _session(place, _user()) as (messages, stub):
        holder = _holder(messages, stub, place.place)
        if holder.startswith(f"{_user()}/"):
            _release(messages, stub, place.place, holder)


def _user() -> str:
    return f"{gethostname()}/{_CLIENT}"


def _holder(messages: Any, stub: Any, name: str) -> str:
    """Who has acquired a place; empty if nobody has."""
    places = stub.GetPlaces(messages.GetPlacesRequest(), timeout=_ANSWER_S).places
    for place in places:
        if place.name == name:
            return str(place.acquired)
    known = ", ".join(place.name for place in places) or "none"
    raise TesterLibraryError(f"labgrid has no place {name!r}; it has {known}")


def _release(messages: Any, stub: Any, name: str, holder: str) -> None:
    stub.ReleasePlace(messages.ReleasePlaceRequest(placename=name, fromuser=holder), timeout=_ANSWER_S)


@contextmanager
def _session(place: LabgridPlace, user: str) -> Iterator[tuple[Any, Any]]:
    """labgrid's messages, and its coordinator, which knows this client by its open stream."""
    try:
        from labgrid.remote.generated import labgrid_coordinator_pb2 as messages
        from labgrid.remote.generated import labgrid_coordinator_pb2_grpc as services
    except ImportError:
        raise TesterLibraryError(
            "a place with labgrid: needs the package; install robotframework-testerlibrary[labgrid]"
        ) from None
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    startup = messages.StartupDone(version="TesterLibrary", name=user)
    asked.put(messages.ClientInMessage(startup=startup))
    asked.put(messages.ClientInMessage(sync=messages.Sync(id=1)))
    try:
        with grpc.insecure_channel(place.coordinator, options=[("grpc.enable_http_proxy", 0)]) as channel:
            stub = services.CoordinatorStub(channel)
            answers = stub.ClientStream(iter(asked.get, None), timeout=_ANSWER_S)
            try:
                next(answers)  # that of the sync: it knows us by now
                yield messages, stub
            finally:
                asked.put(None)
                answers.cancel()
    except grpc.RpcError as error:
        raise TesterLibraryError(
            f"labgrid's coordinator at {place.coordinator}: {error.code().name}: {error.details()}"
        ) from None
