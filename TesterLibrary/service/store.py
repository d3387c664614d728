# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of the service: leases, jobs, users, and the audit, in a SQLite file or in PostgreSQL."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..errors import TesterLibraryError
from ..reporting.record.codec import decode, encode
from ..reporting.trend.address import Address
from ..reporting.trend.store import Row, Server, open_server
from .job import Job
from .scheduler import Lease
from .user import Role, User

SCHEMA = 1
KIND = "the database of the service is a SQLite file"
_TABLES = """
create table meta (schema integer not null);
create table leases (id text primary key, number bigint not null, is_over boolean not null,
    record text not null);
create table jobs (id text primary key, number bigint not null, is_over boolean not null,
    record text not null);
create table notes (name text primary key, record text not null);
create table users (digest text primary key, name text not null, role text not null,
    expires_s double precision);
create table audit (number bigint primary key, at text not null, who text not null, role text not null,
    client text not null, did text not null, subject text not null, status integer not null,
    said text not null);
"""
# What is in the audit stays there, whoever has the tables open.
_APPEND_ONLY = {
    False: """
create trigger audit_update before update on audit begin select raise(abort, 'the audit is append-only'); end;
create trigger audit_delete before delete on audit begin select raise(abort, 'the audit is append-only'); end;
""",
    True: """
create function audit_is_kept() returns trigger language plpgsql as
  'begin raise exception ''the audit is append-only''; end';
create trigger audit_kept before update or delete on audit for each row execute function audit_is_kept();
""",
}
_LOCK = "select pg_try_advisory_lock(hashtext('TesterLibrary: service'))"
_REMEMBERED_LEASES, _REMEMBERED_JOBS = 1000, 10_000  # that are over
_PATIENCE_S = 5.0
_AWAY = "the file of the database was removed or replaced; put it back, or start the service anew"

T = TypeVar("T")
Change = tuple[str, Sequence[Any]]  # a statement with its values


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def keep_lease(lease: Lease) -> Change:
    """Puts a lease in, in place of what was known of it."""
    return _kept("leases", lease)


def keep_job(job: Job) -> Change:
    """Puts a job in, in place of what was known of it."""
    return _kept("jobs", job)


def _kept(table: str, value: Lease | Job) -> Change:
    return (
        f"insert into {table} values (?, ?, ?, ?) on conflict (id) do update set "
        "is_over = excluded.is_over, record = excluded.record",
        (value.id, value.number, value.state.is_over, json.dumps(encode(value), ensure_ascii=False)),
    )


def keep_note(name: str, value: object) -> Change:
    """Puts a value in under a name: fences, places that are unfit, tokens of testers."""
    return (
        "insert into notes values (?, ?) on conflict (name) do update set record = excluded.record",
        (name, json.dumps(value, ensure_ascii=False)),
    )


@dataclass(frozen=True)
class AuditLine:
    """Who did what, or was refused."""

    at: str
    who: str
    role: str
    client: str  # address and port
    did: str
    subject: str  # the lease, job or place
    status: int  # of HTTP
    said: str
    number: int = 0


@dataclass(frozen=True)
class Kept:
    """The state that an earlier process has left."""

    leases: tuple[Lease, ...]
    jobs: tuple[Job, ...]
    notes: dict[str, Any]


class Store:
    """The tables, open. One process at a time has them."""

    def __init__(self, address: Address, *, alone: bool = True) -> None:
        """`alone`: no other service may have them open.

        Raises:
            TesterLibraryError: they cannot be opened, are others, or another service has them.
        """
        self._address, self._alone = address, alone
        self._opened = ExitStack()
        self._execute: Callable[[str, Sequence[Any]], list[Row]]
        self._server: Server | None = None
        self._silent = ""  # that the server did not answer in time
        self._file: tuple[int, int] | None = None  # device and inode of the file that is open
        self._open(make=True)

    def _open(self, *, make: bool) -> None:
        """Opens what is at the address. `make`: the tables, where there are none."""
        with ExitStack() as opening:
            if self._address.is_server:
                purpose, program = "the database of the service", "tester serve"
                opened = open_server(
                    self._address, make=True, purpose=purpose, program=program, connect_s=round(_PATIENCE_S)
                )
                self._server = opening.enter_context(opened)
                self._execute = self._server.execute
                with self._limited():
                    locked = not self._alone or self._execute(_LOCK, ())[0][0]
            else:
                locked = self._open_file(self._address.file, opening, make=make)
            if not locked:
                raise TesterLibraryError(
                    f"another tester serve uses {self._address}; end it, or give another"
                )
            with self._limited():
                self._check_tables(make=make)
            self._opened = opening.pop_all()

    def _check_tables(self, *, make: bool) -> None:
        names = "select table_name from information_schema.tables where table_schema = current_schema()"
        if not self._address.is_server:
            names = "select name from sqlite_master where type = 'table'"
        tables = {name for (name,) in self._execute(names, ())}
        if not tables and make:
            self._make()
        elif "audit" not in tables or self._execute("select * from meta", ()) != [(SCHEMA,)]:
            raise TesterLibraryError(
                f"{self._address} is no database of tester serve that this version reads; give another"
            )

    def _open_file(self, path: Path, opening: ExitStack, *, make: bool) -> bool:
        try:
            if make:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                path.touch(mode=0o600)
            self._file = _identity(path)
            file = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
            opening.callback(file.close)
            file.execute("pragma journal_mode = wal")
            file.execute("pragma synchronous = full")
            self._execute = lambda statement, values: file.execute(statement, values).fetchall()
            if self._alone:
                lock = sqlite3.connect(  # of the file, by whichever link it is named
                    f"{path.resolve()}.lock", timeout=0, isolation_level=None, check_same_thread=False
                )
                opening.callback(lock.close)
                try:
                    lock.execute("begin exclusive")  # the kernel ends it with the process
                except sqlite3.OperationalError:
                    return False
        except (sqlite3.Error, OSError) as problem:
            raise TesterLibraryError(f"the database {path} cannot be opened: {problem}") from None
        return True

    def _make(self) -> None:
        is_server = self._address.is_server
        whole = _TABLES + _APPEND_ONLY[is_server]
        statements = (
            [whole] if is_server else [f"{part}end;" for part in _APPEND_ONLY[False].split("end;")[:-1]]
        )
        if not is_server:
            statements = [part for part in _TABLES.split(";") if part.strip()] + statements
        self._execute("begin", ())
        for statement in statements:
            self._execute(statement, ())
        self._execute("insert into meta values (?)", (SCHEMA,))
        self._execute("commit", ())

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """TesterLibraryError if a server does not answer within 5 s: one that stands still never does."""
        if self._server is None:
            yield
            return

        def give_up(server: Server) -> None:
            self._silent = f"the database {self._address} did not answer within {_PATIENCE_S:g} s"
            server.abandon()

        timer = threading.Timer(_PATIENCE_S, give_up, (self._server,))
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception:
            if self._silent:
                raise TesterLibraryError(self._silent) from None
            raise
        finally:
            timer.cancel()

    def close(self) -> None:
        """Closes them. Never raises."""
        with suppress(Exception):
            self._opened.close()

    def reopen(self) -> None:
        """Opens them anew after a failure; makes none. TesterLibraryError if that still cannot be done."""
        if not self._address.is_server and not self._address.file.is_file():
            raise TesterLibraryError(_AWAY)
        self.close()
        self._silent = ""
        self._open(make=False)

    def check(self) -> None:
        """TesterLibraryError if a server did not answer in time, or the file that is open is no longer there.

        What such a file takes would be lost.
        """
        if self._silent:
            raise TesterLibraryError(self._silent)
        if self._file is None:
            return
        try:
            is_there = _identity(self._address.file) == self._file
        except OSError:
            is_there = False
        if not is_there:
            raise TesterLibraryError(_AWAY)

    def load(self) -> Kept:
        """The state of leases, jobs and the rest; of leases that are over, the newest."""
        with self._limited():
            leases = self._newest("leases", _REMEMBERED_LEASES)
            jobs = self._newest("jobs", _REMEMBERED_JOBS)
            notes = self._execute("select name, record from notes", ())
        return Kept(
            tuple(decode(Lease, record) for record in leases),
            tuple(decode(Job, record) for record in jobs),
            {name: json.loads(record) for name, record in notes},
        )

    def _newest(self, table: str, most: int) -> list[Any]:
        """Records of a table in their order: all that are not over, and so many of the others."""
        going = self._execute(f"select number, record from {table} where not is_over", ())
        over = self._execute(
            f"select number, record from {table} where is_over order by number desc limit {most}", ()
        )
        return [json.loads(record) for _, record in sorted([*going, *over])]

    def write(self, changes: Iterable[Change], audit: Sequence[AuditLine] = ()) -> None:
        """Makes all changes, or none of them."""
        self.check()
        with self._limited():
            self._write(changes, audit)

    def _write(self, changes: Iterable[Change], audit: Sequence[AuditLine]) -> None:
        self._execute("begin", ())
        try:
            for statement, values in changes:
                self._execute(statement, values)
            for line in audit:
                values = [getattr(line, name) for name in _AUDITED]
                self._execute(f"insert into audit values ({_NEXT}, {', '.join('?' * len(values))})", values)
            self._execute("commit", ())
        except BaseException:
            with suppress(Exception):
                self._execute("rollback", ())
            raise

    def audit(self, after: int | None, most: int) -> list[AuditLine]:
        """Lines with greater numbers, the oldest first; None: the newest lines, the newest first."""
        names, order = ", ".join((*_AUDITED, "number")), "desc" if after is None else "asc"
        asked = f"select {names} from audit where number > ? order by number {order} limit ?"
        with self._limited():
            return [AuditLine(*row) for row in self._execute(asked, (after or 0, most))]

    def users(self) -> dict[str, User]:
        """The users by the digests of their tokens."""
        with self._limited():
            rows = self._execute("select digest, name, role, expires_s from users order by name", ())
        return {digest: User(name, Role(role), expires_s) for digest, name, role, expires_s in rows}

    def put_user(self, digest: str, user: User) -> None:
        """Adds a token of a user."""
        values = (digest, user.name, user.role.value, user.expires_s)
        self.write([("insert into users values (?, ?, ?, ?)", values)])

    def remove_user(self, name: str) -> None:
        """Forgets all tokens of a user."""
        self.write([("delete from users where name = ?", (name,))])


_NEXT = "(select coalesce(max(number), 0) + 1 from audit)"
_AUDITED = ("at", "who", "role", "client", "did", "subject", "status", "said")


def expires_in(days: float) -> float:
    """The time, in seconds since 1970, after so many days."""
    return time.clock_gettime(time.CLOCK_REALTIME) + days * 86400
