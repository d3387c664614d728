# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A table of routes as an application, and files as answers."""

from __future__ import annotations

import os
import stat
from collections.abc import Awaitable, Callable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ...files.confined_file import open_beneath
from ..refusal import Refusal, Unknown
from .guard import App, Receive, Scope, Send

Endpoint = Callable[[Request], Awaitable[Response]]
_CHUNK = 1 << 16


class WrongMethod(Refusal):
    """The path does not take this method."""

    status = HTTPStatus.METHOD_NOT_ALLOWED


def table(routes: Mapping[tuple[str, str], Endpoint]) -> App:
    """An application of endpoints by their methods and paths; a path that ends with / is that of a folder."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if not any(path == route for _, route in routes):
            folder = path[: path.find("/", 1) + 1]
            path = folder if len(folder) > 1 else path
        endpoint = routes.get((scope["method"], path))
        if endpoint is None:
            methods = sorted(method for method, route in routes if route == path)
            if methods:
                raise WrongMethod(f"it takes {', '.join(methods)}")
            raise Unknown(f"there are {', '.join(sorted({route for _, route in routes}))}")
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    return app


def file_response(folder: Path, name: str, kind: str, headers: Mapping[str, str]) -> Response:
    """A file below a folder, whatever is there. Unknown if there is no such file."""
    file, length = open_file(folder, name)
    more = {**headers, "Content-Length": str(length)}
    return StreamingResponse(_chunks(file, length), media_type=kind, headers=more)


def open_file(run: Path, name: str) -> tuple[BinaryIO, int]:
    """A file of a run, open, and its length.

    Nothing outside of the run is reached, whatever a job has put there.

    Raises:
        Unknown: there is no such file.
    """
    steps = PurePosixPath(name).parts
    missing = Unknown(f"the run has no file {name[:200]!r}; GET …/reports has those there are")
    if not steps or any(step in ("..", ".", "/") or "\0" in step for step in steps):
        raise missing
    try:
        file = open_beneath(run, steps)
    except OSError:
        raise missing from None
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        os.close(file)
        raise missing
    return os.fdopen(file, "rb"), status.st_size


def _chunks(file: BinaryIO, length: int) -> Iterator[bytes]:
    """So many bytes of a file, which may grow meanwhile."""
    with file:
        while length and (chunk := file.read(min(_CHUNK, length))):
            length -= len(chunk)
            yield chunk
