# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service as a whole: its door, its routes, and the server that listens."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ..errors import TesterLibraryError
from .config import Config
from .door import Door
from .invalid import sentence
from .lab import Lab
from .ledger import SERVICE, Ledger
from .live import LivePages
from .refusal import Refusal, Unready, Wrong
from .routes import health_route, routes
from .store import Store
from .user import Role
from .web.connections import Connections
from .web.guard import broken
from .web.server import listen, make_server

if TYPE_CHECKING:
    from .otg_door import OtgDoor

_USERS_S = 2.0  # until a user that was added or removed beside the service is known


class Service:
    """The application, with all that it holds."""

    def __init__(self, config: Config, store: Store) -> None:
        """The store is closed with it."""
        self.config = config
        self.ledger = Ledger(store)
        self.lab = Lab(config, self.ledger)
        self.connections = Connections()
        self._pages = LivePages()
        self.api = self._application()
        self.door = Door(cast("Any", self.api), config, self.ledger, self.connections)
        self._otg = self._otg_doors()
        self._watching: asyncio.Future[Any] | None = None

    def _otg_doors(self) -> list[OtgDoor]:
        places = [place for place in self.config.places if place.otg]
        if not places:
            return []
        try:
            from .otg_door import OtgDoor
        except ImportError as missing:
            extra = "install robotframework-testerlibrary[otg]"
            raise TesterLibraryError(f"place {places[0].name}: otg: needs {missing.name}; {extra}") from None
        return [OtgDoor(self.lab, self.ledger, place, self._role_of, self.door.refuse) for place in places]

    def _role_of(self, name: str) -> Role | None:
        """The role of a user, or of the Unix user of the same name; None: he is none."""
        if self.door.is_open:
            return Role.USER
        roles = [user.role for user in self.door.users.values() if user.name == name and not user.is_over]
        return max(roles, key=list(Role).index) if roles else self.config.certificates.get(name)

    def _application(self) -> FastAPI:
        api = FastAPI(
            title="tester serve",
            version="1",
            summary="Testers that a lab shares: places, leases, jobs and what they have measured",
            description="Each refusal is `{status, error}`: nothing has changed, and the audit has a line.",
            lifespan=self._lifespan,
            redoc_url=None,
            docs_url=None,  # its page would load scripts from elsewhere
            redirect_slashes=False,
        )
        api.include_router(health_route(self.ledger))
        api.include_router(routes(self.lab, self.ledger, self._pages))
        api.exception_handler(Refusal)(self._refused)
        api.exception_handler(HTTPException)(self._failed)
        api.exception_handler(RequestValidationError)(self._invalid)
        api.exception_handler(Exception)(self._broken)
        return api

    @asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        await self._read_users()
        await self.lab.start()
        for door in self._otg:
            await door.start()
        self._watching = asyncio.gather(self._watch_users(), self._watch_leases())
        try:
            yield
        finally:
            self._watching.cancel()
            await asyncio.to_thread(self._pages.close)
            for door in self._otg:
                await door.close()
            await self.lab.stop()
            self.ledger.close()
            with suppress(asyncio.CancelledError):
                await self._watching

    async def _read_users(self) -> None:
        self.door.users = await self.ledger.ask(Store.users)

    async def _watch_users(self) -> None:
        while True:
            await asyncio.sleep(_USERS_S)
            with suppress(Unready):
                await self._read_users()

    async def _watch_leases(self) -> None:
        """Ends the leases of those who may have none any more, though a job may keep them."""
        while True:
            await asyncio.sleep(_USERS_S)
            for lease in list(self.lab.scheduler.leases()):
                role = self._role_of(lease.owner)
                if role is None or not role.may(Role.USER):
                    reason = f"{lease.owner} may not lease testers here any more"
                    with suppress(Refusal):
                        await self.lab.end(SERVICE, lease.id, force=True, reason=reason)

    async def _refused(self, request: Request, refusal: Refusal) -> Response:
        await self.door.note(request.scope, refusal)
        return self.door.answer(request.scope, refusal)

    async def _failed(self, request: Request, error: HTTPException) -> Response:
        """Refusals of Starlette itself: no such path or method, a body that cannot be read."""
        if isinstance(error.__cause__, Refusal):
            return await self._refused(request, error.__cause__)
        refusal = Refusal(f"{error.detail}: {request.method} {request.url.path[:200]}; see /openapi.json")
        refusal.status = type(refusal.status)(error.status_code)
        answer = await self._refused(request, refusal)
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = ", ".join(sorted(self._methods(request)))
        return answer

    async def _broken(self, request: Request, _: Exception) -> Response:
        """A fault of ours, which Starlette raises again behind this answer, so that it is in the log."""
        return await self._refused(request, broken())

    def _methods(self, request: Request) -> set[str]:
        """The methods of a path; Starlette itself names one of its routes only."""
        path = request.url.path
        return {
            method.upper()
            for known, methods in self.api.openapi()["paths"].items()
            if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(known)), path)
            for method in methods
        }

    async def _invalid(self, request: Request, error: RequestValidationError) -> Response:
        field = request.scope["route"].body_field
        keys = field.field_info.annotation.model_fields if field else ()
        said = sentence(error.errors(), list(keys))
        return await self._refused(request, Wrong(said))


def make_service_server(service: Service) -> tuple[uvicorn.Server, socket.socket]:
    """The server, and the socket that it is to be run with.

    Raises:
        TesterLibraryError: the port is in use, or a file of TLS is wrong.
    """
    config = service.config
    service.connections.fit()
    options: dict[str, Any] = {}
    if config.tls:
        options = {"ssl_certfile": str(config.tls.certificate), "ssl_keyfile": str(config.tls.key)}
        if config.tls.client_ca:
            # Optional: a user without a certificate may have a token, and the door refuses who has neither.
            options |= {"ssl_ca_certs": str(config.tls.client_ca), "ssl_cert_reqs": ssl.CERT_OPTIONAL}
    try:
        server = make_server(service.door, service.connections, **options)
    except (ssl.SSLError, OSError) as problem:
        raise TesterLibraryError(f"tls: the certificate or its key cannot be used: {problem}") from None
    return server, listen(config.port, config.host)
