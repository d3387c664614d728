# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A place of the service for clients of the Open Traffic Generator, whose protocol knows no users.

A client is the Unix user whose process has the other end of the connection, on this machine. With its first
connection the place is leased for it, and `tester otg` is run under the lease; what it sends goes there as
it is. The lease is kept while it is connected, and a while longer. Who does not get the place is told so, as
an answer of the protocol.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from ..campaign.child_status import Event
from ..errors import TesterLibraryError
from ..targets.engine.runtime import clean_runtime_directories, new_runtime_directory
from .config import OtgPlace, ServedPlace
from .lab import Lab
from .ledger import SERVICE, Caller, Ledger, Work
from .otg.certificate import fresh_context
from .otg.serving import ADDRESS
from .otg_refuser import OtgRefuser
from .refusal import Misfit, NotAllowed, Refusal, Unready
from .runner import Running
from .scheduler import Lease, State, Wish
from .socket_owner import user_of
from .user import Role
from .web.guard import Scope

_TTL_S = 30.0
_TICK_S = 1.0
_LOOK_S = 0.05  # between two looks at a server that starts, and its lease
_GRANT_S = 3.0  # a client of the protocol waits ten seconds for an answer, which has to be made yet
_READY_S = 60.0  # for an embedded testbed, on a machine that is busy
_REFUSED_S = 2.0  # a client that was told no connects anew when it asks again
_PIECE = 1 << 16
_MOST_LINES = 10  # of the audit, in a second
# Connections at a time: of who has the place, and of all others. Each takes two files of the service, which
# has some hundreds beside those of its own connections.
_MOST = 64
_REFUSERS = 16  # servers, with threads of their own; in a user namespace one person is 65,536 users
_BACKLOG = 16  # new ones, whose users are looked up before the service does anything else
_KINDS = ("http", "grpc")


class _Child:
    """`tester otg` of a client, and what its status says."""

    running: Running

    def __init__(self) -> None:
        self.is_ready = asyncio.Event()
        self.problem = ""
        self._refusals: deque[tuple[int, str]] = deque(maxlen=_MOST_LINES)

    def hear(self, event: Event) -> None:
        """Takes an event of its status."""
        if event["event"] == "ready":
            self.is_ready.set()
        elif event["event"] == "error":
            self.problem = event["text"]
        elif event["event"] == "refused":
            self._refusals.append((event["status"], f"{event['call']}: {event['error']}"))

    def take_refusals(self) -> list[tuple[int, str]]:
        """The status and text of the last calls that were refused since this was asked."""
        refusals = list(self._refusals)
        self._refusals.clear()
        return refusals


@dataclass
class _Session:
    """A client that has the place."""

    caller: Caller
    lease: Lease
    child: _Child
    sockets: Path
    connections: set[asyncio.Task[Any]] = field(default_factory=set)
    idle_since: float = 0.0

    @property
    def idle_s(self) -> float:
        """How long ago somebody was connected."""
        return time.monotonic() - self.idle_since


class OtgDoor:
    """Listens for one place."""

    def __init__(
        self,
        lab: Lab,
        ledger: Ledger,
        place: ServedPlace,
        role_of: Callable[[str], Role | None],
        refuse: Callable[[Caller, Scope, Refusal], Awaitable[None]],
    ) -> None:
        """`role_of` says the role of a Unix user by its name; None: it may not use the service. `refuse`
        writes a refusal into the audit.
        """
        assert place.otg
        self._refuse = refuse
        self._lab, self._ledger, self._place, self._role_of = lab, ledger, place, role_of
        self._settings: OtgPlace = place.otg
        self._session: _Session | None = None
        self._strangers: dict[asyncio.Task[Any], None] = {}  # connections without a session, the oldest first
        self._asking: dict[str, asyncio.Task[_Session]] = {}  # by user
        self._starting: dict[str, Running] = {}  # by lease: does not listen yet
        self._servers: list[asyncio.Server] = []
        # By user, the one that was used last at the end: nobody reads what another one was told.
        self._refusers: dict[str, OtgRefuser] = {}
        self._numbers = count()
        self._context = fresh_context(ADDRESS)
        self._closing = ExitStack()
        self._sockets = Path()
        self._keeping: asyncio.Task[None] | None = None
        self._closed = asyncio.Event()

    async def start(self) -> None:
        """Listens. TesterLibraryError if a port cannot be had."""
        # UNIX sockets in a folder of mode 0700: nobody else of this machine gets past the door. Paths of
        # sockets have 107 characters at most, so it is none of the service's; what a service that was killed
        # has left of it goes here.
        clean_runtime_directories()
        self._sockets = new_runtime_directory()
        self._closing.callback(shutil.rmtree, self._sockets, ignore_errors=True)
        self._closing.callback(self._close_refusers)
        for kind, port in zip(_KINDS, (self._settings.http, self._settings.grpc), strict=True):
            try:
                server = await asyncio.start_server(
                    partial(self._serve, kind), ADDRESS, port, backlog=_BACKLOG
                )
            except OSError as problem:
                said = f"port {port} of {ADDRESS} cannot be had: {problem.strerror}"
                raise TesterLibraryError(f"place {self._place.name}: otg: {said}") from None
            self._servers.append(server)
        self._lab.enders.append(self.end)
        await self._end_left()
        self._keeping = asyncio.create_task(self._keep())
        http_port, grpc_port = (server.sockets[0].getsockname()[1] for server in self._servers)
        print(
            f"{self._place.name}: Open Traffic Generator at https://{ADDRESS}:{http_port} (http, too), "
            f"gRPC {ADDRESS}:{grpc_port}",
            flush=True,
        )

    async def _end_left(self) -> None:
        """Ends a lease that a service which was killed had for a client, who cannot come back to it."""
        for lease in list(self._lab.scheduler.leases([State.ACQUIRED])):
            if lease.place == self._place.name and self._folder_of(lease).is_dir():
                with suppress(Unready):  # then it ends by itself
                    await self._lab.end(SERVICE, lease.id, force=True, reason="the service was killed")

    def _folder_of(self, lease: Lease) -> Path:
        return self._lab.config.folder / "otg" / lease.id

    async def close(self) -> None:
        """Listens no more, and ends what a client does."""
        for server in self._servers:
            server.close()
        self._closed.set()
        if self._keeping:  # not cancelled: what it is ending has a process that would be nobody's
            await asyncio.wait([self._keeping])
        if session := self._session:  # nobody comes back to its lease
            with suppress(Refusal):
                await self._lab.end(session.caller, session.lease.id)
            await self.end(session.lease.id)
        await asyncio.to_thread(self._closing.close)

    async def end(self, lease_id: str) -> None:
        """Ends what is done under a lease. When it returns nothing of it is left."""
        if starting := self._starting.get(lease_id):
            await starting.end()
        session = self._session
        if session is None or session.lease.id != lease_id:
            return
        self._session = None
        for connection in session.connections:
            connection.cancel()
        await session.child.running.end()
        shutil.rmtree(session.sockets, ignore_errors=True)
        with suppress(Unready):
            await self._note_refusals(session)

    async def _serve(self, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection of a client, to its end."""
        task = asyncio.current_task()
        assert task
        peer, here = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
        caller, session = Caller("", Role.READER, f"{peer[0]}:{peer[1]}"), None
        self._let_in(task)
        try:
            try:
                name = user_of(peer, here)
                caller = replace(caller, name=name, role=self._role_of(name) or Role.READER)
                session = await self._session_of(caller)
                sockets, longest = session.sockets, None
            except Refusal as refusal:
                await self._refuse(caller, {"method": "otg", "path": self._place.name}, refusal)
                refuser = self._refuser_of(caller.name)
                refuser.refuse(refusal)
                sockets, longest = refuser.sockets, _REFUSED_S
            if session:
                self._strangers.pop(task, None)
                if len(session.connections) >= _MOST:
                    return
                session.connections.add(task)
            with suppress(OSError, asyncio.TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(_forward(reader, writer, sockets / kind), longest)
            if session:
                session.connections.discard(task)
                session.idle_since = time.monotonic()
        finally:
            self._strangers.pop(task, None)
            writer.close()

    def _let_in(self, task: asyncio.Task[Any]) -> None:
        """A new connection; where there are too many without a session, the oldest of them gives way."""
        if len(self._strangers) >= _MOST:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[task] = None

    def _refuser_of(self, name: str) -> OtgRefuser:
        refuser = self._refusers.pop(name, None) or OtgRefuser(
            self._sockets / f"refused-{next(self._numbers)}", self._context
        )
        self._refusers[name] = refuser
        if len(self._refusers) > _REFUSERS:
            oldest = self._refusers.pop(next(iter(self._refusers)))
            asyncio.get_running_loop().run_in_executor(None, oldest.close)
        return refuser

    def _close_refusers(self) -> None:
        for refuser in self._refusers.values():
            refuser.close()

    def _may_use(self, name: str) -> bool:
        role = self._role_of(name)
        return role is not None and role.may(Role.USER)

    async def _session_of(self, caller: Caller) -> _Session:
        if not caller.role.may(Role.USER):
            raise NotAllowed(
                f"{caller.name}, whose process this is, may not lease testers here; the owner of the lab "
                f"adds users by --add-user {caller.name}"
            )
        if self._session and self._session.caller.name == caller.name:
            return self._session  # whoever else asks for the place, its owner does not wait for that
        asking = self._asking.get(caller.name)  # once, however many connections he makes
        if asking is None:
            asking = self._asking[caller.name] = asyncio.create_task(self._new_session(caller))
            asking.add_done_callback(partial(self._asked, caller.name))
        return await asyncio.shield(asking)

    def _asked(self, name: str, asking: asyncio.Task[_Session]) -> None:
        del self._asking[name]
        if not asking.cancelled():
            asking.exception()  # is that of whoever waits, if anybody still does

    async def _new_session(self, caller: Caller) -> _Session:
        lease = await self._leased(caller)
        try:
            child, sockets = await self._run(caller, lease)
        except (TesterLibraryError, OSError) as problem:
            with suppress(Refusal):
                await self._lab.end(caller, lease.id)
            raise Unready(f"place {self._place.name}: {problem}") from None
        self._session = _Session(caller, lease, child, sockets, idle_since=time.monotonic())
        return self._session

    async def _leased(self, caller: Caller) -> Lease:
        wish = Wish(caller.name, _TTL_S, self._place.name)
        lease = await self._lab.ask(caller, wish)
        lease = await self._lab.wait_for(caller, lease.id, _GRANT_S)
        while lease.state is State.CHECKING:
            lease = await self._lab.wait_for(caller, lease.id, _GRANT_S)
        if lease.state is State.ACQUIRED:
            return lease
        holder = self._lab.scheduler.holder(self._place.name)
        problem = self._lab.scheduler.unfit.get(self._place.name)
        if not lease.state.is_over:
            await self._lab.end(caller, lease.id)
        why = problem or (
            f"it is leased to {holder.owner}" if holder else lease.reason or "others are before"
        )
        raise Misfit(f"place {self._place.name} cannot be had now: {why}; try again later")

    async def _run(self, caller: Caller, lease: Lease) -> tuple[_Child, Path]:
        """`tester otg` under a lease, once it listens, with the folder of its sockets."""
        folder, sockets = self._folder_of(lease), self._sockets / lease.id[:8]
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        for made in (folder, sockets):
            made.mkdir(mode=0o700)
        locations = (f"{text}={port}" for text, port in self._settings.locations.items())
        arguments = ["otg", self._place.file, "--results", "."]
        arguments += [word for kind in _KINDS for word in (f"--{kind}", str(sockets / kind))]
        arguments += [word for location in locations for word in ("--location", location)]
        keeper = self._lab.testers.keeper(lease.id)
        child, more = _Child(), dict([keeper.variable]) if keeper else {}
        running = await Running.start(f"otg-{lease.id}", folder, arguments, more, heard=child.hear)
        child.running = self._starting[lease.id] = running
        try:
            await self._listening(caller, lease, child)
        except BaseException:
            await running.end()
            raise
        finally:
            del self._starting[lease.id]
        return child, sockets

    async def _listening(self, caller: Caller, lease: Lease, child: _Child) -> None:
        """Returns once it listens; its lease is kept meanwhile, unless that is ended."""
        deadline = time.monotonic() + _READY_S
        while time.monotonic() < deadline:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(child.is_ready.wait(), _LOOK_S)
                return
            if child.running.is_over:
                await child.running.wait()
                raise TesterLibraryError(child.problem or "tester otg ended at once")
            await self._lab.renew(caller, lease.id)
        raise TesterLibraryError(f"tester otg did not listen within {_READY_S:.0f} s")

    async def _keep(self) -> None:
        """Keeps the lease of who is connected, and ends that of who is gone."""
        while True:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._closed.wait(), _TICK_S)
                return
            session = self._session
            if session is None:
                continue
            try:
                await self._note_refusals(session)
                if not self._may_use(session.caller.name):  # it was removed while it is connected
                    reason = f"{session.caller.name} may not lease testers here any more"
                    await self._lab.end(SERVICE, session.lease.id, force=True, reason=reason)
                elif session.child.running.is_over:
                    await self._lab.end(session.caller, session.lease.id)
                elif session.connections or session.idle_s < self._settings.idle.seconds:
                    await self._lab.renew(session.caller, session.lease.id)
                else:
                    await self._lab.end(session.caller, session.lease.id)
            except Unready:
                continue
            except Refusal:  # it is over, or about to be
                await self.end(session.lease.id)

    async def _note_refusals(self, session: _Session) -> None:
        """Writes what the tester's own server has refused into the audit."""
        if refusals := session.child.take_refusals():
            name, caller = self._place.name, session.caller
            lines = [caller.line("otg", name, status, error) for status, error in refusals]
            await self._ledger.keep(Work(lines=lines))


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, to: Path) -> None:
    """All that comes from either end, until both have come to theirs."""
    there, back = await asyncio.open_unix_connection(to)
    try:
        await asyncio.gather(_copy(reader, back), _copy(there, writer))
    finally:
        back.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
