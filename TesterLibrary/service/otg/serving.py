# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves an open testbed as an Open Traffic Generator, on this machine only."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ...errors import TesterLibraryError
from ...running.opening import OpenTestbed
from .certificate import fresh_context
from .control import Call, TrafficGenerator
from .http import HttpServer
from .laboratory import Laboratory
from .refusal import OtgError, OtgFailure
from .rpc import GrpcServer
from .schema import Message, service

# The protocol has no identity: whoever reaches it sends traffic. Others reach it over a channel that has one.
ADDRESS = "127.0.0.1"
_OBJECTS = 500_000  # a reading of thousands of flows makes so many objects, none of which refer to each other
HTTP_PORT, GRPC_PORT = 8443, 40051  # that clients know


class Refusing:
    """Answers every call with the reason why nobody is served."""

    def __init__(self) -> None:
        self.refusal: OtgError = OtgFailure(["nobody is served"])
        names = {method.name.removeprefix("stream") for method in service().methods}
        self.calls: Mapping[str, Call] = {name: Call("", self._refuse) for name in names}

    def call(self, name: str, request: Message | None) -> NoReturn:  # noqa: ARG002
        """Raises the reason."""
        self._refuse(None)

    def note(self, name: str, refused: OtgError) -> None:
        """Nothing: whoever gives the reason knows of it."""

    def _refuse(self, _: object) -> NoReturn:
        raise type(self.refusal)(self.refusal.errors)  # anew: an error that is raised again grows


@dataclass(frozen=True)
class OtgPorts:
    """The ports of a server; 0: a UNIX socket in place of one."""

    http: int
    grpc: int


def laboratory_of(opened: OpenTestbed, locations: Mapping[str, str]) -> Laboratory:
    """The ports of a testbed, and the texts by which clients may name them.

    Raises:
        TesterLibraryError: a location is said to be a port that there is not.
    """
    tester = opened.tester
    for location, name in locations.items():
        if name not in tester.ports:
            known = ", ".join(tester.ports)
            raise TesterLibraryError(
                f"location {location!r}: {name!r} is no port of {opened.name}; it has {known}"
            )
    return Laboratory(
        ports=dict(tester.ports),
        interfaces={port.interface: port.name for port in tester.capabilities.ports if port.interface},
        virtual=frozenset(port.name for port in tester.capabilities.ports if not port.link_speed_bps),
        locations=locations,
    )


@contextmanager
def serve_otg(
    opened: OpenTestbed,
    *,
    http: int | Path = HTTP_PORT,
    grpc: int | Path = GRPC_PORT,
    locations: Mapping[str, str] | None = None,
    told: Callable[[str], None] = lambda _: None,
    refused: Callable[[int, str, str], None] = lambda *_: None,
) -> Iterator[OtgPorts]:
    """Serves an open testbed; the tester is free again when the context ends.

    Args:
        opened: The testbed, whose tester has a lease.
        http: The port for HTTP and HTTPS; 0: a free one. A path is that of a UNIX socket.
        grpc: The port for gRPC; 0: a free one. A path is that of a UNIX socket.
        locations: Names of the tester's ports by the locations that clients give.
        told: Is called with each warning and refusal.
        refused: Is called with the status, call and error of each refusal.

    Raises:
        TesterLibraryError: a port cannot be had, or a location is wrong.
    """
    with ExitStack() as stack:
        stack.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
        context = fresh_context(ADDRESS)
        generator = TrafficGenerator(opened.tester, laboratory_of(opened, locations or {}), told, refused)
        stack.callback(generator.close)
        try:
            served = HttpServer(generator, ADDRESS, http, context)
        except OSError as problem:
            where = f"unix:{http}" if isinstance(http, Path) else f"{ADDRESS}:{http}"
            raise TesterLibraryError(f"{where} cannot be had for HTTP: {problem}") from None
        stack.callback(served.close)
        remote = GrpcServer(generator, ADDRESS, grpc)
        stack.callback(remote.close)
        yield OtgPorts(served.port, remote.port)
