# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves the page of a run, and tells each open page what is new by server-sent events.

The page is for the person at this machine: it answers only requests that name the machine by an address,
as localhost or by its own name, so that no foreign page can read it by a name that leads here (DNS
rebinding). Nothing can be changed through it.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from ...errors import TesterLibraryError
from ...files.paths import report_file
from .feed import Feed, Numbered
from .follow import REPORTS
from .host_header import is_own_host
from .told import encoded

LOOPBACK = "127.0.0.1"
MOST_PAGES = 16
LAST_EVENT = b'event: end\ndata: ""\n\n'
_AT_ONCE = 1 << 20  # bytes of a file
_PATIENCE_S = 10.0  # for a client that neither asks nor reads
_QUIET_S = 1.0  # longest wait for news before the end is looked for
PARTS = {  # of the page, by path: the file, and its kind
    "/": ("live/watch.html", "text/html; charset=utf-8"),
    "/watch.css": ("live/watch.css", "text/css; charset=utf-8"),
    "/watch.js": ("live/watch.js", "text/javascript; charset=utf-8"),
    "/uPlot.js": ("live/uPlot/uPlot.js", "text/javascript; charset=utf-8"),
    "/uPlot.css": ("live/uPlot/uPlot.css", "text/css; charset=utf-8"),
}
_KINDS = {".html": "text/html", ".md": "text/plain", ".xml": "text/xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'"


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


def url_of(listening: socket.socket) -> str:
    """Where the page is opened."""
    address, port = listening.getsockname()[:2]
    if ipaddress.ip_address(address).is_unspecified:
        address = socket.gethostname()
    return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"


def known_number(feed: Feed, last_event: str) -> int:
    """The number of the last message that a page has got before its connection broke; -1 if it has none."""
    token, _, number = last_event.partition("-")
    is_own = token == feed.token and number.isdecimal() and len(number) < 16
    return int(number) if is_own else -1


def event_of(feed: Feed, messages: Sequence[Numbered]) -> bytes:
    """Messages as one server-sent event."""
    content = ",".join(encoded(known.message) for known in messages)
    return f"id: {feed.token}-{messages[-1].number}\ndata: [{content}]\n\n".encode()


class Server(ThreadingHTTPServer):
    """Serves pages from threads of their own. A page that does not read is left after a while."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listening: socket.socket, feed: Feed, output: Path) -> None:
        """`output` has the reports of the run, which the page leads to once they are there."""
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.feed, self.output = feed, output
        self.pages = threading.BoundedSemaphore(MOST_PAGES)
        local = ipaddress.ip_address(listening.getsockname()[0]).is_loopback
        self._names = {"localhost"} if local else {"localhost", socket.gethostname().lower()}
        self._thread = threading.Thread(target=self.serve_forever, args=(0.2,), name="serve", daemon=True)

    def start(self) -> None:
        """Serves until `stop`, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Tells the pages that this is all, and ends."""
        self.feed.close()
        if self._thread.is_alive():
            self.shutdown()
        self.server_close()

    def is_own(self, host: str | None) -> bool:
        """Whether a Host header names this machine and not a name that somebody else lets lead here."""
        return is_own_host(host, self._names)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = _PATIENCE_S  # of the socket, for reading and for writing
    server_version = "TesterLibrary"
    sys_version = ""

    def do_GET(self) -> None:
        """Answers with the page, a part of it, its events, or a report."""
        path = self.path.partition("?")[0]
        if not self.server.is_own(self.headers.get("Host")):
            self._refuse(
                HTTPStatus.MISDIRECTED_REQUEST, "this page is served by address or as localhost only"
            )
        elif path == "/events":
            self._events()
        elif path in PARTS:
            file, kind = PARTS[path]
            self._answer(report_file(file).read_bytes(), kind, POLICY)
        elif path.removeprefix("/") in REPORTS:
            self._report(path.removeprefix("/"))
        elif path.startswith("/evidence/"):
            self._evidence(path)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {path!r} here; the page is at /")

    def _report(self, name: str) -> None:
        try:
            content = (self.server.output / name).read_bytes()
        except OSError as problem:
            self._refuse(HTTPStatus.NOT_FOUND, f"{name} cannot be read: {problem.strerror}")
            return
        self._answer(content, f"{_KINDS[Path(name).suffix]}; charset=utf-8", REPORT_POLICY)

    def _evidence(self, path: str) -> None:
        """A record or a capture that the certificate leads to, to be kept: only what is in that folder."""
        folder = (self.server.output / "evidence").resolve()
        try:
            file = (self.server.output / unquote(path).removeprefix("/")).resolve()
            is_there = file.is_relative_to(folder) and file.is_file()
        except (OSError, ValueError):  # a path that no file can have
            is_there = False
        if not is_there:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {path!r} here")
            return
        try:
            with file.open("rb") as content:
                size = os.fstat(content.fileno()).st_size
                self._begin(
                    HTTPStatus.OK,
                    "application/octet-stream",
                    POLICY,
                    ("Content-Length", str(size)),
                    ("Content-Disposition", "attachment"),
                )
                while size > 0 and (part := content.read(min(size, _AT_ONCE))):  # it may grow meanwhile
                    self.wfile.write(part)
                    size -= len(part)
        except OSError as problem:
            self._refuse(HTTPStatus.NOT_FOUND, f"{path} cannot be read: {problem.strerror}")

    def _events(self) -> None:
        if not self.server.pages.acquire(blocking=False):
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_PAGES} pages are open already; close one of them"
            )
            return
        try:
            self._begin(HTTPStatus.OK, "text/event-stream; charset=utf-8", POLICY)
            self._tell_all(self._known())
        finally:
            self.server.pages.release()

    def _known(self) -> int:
        return known_number(self.server.feed, self.headers.get("Last-Event-ID", ""))

    def _tell_all(self, number: int) -> None:
        feed = self.server.feed
        while True:
            ending = feed.is_closed  # looked at first: what is told before the end is not missed
            messages = feed.after(number, _QUIET_S)
            if messages:
                number = messages[-1].number
                self._send(messages)
            elif ending:
                self.wfile.write(LAST_EVENT)
                return

    def _send(self, messages: Sequence[Numbered]) -> None:
        self.wfile.write(event_of(self.server.feed, messages))

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        self._answer(f"{text}\n".encode(), "text/plain; charset=utf-8", POLICY, status)

    def _answer(self, content: bytes, kind: str, policy: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._begin(status, kind, policy, ("Content-Length", str(len(content))))
        self.wfile.write(content)

    def _begin(self, status: HTTPStatus, kind: str, policy: str, *more: tuple[str, str]) -> None:
        self.send_response(status)
        headers = (
            ("Content-Type", kind),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", policy),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        )
        for name, value in (*headers, *more):
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as the base class has it
        """Says nothing: the console is for the run."""
