# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers: uvicorn over the connections of this room, in a thread of its own or in place of the program."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from pathlib import Path
from threading import Thread
from typing import Any, cast

import uvicorn

from ...errors import TesterLibraryError
from .connections import Connections, connection_class, handshake_class
from .guard import Guard

LOOPBACK = "127.0.0.1"
_KEEP_ALIVE_S = 75
_END_S = 20
_THREAD_END_S = 2  # for requests that are answered when a server in a thread is closed


def listen(port: int, address: str = LOOPBACK) -> socket.socket:
    """A socket that listens; port 0 is any that is free.

    Raises:
        TesterLibraryError: the port is in use or may not be used, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=32)
    except (OSError, OverflowError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        hint = "give another port, or 0 for one that is free" if port else "give an address of this machine"
        raise TesterLibraryError(f"port {port} of {address} cannot be served: {said}; {hint}") from None


def listen_at(path: Path) -> socket.socket:
    """A UNIX socket that listens. OSError if it cannot."""
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(str(path))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def url_of(listening: socket.socket, scheme: str = "http") -> str:
    """The URL of what is served there."""
    address, port = listening.getsockname()[:2]
    if ipaddress.ip_address(address).is_unspecified:
        address = socket.gethostname()
    host = f"[{address}]" if ":" in address else address
    return f"{scheme}://{host}:{port}/"


def names_of_host(listening: socket.socket) -> set[str]:
    """The names of a server at a socket, beside all addresses."""
    is_local = ipaddress.ip_address(listening.getsockname()[0]).is_loopback
    return {"localhost"} if is_local else {"localhost", socket.gethostname().lower()}


def make_server(guard: Guard, connections: Connections, **options: Any) -> uvicorn.Server:
    """A server of what is behind a guard, to be run with sockets that listen.

    Args:
        guard: The application.
        connections: Those that it has.
        options: Of uvicorn, such as files of TLS. OSError or ssl.SSLError if they are wrong.
    """
    settings = uvicorn.Config(
        cast("Any", guard),
        http=connection_class(connections),
        **{
            "ws": "none",
            "lifespan": "on",
            "log_level": "error",  # its warnings are of what strangers send, which the guard notes
            "access_log": False,
            "proxy_headers": False,  # a client could name another one's address, and be taken for him
            "server_header": False,
            "date_header": True,
            "timeout_keep_alive": _KEEP_ALIVE_S,
            "timeout_graceful_shutdown": _END_S,
            **options,
        },
    )
    settings.load()
    if settings.ssl:
        settings.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
        _begin_tls(settings, connections, settings.ssl, plain=False)
        settings.ssl = None  # else asyncio would begin TLS
    return uvicorn.Server(settings)


def _begin_tls(
    settings: uvicorn.Config, connections: Connections, context: ssl.SSLContext, *, plain: bool
) -> None:
    settings.http_protocol_class = cast("Any", handshake_class(connections, context, plain=plain))


class ThreadedServer:
    """Serves from a thread of its own until it is closed."""

    def __init__(
        self,
        guard: Guard,
        connections: Connections,
        listening: socket.socket,
        context: ssl.SSLContext | None = None,
        **options: Any,
    ) -> None:
        """`context`: of TLS, which a client may use, or not, on the same socket."""
        options = {"lifespan": "off", "timeout_graceful_shutdown": _THREAD_END_S, **options}
        self._server = make_server(guard, connections, **options)
        if context:
            _begin_tls(self._server.config, connections, context, plain=True)
        serve = self._server.run
        self._thread = Thread(target=serve, args=([listening],), name="http", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends it; requests that are answered now are answered."""
        self._server.should_exit = True
        self._thread.join()
