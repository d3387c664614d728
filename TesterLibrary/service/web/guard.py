# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The guard in front of an application: what it refuses, nothing else has seen.

A request is meant for this host, is from no foreign page, has each header once that says who or how long, and
its body is small enough and comes in time. Whose it is, and what becomes of a refusal, says each server.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from ..refusal import Broken, Refusal
from .connections import Connections

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_S = 30.0  # until the body of a request is there
_ONCE = (b"authorization", b"origin")  # of two, one would be ignored; the server sees to others
_TOO_LARGE = "a request has at most {} bytes here"


class Malformed(Refusal):
    """Refuses what is no request of HTTP."""

    status = HTTPStatus.BAD_REQUEST


class TooLarge(Refusal):
    """The body of a request is longer than is allowed."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class TooSlow(Refusal):
    """The body of a request did not come in time."""

    status = HTTPStatus.REQUEST_TIMEOUT


class Elsewhere(Refusal):
    """The request was meant for another host, or comes from a page of another one."""

    status = HTTPStatus.MISDIRECTED_REQUEST


class Guard(ABC):
    """An ASGI application around another one. Each server is a subclass, which says whom it serves."""

    misdirected = "this server is reached by its address, or as localhost"
    example = "GET /"

    def __init__(
        self,
        app: App,
        connections: Connections,
        names: Collection[str] | None,
        *,
        body: int,
        body_s: float = BODY_S,
    ) -> None:
        """Guards an application.

        Args:
            app: The application.
            connections: Those that are served.
            names: The hosts that it is, beside all addresses; None: names lead to no socket of its kind.
            body: The bytes of a request's body, at most.
            body_s: How long it may take.
        """
        self._app, self._names, self._body, self._body_s = app, names, body, body_s
        self._noting: set[asyncio.Task[None]] = set()
        connections.on_malformed = self._refuse_malformed

    def admit(self, scope: Scope, headers: Mapping[str, str]) -> None:  # noqa: B027 - a server may admit all
        """Refuses a request by who has sent it."""

    def check_origin(self, origin: str) -> None:
        """Refuses a request of a page in a browser."""
        if not self._is_own(origin.partition("://")[2] or "null"):
            raise Elsewhere(f"a page of {origin[:100]!r} may not use this service")

    def counted(self, scope: Scope) -> AbstractContextManager[None]:  # noqa: ARG002
        """Counts a request while it is answered, and refuses what is too many."""
        return nullcontext()

    async def note(self, scope: Scope, refusal: Refusal) -> None:  # noqa: B027 - a server may note none
        """Notes that a request was refused."""

    @abstractmethod
    def answer(self, scope: Scope, refusal: Refusal) -> Response:
        """The answer to a request that is refused."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            began = began or message["type"] == "http.response.start"
            await send(message)

        try:
            _check_once(scope)
            self._check_host(headers)
            self.admit(scope, headers)
            with self.counted(scope):
                await self._app(scope, self._limited(headers, receive), sent)
        except Exception as problem:
            if began:
                raise  # the server closes the connection, and writes it to the log
            if not isinstance(problem, Refusal):
                traceback.print_exc()
            refusal = problem if isinstance(problem, Refusal) else broken()
            await self.note(scope, refusal)
            await self.answer(scope, refusal)(scope, receive, sent)

    def _refuse_malformed(self, client: tuple[str, int]) -> Response:
        """The answer to what is no request; it is noted a moment later."""
        refusal = Malformed(f"this is no request of HTTP/1.1; send one, such as {self.example}")
        scope = {"type": "http", "method": "HTTP", "path": "", "client": client}
        task = asyncio.create_task(self.note(scope, refusal))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)
        return self.answer(scope, refusal)

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """Elsewhere if a name leads here that is not ours (DNS rebinding), or a foreign page sent this."""
        host = headers.get("host", "")
        if not self._is_own(host):
            raise Elsewhere(self.misdirected.format(host[:100]))
        if origin := headers.get("origin", ""):
            self.check_origin(origin)

    def _is_own(self, host: str) -> bool:
        return self._names is None or is_own_host(host, self._names)

    def _limited(self, headers: Mapping[str, str], receive: Receive) -> Receive:
        most = self._body
        length = headers.get("content-length", "")
        if length and (not length.isdecimal() or int(length) > most):
            raise TooLarge(f"{length} bytes; {_TOO_LARGE.format(most)}")
        read, is_whole = 0, False
        until: float | None = None  # from when somebody wants it

        async def limited() -> Message:
            nonlocal read, is_whole, until
            if is_whole:  # what is told now is that the client is gone
                return await receive()
            until = until or time.monotonic() + self._body_s
            try:
                message = await asyncio.wait_for(receive(), until - time.monotonic())
            except asyncio.TimeoutError:
                said = f"the body did not come within {self._body_s:g} s; {read} bytes of it did"
                raise TooSlow(said) from None
            read += len(message.get("body", b""))
            if read > most:
                raise TooLarge(_TOO_LARGE.format(most))
            is_whole = not message.get("more_body", False)
            return message

        return limited


def is_own_host(host: str, names: Collection[str]) -> bool:
    """Whether a Host header has an address or one of these names, and not a name that somebody else made."""
    name = host.strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in names
    return True


def _check_once(scope: Scope) -> None:
    """Malformed if there are two headers for who somebody is, where he comes from, or where a body ends.

    Of the last a proxy in front may believe the other one, and take what is behind for another's request.
    """
    names = [name.lower() for name, _ in scope["headers"]]
    for name in _ONCE:
        if names.count(name) > 1:
            raise Malformed(f"{name.decode()}: is given {names.count(name)} times; give this header once")
    if b"transfer-encoding" in names and b"content-length" in names:
        raise Malformed("two headers say how long the body is: Transfer-Encoding, Content-Length; give one")


def broken() -> Broken:
    """The refusal that stands for a fault of the service. It says nothing of the fault to strangers."""
    return Broken(
        "the service has failed, and its log says where; look at what has changed before you ask again"
    )


def json_answer(content: object, status: int, **headers: str) -> Response:
    """An answer of JSON."""
    return Response(json.dumps(content), status, headers, media_type="application/json")


def closing(refusal: Refusal) -> dict[str, str]:
    """The header that ends the connection after a refusal, if the rest of the request is not read."""
    return {"Connection": "close"} if isinstance(refusal, Malformed | TooLarge | TooSlow) else {}


def repeated_keys(pairs: Iterable[tuple[str, Any]]) -> list[str]:
    """The keys that an object of JSON has more than once: of two, one would be ignored."""
    return [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
