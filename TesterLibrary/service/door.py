# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The door of the service: lets requests in whose caller is known. Each refusal is a line of the audit."""

from __future__ import annotations

import base64
import binascii
import os
import re
import socket
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

from starlette.responses import Response

from .config import Config
from .ledger import Caller, Ledger, Work
from .refusal import NotAllowed, Refusal, TooMany, Unauthenticated, Unready
from .socket_owner import name_of, uid_of
from .user import Role, User, digest_of
from .web.connections import Connections
from .web.guard import BODY_S, App, Guard, Scope, closing, json_answer

OPEN = ("/v1/health",)  # for load balancers and systemd
_SAFE = ("GET", "HEAD", "OPTIONS")
_LINES = 60  # of the audit, of refusals to one user at one address in a minute
_KNOWN = 10_000  # users at addresses
_HEARTBEAT = re.compile(r"/v1/leases/[^/]+/heartbeat")
_SHARE = 3 / 4  # of all requests, that one user may have at a time


class Busy(Refusal):
    """There are too many requests at once."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


class Door(Guard):
    """The guard of the service."""

    misdirected = "this service is not {!r}; use its address, or a name of names: in its file"
    example = "GET /openapi.json"

    def __init__(
        self, app: App, config: Config, ledger: Ledger, connections: Connections, body_s: float = BODY_S
    ) -> None:
        """`body_s`: how long the body of a request may take."""
        here = [] if config.is_loopback else [socket.gethostname().lower()]
        names = {"localhost", *config.names, *here}
        super().__init__(app, connections, names, body=config.limits.body, body_s=body_s)
        self._config, self._ledger, self._connections = config, ledger, connections
        self._going: Counter[str] = Counter()  # requests by user, but heartbeats
        self.users: Mapping[str, User] = {}  # by the digests of their tokens
        self._said: OrderedDict[tuple[str, str, int], int] = OrderedDict()  # refusals of each minute

    @property
    def is_open(self) -> bool:
        """Whether the service has no users yet: the account that runs it, and root, are admins then."""
        return not self.users and not self._config.certificates and self._config.is_loopback

    def admit(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Finds out who makes a request. Unauthenticated or NotAllowed if he may not."""
        if scope["path"] in OPEN:
            return
        client, here = scope.get("client") or ("", 0), scope.get("server")
        scope.setdefault("state", {})["caller"] = self._caller(headers, scope["method"], client, here)

    async def note(self, scope: Scope, refusal: Refusal) -> None:
        """Writes a refusal into the audit."""
        await self.refuse(caller_of(scope), scope, refusal)

    def answer(self, scope: Scope, refusal: Refusal) -> Response:  # noqa: ARG002
        """The status and the sentence of a refusal."""
        content = {
            "status": int(refusal.status),
            "error": str(refusal).encode("utf-8", "backslashreplace").decode(),
        }
        headers = closing(refusal)
        if isinstance(refusal, Unauthenticated):
            headers["WWW-Authenticate"] = 'Bearer, Basic realm="tester serve"'
        return json_answer(content, refusal.status, **headers)

    @contextmanager
    def counted(self, scope: Scope) -> Iterator[None]:
        """Refuses too many requests, of all or of one user. Heartbeats are always taken: no lease ends so."""
        user = caller_of(scope).name
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


def caller_of(scope: Scope) -> Caller:
    """Who makes a request, as far as is known."""
    client = scope.get("client") or ("", 0)
    caller: Caller = scope.get("state", {}).get("caller") or Caller(
        "", Role.READER, f"{client[0]}:{client[1]}"
    )
    return caller


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
