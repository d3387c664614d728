# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of the model over HTTP, with and without TLS on one port."""

from __future__ import annotations

import socket
import ssl
from asyncio import to_thread
from pathlib import Path

import orjson
from starlette.requests import Request
from starlette.responses import Response

from ..refusal import NotAllowed, Refusal
from ..web.connections import Connections
from ..web.guard import Guard, Scope, closing
from ..web.server import ThreadedServer, listen_at
from ..web.table import table
from .control import Answering
from .json_text import parsed, plain
from .refusal import OtgError

_ROUTES = {
    ("POST", "/config"): "SetConfig",
    ("GET", "/config"): "GetConfig",
    ("PATCH", "/config"): "UpdateConfig",
    ("PATCH", "/config/append"): "AppendConfig",
    ("PATCH", "/config/delete"): "DeleteConfig",
    ("POST", "/control/state"): "SetControlState",
    ("POST", "/control/action"): "SetControlAction",
    ("POST", "/monitor/metrics"): "GetMetrics",
    ("POST", "/monitor/states"): "GetStates",
    ("POST", "/monitor/capture"): "GetCapture",
    ("GET", "/capabilities/version"): "GetVersion",
}
_MOST_BODY = 64 << 20  # bytes
_MOST_SAID = 200  # characters of a request that are told in a refusal of it
_MOST_CLIENTS = 256  # at once
_PATIENCE_S = 300.0  # for the next request of a client, and for its body


class HttpServer:
    """Serves a traffic generator until it is closed."""

    def __init__(
        self, generator: Answering, address: str, port: int | Path, context: ssl.SSLContext | None
    ) -> None:
        """`port`: of the address, or a UNIX socket in its place. `context`: for clients that use TLS; None:
        they are refused.
        """
        self._path = port if isinstance(port, Path) else None
        listening = listen_at(port) if isinstance(port, Path) else socket.create_server((address, port))
        self.port = 0 if self._path else int(listening.getsockname()[1])  # 0: a UNIX socket
        self._connections = Connections(_MOST_CLIENTS, header_s=_PATIENCE_S, write_s=_PATIENCE_S)
        names = None if self._path else ("localhost",)
        guard = _OtgGuard(generator, self._connections, names)
        options = {"timeout_keep_alive": _PATIENCE_S}
        self._server = ThreadedServer(guard, self._connections, listening, context, **options)

    def close(self) -> None:
        """Ends it; requests that are answered now are answered."""
        self._server.close()
        if self._path:
            self._path.unlink(missing_ok=True)


class _OtgGuard(Guard):
    """Refuses in the words of the protocol."""

    example = "GET /config"

    def __init__(self, generator: Answering, connections: Connections, names: tuple[str, ...] | None) -> None:
        self._generator = generator
        app = table(dict.fromkeys(_ROUTES, self._call))
        super().__init__(app, connections, names, body=_MOST_BODY, body_s=_PATIENCE_S)

    async def _call(self, request: Request) -> Response:
        """Answers a call, whose thread may wait for the tester."""
        name = _ROUTES[request.method, request.url.path]
        body = await request.body()
        return await to_thread(self._answered, name, body)

    def _answered(self, name: str, body: bytes) -> Response:
        generator = self._generator
        try:
            kind = generator.calls[name].request
            answer = generator.call(name, parsed(kind, body) if kind else None)
        except OtgError as refused:
            generator.note(name, refused)
            return _error(refused, refused.errors)
        if isinstance(answer, bytes):
            return Response(answer, media_type="application/octet-stream")
        return Response(orjson.dumps(plain(answer)), media_type="application/json")

    def check_origin(self, origin: str) -> None:  # noqa: ARG002
        """Refuses all pages in browsers."""
        raise NotAllowed("pages in browsers may not use a tester; leave out the header Origin")

    async def note(self, scope: Scope, refusal: Refusal) -> None:
        """Whoever watches the server is told."""
        self._generator.note(_request(scope), _otg_error(refusal))

    def answer(self, scope: Scope, refusal: Refusal) -> Response:
        """The error of the protocol that a refusal is."""
        error = _otg_error(refusal)
        return _error(error, (f"{_request(scope)}: {error}",), **closing(refusal))


def _otg_error(refusal: Refusal) -> OtgError:
    error = OtgError([str(refusal)])
    error.code = int(refusal.status)
    return error


def _error(error: OtgError, errors: tuple[str, ...], **headers: str) -> Response:
    content = orjson.dumps({"code": error.code, "kind": error.kind, "errors": list(errors)})
    return Response(content, error.code, headers, media_type="application/json")


def _request(scope: Scope) -> str:
    """The begin of a request, without what a terminal would obey."""
    return ascii(f"{scope['method']} {scope['path']}".strip()[:_MOST_SAID])[1:-1]
