# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The memory of the service: each change is on the disk before somebody is told of it.

When the database fails, requests that would change something are refused until it answers again; leases
that are held are kept meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ..errors import TesterLibraryError
from ..reporting.record.machine import wall_clock
from .refusal import Refusal, Unready
from .scheduler import Lease, Moment, Scheduler, State
from .store import AuditLine, Change, Kept, Store, keep_lease
from .store_writer import Writer
from .user import Role

T = TypeVar("T")
_LONGEST = 500  # characters of a message in the audit


@dataclass(frozen=True)
class Caller:
    """Who makes a request."""

    name: str
    role: Role
    client: str = ""  # its address and port

    def line(self, did: str, subject: str, status: int, said: str = "") -> AuditLine:
        """A line of the audit on what the caller did, or was refused."""
        about, kept = _storable(subject), _storable(said[:_LONGEST])
        return AuditLine(wall_clock(), self.name, self.role.value, self.client, did, about, status, kept)


def _storable(text: str) -> str:
    """A text that every database takes: what strangers send may have half characters, and null."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


SERVICE = Caller("the service", Role.ADMIN)


@dataclass
class Work:
    """Changes that belong together, and who is told of them."""

    changes: list[Change] = field(default_factory=list)
    lines: list[AuditLine] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # leases and jobs


class Ledger:
    """The database, and news of what has changed in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writer = Writer(store)
        self.problem = ""  # why nothing can be written now
        self._news: dict[str, asyncio.Event] = {}

    def check(self) -> None:
        """Unready if nothing can be written now."""
        if self.problem:
            raise Unready(f"{self.problem}; what is leased stays leased, try again later")

    def look(self) -> None:
        """Finds out whether the database can be written, also if nobody writes into it."""
        try:
            self._store.check()
        except TesterLibraryError as problem:
            self.problem = self.problem or f"the database of the service cannot be written ({problem})"

    async def keep(self, work: Work) -> None:
        """Writes changes, then tells those who wait for them. Unready if they cannot be written."""
        try:
            await self._writer.write(work.changes, work.lines)
        except Unready as problem:
            self.problem = str(problem)
            raise
        for name in dict.fromkeys(work.told):
            if event := self._news.pop(name, None):
                event.set()

    async def ask(self, question: Callable[[Store], T]) -> T:
        """The answer of the database to a question. Unready if it fails."""
        return await self._writer.call(question)

    async def recover(self) -> Kept | None:
        """Opens the database anew. What it holds; None if it still cannot be used."""
        try:
            await self.ask(Store.reopen)
            return await self.ask(Store.load)
        except (Unready, TesterLibraryError):
            return None

    async def news_of(self, name: str, timeout_s: float) -> None:
        """Returns when there is news of a lease or job, or after the time."""
        event = self._news.setdefault(name, asyncio.Event())
        try:
            await asyncio.wait_for(event.wait(), timeout_s)
        except asyncio.TimeoutError:
            if self._news.get(name) is event:
                del self._news[name]
                event.set()  # others who wait look again

    def close(self) -> None:
        """Writes what is waiting, and closes the database."""
        self._writer.close()
        self._store.close()


def restore_leases(scheduler: Scheduler, leases: Iterable[Lease], now: Moment, work: Work) -> None:
    """Takes leases up again. Those of places that are no longer served end, which is noted in the work."""
    for lease in leases:
        try:
            scheduler.restore(lease, now)
        except (Refusal, KeyError):
            place = lease.place or lease.wish.place or "what it asks for"
            reason = f"{place} is no longer served"
            over = replace(lease, state=State.LOST, reason=reason, ended_at=now.wall)
            scheduler.remember(over)
            work.changes.append(keep_lease(over))
            work.lines.append(SERVICE.line("end a lease", lease.id, 410, reason))
