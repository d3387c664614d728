# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of the model over HTTP, with and without TLS on one port: TLS begins with another octet."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Lock, Thread, get_ident
from typing import Any

import orjson

from ...reporting.live.host_header import is_own_host
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
_MOST_DIGITS = 20  # of a length, which are read as a number
_MOST_SAID = 200  # characters of a request that are told in a refusal of it
_MOST_CLIENTS = 256  # at once, each with a thread
_PATIENCE_S = 300.0  # for the next request of a client, and for each of its bytes
_TLS_HANDSHAKE = b"\x16"  # the first octet of a TLS client (RFC 8446 §5.1)


class HttpServer:
    """Serves a traffic generator until it is closed."""

    def __init__(
        self, generator: Answering, address: str, port: int | Path, context: ssl.SSLContext | None
    ) -> None:
        """`port`: of the address, or a UNIX socket in its place. `context`: for clients that use TLS; None:
        they are refused.
        """
        self._socket = port if isinstance(port, Path) else None
        kind = _Server if self._socket is None else _UnixServer
        self._server = kind(generator, (address, port) if self._socket is None else str(port), context)
        self._thread = Thread(target=self._server.serve_forever, name="otg http", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that it listens on; 0: a UNIX socket."""
        return 0 if self._socket else int(self._server.server_address[1])

    def close(self) -> None:
        """Ends it; requests that are answered now are answered."""
        self._server.shutdown()
        self._server.server_close()
        if self._socket:
            self._socket.unlink(missing_ok=True)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, generator: Answering, address: Any, context: ssl.SSLContext | None) -> None:
        self.generator = generator
        self._context = context
        self._lock = Lock()
        self._clients: dict[int, socket.socket] = {}  # by their threads
        self._silent: dict[int, None] = {}  # those of whom no whole request is there, the longest first
        super().__init__(address, _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the thread of a client. TLS begins if the client wants it."""
        with self._let_in(request.dup()):  # TLS takes over the first one
            request.settimeout(_PATIENCE_S)
            try:
                first = request.recv(1, socket.MSG_PEEK)
                if first == _TLS_HANDSHAKE and self._context:
                    request = self._context.wrap_socket(request, server_side=True)
                super().finish_request(request, client_address)
            except OSError:  # a client that went away, or none that speaks TLS
                return
            finally:
                request.close()

    @contextmanager
    def _let_in(self, connection: socket.socket) -> Iterator[None]:
        """The client of this thread; where there are too many, the one that is silent longest gives way."""
        thread = get_ident()
        with connection:
            with self._lock:
                self._clients[thread], self._silent[thread] = connection, None
                if len(self._clients) > _MOST_CLIENTS:
                    oldest = next(iter(self._silent))
                    del self._silent[oldest]
                    with suppress(OSError):
                        self._clients.pop(oldest).shutdown(socket.SHUT_RDWR)
            try:
                yield
            finally:
                with self._lock:
                    self._clients.pop(thread, None)
                    self._silent.pop(thread, None)

    def listen_to_client(self) -> None:
        """The client of this thread has nothing to wait for."""
        with self._lock:
            if (thread := get_ident()) in self._clients:
                self._silent[thread] = None

    def answer_client(self) -> None:
        """The client of this thread has made a request."""
        with self._lock:
            self._silent.pop(get_ident(), None)

    def is_own(self, host: str | None) -> bool:
        """Whether a Host header names this server. A foreign page may lead a name of its own here."""
        return is_own_host(host, ("localhost",))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours."""


class _UnixServer(_Server):
    address_family = socket.AF_UNIX

    def is_own(self, host: str | None) -> bool:  # noqa: ARG002
        """A name leads to no socket of this kind."""
        return True

    def server_bind(self) -> None:
        """Binds; a path has no name of a host, which those of HTTP look for."""
        TCPServer.server_bind(self)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        """Waits for a request, and answers it."""
        self.server.listen_to_client()
        super().handle_one_request()

    def do_GET(self) -> None:
        """See _ROUTES."""
        self._answer()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Says nothing: clients poll."""

    def _answer(self) -> None:
        body = self._body()
        if body is None:
            return
        self.server.answer_client()
        path = self.path.partition("?")[0]
        name = _ROUTES.get((self.command, path))
        if name is None:
            methods = sorted(method for method, known in _ROUTES if known == path)
            status = HTTPStatus.METHOD_NOT_ALLOWED if methods else HTTPStatus.NOT_FOUND
            known = (
                f"it takes {', '.join(methods)}"
                if methods
                else f"there are {', '.join(sorted(set(_paths())))}"
            )
            self._refuse(status, known)
            return
        if not self.server.is_own(self.headers.get("Host")):
            self._refuse(
                HTTPStatus.MISDIRECTED_REQUEST, "this server is reached by its address, or as localhost"
            )
            return
        if self.headers.get("Origin"):
            self._refuse(
                HTTPStatus.FORBIDDEN, "pages in browsers may not use a tester; leave out the header Origin"
            )
            return
        generator = self.server.generator
        try:
            request = generator.calls[name].request
            answer = generator.call(name, parsed(request, body) if request else None)
        except OtgError as refused:
            generator.note(name, refused)
            self._error(refused.code, refused.kind, refused.errors)
            return
        if isinstance(answer, bytes):
            self._send(HTTPStatus.OK, "application/octet-stream", answer)
        else:
            self._send_json(HTTPStatus.OK, plain(answer))

    def _body(self) -> bytes | None:
        """The body; None if it was refused."""
        length = self.headers.get("Content-Length", "0" if self.command == "GET" else "")
        if not length.isdecimal():
            self.close_connection = True
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the body needs a header Content-Length")
            return None
        if len(length) > _MOST_DIGITS or int(length) > _MOST_BODY:
            self.close_connection = True
            self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"a body of {length[:_MOST_DIGITS]} bytes; at most {_MOST_BODY} are read",
            )
            return None
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # the client went away, or had to give way
            self.close_connection = True
            return None
        return body

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuses what the class before this one does not read, in the words of the protocol."""
        self.close_connection = True
        self._refuse(code, _plain(message or HTTPStatus(code).phrase), "HTTP")

    def _refuse(self, status: int, problem: str, what: str = "") -> None:
        """Refuses a request, of which whoever watches the server is told."""
        what = what or _plain(f"{self.command} {self.path.partition('?')[0]}")
        refused = OtgError([problem])
        refused.code = int(status)
        self.server.generator.note(what, refused)
        self._error(refused.code, refused.kind, (f"{what}: {problem}",))

    def _error(self, code: int, kind: str, errors: tuple[str, ...]) -> None:
        self._send_json(code, {"code": code, "kind": kind, "errors": list(errors)})

    def _send_json(self, code: int, document: Mapping[str, Any]) -> None:
        self._send(code, "application/json", orjson.dumps(document))

    def _send(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _plain(text: str) -> str:
    """The begin of a text from a client, without what a terminal would obey."""
    return ascii(text[:_MOST_SAID])[1:-1]


def _paths() -> list[str]:
    return [path for _, path in _ROUTES]
