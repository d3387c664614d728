# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The door of the service: lets requests in whose caller is known, and whose bodies are small enough.

It is in front of everything: what it refuses, nothing else has seen. Each refusal is a line of the audit.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import os
import re
import socket
import time
import traceback
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from ..reporting.live.host_header import is_own_host
from .config import Config
from .connections import Connections
from .ledger import Caller, Ledger, Work
from .refusal import Broken, NotAllowed, Refusal, TooMany, Unauthenticated, Unready
from .socket_owner import name_of, uid_of
from .user import Role, User, digest_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/v1/health",)  # for load balancers and systemd
_SAFE = ("GET", "HEAD", "OPTIONS")
_LINES = 60  # of the audit, of refusals to one user at one address in a minute
_KNOWN = 10_000  # users at addresses
_BODY_S = 30.0  # until the body of a request is there
_ONCE = (b"authorization", b"origin")  # of two, one would be ignored; the server sees to others
_HEARTBEAT = re.compile(r"/v1/leases/[^/]+/heartbeat")
_SHARE = 3 / 4  # of all requests, that one user may have at a time
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


class Busy(Refusal):
    """There are too many requests at once."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


class Door:
    """An ASGI application around another one."""

    def __init__(
        self, app: App, config: Config, ledger: Ledger, connections: Connections, body_s: float = _BODY_S
    ) -> None:
        """`body_s`: how long the body of a request may take."""
        self._body_s = body_s
        self._app, self._config, self._ledger, self._connections = app, config, ledger, connections
        self._going: Counter[str] = Counter()  # requests by user, but heartbeats
        self.users: Mapping[str, User] = {}  # by the digests of their tokens
        self._noting: set[asyncio.Task[None]] = set()
        connections.on_malformed = self._refuse_malformed
        self._said: OrderedDict[tuple[str, str, int], int] = OrderedDict()  # refusals of each minute
        self._names = {
            "localhost",
            *config.names,
            *([] if config.is_loopback else [socket.gethostname().lower()]),
        }

    @property
    def is_open(self) -> bool:
        """Whether the service has no users yet: the account that runs it, and root, are admins then."""
        return not self.users and not self._config.certificates and self._config.is_loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        client = scope.get("client") or ("", 0)
        caller = Caller("", Role.READER, f"{client[0]}:{client[1]}")
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            began = began or message["type"] == "http.response.start"
            await send(message)

        try:
            _check_once(scope)
            self._check_host(headers)
            if scope["path"] not in OPEN:
                caller = self._caller(headers, scope["method"], client, scope.get("server"))
            scope.setdefault("state", {})["caller"] = caller
            with self._counted(scope, caller.name):
                await self._app(scope, self._limited(headers, receive), sent)
        except Refusal as refusal:
            if began:
                raise
            await self.refuse(caller, scope, refusal)
            await _answer(sent, refusal)
        except Exception:
            if began:
                raise  # the server closes the connection, and writes it to the log
            traceback.print_exc()
            await self.refuse(caller, scope, broken())
            await _answer(sent, broken())

    def _refuse_malformed(self, client: str) -> bytes:
        """The body of the answer to what is no request; the audit has a line of it a moment later."""
        refusal = Malformed("this is no request of HTTP/1.1; send one, such as GET /openapi.json")
        caller = Caller("", Role.READER, client)
        task = asyncio.create_task(self.refuse(caller, {"method": "HTTP", "path": ""}, refusal))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)
        return json.dumps(content_of(refusal)).encode()

    @contextmanager
    def _counted(self, scope: Scope, user: str) -> Iterator[None]:
        """Refuses too many requests, of all or of one user. Heartbeats are always taken: no lease ends so."""
        if scope["method"] == "POST" and _HEARTBEAT.fullmatch(scope["path"]):
            yield
            return
        most = self._connections.most_requests
        if self._going.total() >= most:
            raise Busy(f"{most} requests are being answered, and more are not taken at a time; try again")
        share = round(most * _SHARE)
        if self._going[user] >= share and not self.is_open:
            raise TooMany(f"{share} requests of {user or 'nobody'} are being answered; others have the rest")
        self._going[user] += 1
        try:
            yield
        finally:
            self._going[user] -= 1
            if not self._going[user]:
                del self._going[user]

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """Elsewhere if a name leads here that is not ours (DNS rebinding), or a foreign page sent this."""
        host = headers.get("host", "")
        if not self._is_own(host):
            raise Elsewhere(
                f"this service is not {host[:100]!r}; use its address, or a name of names: in its file"
            )
        origin = headers.get("origin", "")
        if origin and not self._is_own(origin.partition("://")[2] or "null"):
            raise Elsewhere(f"a page of {origin[:100]!r} may not use this service")

    def _is_own(self, host: str) -> bool:
        return is_own_host(host, self._names)

    def _caller(
        self, headers: Mapping[str, str], method: str, client: tuple[str, int], here: tuple[str, int] | None
    ) -> Caller:
        """Who makes a request: by a token, or else by the certificate of the connection, or its process.

        Raises:
            Unauthenticated: nobody, or a token that is unknown or over.
            NotAllowed: a certificate whose name has no role; another Unix user where there are no users.
        """
        address = f"{client[0]}:{client[1]}"
        if token := _token(headers.get("authorization", ""), method):
            user = self.users.get(digest_of(token))
            if user is None:
                raise Unauthenticated("nobody has this token; ask the owner of the lab for a new one")
            if user.is_over:
                raise Unauthenticated(
                    f"the token of {user.name} is over; ask the owner of the lab for a new one (--add-user)"
                )
            return Caller(user.name, user.role, address)
        names = self._connections.names.get((client[0], client[1]), ())
        for name in names:
            if name in self._config.certificates:
                return Caller(name, self._config.certificates[name], address)
        if names:
            raise NotAllowed(
                f"the certificate is of {', '.join(names)}, who has no role here (certificates:)"
            )
        if self.is_open:
            self._check_owner(client, here)
            return Caller("local", Role.ADMIN, address)
        raise Unauthenticated("say who you are: Authorization: Bearer TOKEN, or a certificate")

    def _check_owner(self, client: tuple[str, int], here: tuple[str, int] | None) -> None:
        """NotAllowed if a connection is not of the account that runs the service, or of root."""
        uids = self._connections.uids
        if client not in uids:
            uids[client] = uid_of(client, here or ("", 0))
        if uids[client] not in (0, os.geteuid()):
            owner = name_of(os.geteuid())
            raise NotAllowed(
                f"{name_of(uids[client])}, whose process this is, may not use this service: it has no users, "
                f"so only {owner}, who runs it, and root may; {owner} adds users by tester serve --add-user"
            )

    def _limited(self, headers: Mapping[str, str], receive: Receive) -> Receive:
        most = self._config.limits.body
        given = headers.get("content-length", "")
        if given and (not given.isdecimal() or int(given) > most):
            raise TooLarge(f"{given} bytes; {_TOO_LARGE.format(most)}")
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

    async def refuse(self, caller: Caller, scope: Scope, refusal: Refusal) -> None:
        """Writes a refusal down; not each of many to one address."""
        address = caller.client.rpartition(":")[0]
        key = (caller.name, address, int(time.monotonic() // 60))
        count = self._said[key] = self._said.get(key, 0) + 1
        while len(self._said) > _KNOWN:
            self._said.popitem(last=False)
        if count > _LINES:
            return
        said = str(refusal) if count < _LINES else f"{refusal}; more refusals of this minute are not written"
        did, path = str(scope["method"]), str(scope["path"])[:200]
        try:
            await self._ledger.keep(Work(lines=[caller.line(did, path, refusal.status, said)]))
        except Unready:
            return  # nothing can be written; that is why it is refused


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


def _token(authorization: str, method: str) -> str:
    """The token of a request. A browser sends it as a password, which is good for looking only."""
    kind, _, given = authorization.partition(" ")
    if kind.lower() == "bearer":
        return given.strip()
    if kind.lower() == "basic" and method in _SAFE:
        try:
            return base64.b64decode(given, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return "?"
    return "?" if authorization else ""


def broken() -> Broken:
    """The refusal that stands for a fault of the service. It says nothing of the fault to strangers."""
    return Broken(
        "the service has failed, and its log says where; look at what has changed before you ask again"
    )


def content_of(refusal: Refusal) -> dict[str, Any]:
    """The body of an answer about a refusal."""
    said = str(refusal).encode("utf-8", "backslashreplace").decode()  # it may have half characters
    return {"status": int(refusal.status), "error": said}


async def _answer(send: Send, refusal: Refusal) -> None:
    body = json.dumps(content_of(refusal)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += extra_headers(refusal)
    await send({"type": "http.response.start", "status": int(refusal.status), "headers": headers})
    await send({"type": "http.response.body", "body": body})


def extra_headers(refusal: Refusal) -> list[tuple[bytes, bytes]]:
    """Headers that belong to a refusal."""
    if isinstance(refusal, Unauthenticated):
        return [(b"www-authenticate", b'Bearer, Basic realm="tester serve"')]
    if isinstance(refusal, Malformed | TooLarge | TooSlow):
        return [(b"connection", b"close")]
    return []
