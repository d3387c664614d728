# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves the page of one run: of `tester watch`, and of `--live` for the process that runs it.

The page is for the person at this machine: it answers only requests that name the machine by an address,
as localhost or by its own name, so that no foreign page can read it by a name that leads here (DNS
rebinding). Nothing can be changed through it.

For a process that runs something it is a process of its own, and the last to get a CPU, so that no page
disturbs a measurement: it gets a socket, and ends with its standard input.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..reporting.live.follow import REPORTS
from ..reporting.record.record_place import EVIDENCE
from .live import MOST_PAGES, PARTS, REPORT_POLICY, LivePages, headers, part
from .refusal import Refusal
from .web.connections import Connections
from .web.guard import Guard, Scope
from .web.server import ThreadedServer, names_of_host
from .web.table import Endpoint, file_response, table

_MOST = 256  # connections
_BODY = 1000  # bytes, of which none is read
_PATIENCE_S = 10.0  # for a client that neither asks nor reads
_KINDS = {".html": "text/html", ".md": "text/plain", ".xml": "text/xml"}


class _PageGuard(Guard):
    misdirected = "this page is served by address or as localhost only"

    def answer(self, scope: Scope, refusal: Refusal) -> Response:  # noqa: ARG002
        """The sentence of a refusal."""
        return PlainTextResponse(f"{refusal}\n", refusal.status, headers())


@contextmanager
def watched(output: Path, evidence: Path, listening: socket.socket) -> Iterator[None]:
    """Follows a run and serves its page meanwhile; open pages are told at the end that this is all.

    Args:
        output: The folder of its reports, to which the page leads once they are there.
        evidence: That of its records.
        listening: Where it is served.
    """
    pages, connections = LivePages(MOST_PAGES), Connections(_MOST, header_s=_PATIENCE_S, write_s=_PATIENCE_S)
    app = table(_routes(output, evidence, pages))
    guard = _PageGuard(app, connections, names_of_host(listening), body=_BODY)
    server = ThreadedServer(guard, connections, listening)
    try:
        yield
    finally:
        pages.close()
        server.close()


def _routes(output: Path, evidence: Path, pages: LivePages) -> dict[tuple[str, str], Endpoint]:
    async def page(request: Request) -> Response:
        return part(request.url.path)

    async def events(request: Request) -> Response:
        return pages.events(output, evidence, request.headers.get("last-event-id", ""))

    async def report(request: Request) -> Response:
        path = Path(request.scope["path"])
        kind = f"{_KINDS[path.suffix]}; charset=utf-8"
        return file_response(output, str(path.relative_to("/")), kind, headers(REPORT_POLICY))

    async def record(request: Request) -> Response:
        """A record or a capture that the certificate leads to, to be kept."""
        kept = {**headers(), "Content-Disposition": "attachment"}
        return file_response(output, request.scope["path"][1:], "application/octet-stream", kept)

    paths = {**dict.fromkeys(PARTS, page), **{f"/{name}": report for name in REPORTS}}
    paths |= {"/events": events, f"/{EVIDENCE}/": record}
    return {("GET", path): endpoint for path, endpoint in paths.items()}


def main() -> None:
    """Serves until the standard input ends."""
    output, file = Path(sys.argv[1]), int(sys.argv[2])
    os.nice(10)
    with watched(output, output / EVIDENCE, socket.socket(fileno=file)):
        sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
