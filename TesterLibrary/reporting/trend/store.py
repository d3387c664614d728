# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The store of a database of runs, a DuckDB file or a PostgreSQL server: opens it and keeps its tables.

Both understand the same statements; they differ in how one is opened, and in how a transaction begins.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import TesterLibraryError
from .address import Address

if TYPE_CHECKING:
    import duckdb
    import psycopg

Row = tuple[Any, ...]
_PATIENCE_S = 20  # for another writer
_CONNECT_S = 10  # to a server that does not answer
_RETRY_S = 0.1


class Store(Protocol):
    """An open database, without what its tables mean."""

    @property
    def kind(self) -> str:
        """The name of the store, for messages."""

    @property
    def begin_read(self) -> str:
        """Begins a transaction that sees one state of all tables."""

    @property
    def begin_write(self) -> Sequence[str]:
        """Begins a transaction that no other writer is in at the same time."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a statement returns. `?` stands for a value."""


@dataclass(frozen=True)
class _File:
    """A DuckDB file, which one process at a time may write."""

    connection: duckdb.DuckDBPyConnection
    kind: str = "DuckDB file"
    begin_read: str = "begin transaction"
    begin_write: Sequence[str] = ("begin transaction",)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.connection.execute(statement, list(values)).fetchall()


@dataclass(frozen=True)
class Server:
    """A database of a PostgreSQL server."""

    connection: psycopg.Connection[Row]
    kind: str = "PostgreSQL database with other tables"
    begin_read: str = "begin transaction isolation level repeatable read read only"
    begin_write: Sequence[str] = (
        "begin transaction",
        # Figures are numbered, and values judged, by what is there: writers have to be one after another.
        "select pg_advisory_xact_lock(hashtext('TesterLibrary: runs'))",
    )

    def abandon(self) -> None:
        """Ends the connection, from another thread: nobody else tells of a server that stands still."""
        with suppress(Exception), socket.socket(fileno=os.dup(self.connection.fileno())) as connected:
            connected.shutdown(socket.SHUT_RDWR)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """As `Store` has it."""
        # Statements without values may be several in one text, which takes the simple protocol.
        asked = self.connection.execute(statement.replace("?", "%s").encode(), list(values) or None)
        return asked.fetchall() if asked.description else []


@contextmanager
def open_store(address: Address, *, make: bool) -> Iterator[Store]:
    """Opens what is at that address.

    Args:
        address: The file or the server.
        make: Whether a file may be made, and tables be changed.

    Raises:
        TesterLibraryError: a package is missing, there is no such file or server, or it fails while it is
            open. Everything that was there before still is.
    """
    with open_server(address, make=make) if address.is_server else _file(address.file, make=make) as store:
        yield store


@contextmanager
def _file(path: Path, *, make: bool) -> Iterator[Store]:
    try:
        import duckdb
    except ImportError:
        raise TesterLibraryError(
            "a database of runs in a file needs DuckDB; install robotframework-testerlibrary[trend]"
        ) from None
    if not make and not path.is_file():
        raise TesterLibraryError(f"there is no database {path}; `tester trend RECORD` makes one")
    try:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        with _connected(path, make=make) as connection:
            yield _File(connection)
    except (duckdb.Error, OSError) as problem:
        raise _unusable(str(path), str(problem).strip().split("\n")[0]) from None


def _connected(path: Path, *, make: bool) -> duckdb.DuckDBPyConnection:
    """The file, open; another process that writes it is waited for."""
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "autoinstall_known_extensions": "false",
    }
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return duckdb.connect(str(path), read_only=not make, config=settings)
        except duckdb.IOException as problem:
            if "Could not set lock" not in str(problem) or time.monotonic() > until:
                raise
        time.sleep(_RETRY_S)


@contextmanager
def open_server(
    address: Address,
    *,
    make: bool,
    purpose: str = "a database of runs",
    program: str = "tester trend",
    connect_s: int = _CONNECT_S,
) -> Iterator[Server]:
    """Opens a database of a PostgreSQL server.

    Args:
        address: The URL of the server.
        make: Whether tables may be made and changed.
        purpose: What is kept there, for messages.
        program: Who uses it, for people who look at the server.
        connect_s: How long a server that does not answer is waited for.

    Raises:
        TesterLibraryError: as `open_store`.
    """
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise TesterLibraryError(
            f"{purpose} on a server needs psycopg; install robotframework-testerlibrary[postgres]"
        ) from None
    try:
        given: dict[str, Any] = {"connect_timeout": connect_s, "application_name": program}
        given |= conninfo_to_dict(address.given)
        connection = psycopg.connect(**given, autocommit=True, prepare_threshold=None)
    except psycopg.Error as problem:
        raise TesterLibraryError(
            f"the database {address} cannot be opened: {_said(problem)}. Check that the server runs and lets "
            "this machine in, that it has the database and the user, and the password: in the URL, in "
            "PGPASSWORD or in ~/.pgpass"
        ) from None
    try:
        with connection:
            connection.execute(f"set lock_timeout = '{_PATIENCE_S}s'".encode())
            if not make:
                connection.execute("set default_transaction_read_only = on")
            yield Server(connection)
    except psycopg.Error as problem:
        raise _unusable(str(address), _said(problem)) from None


def _said(problem: Exception) -> str:
    """The message of a server, on one line."""
    lines = (line.strip() for line in str(problem).splitlines())
    return "; ".join(line for line in lines if line).rstrip(".")


def _unusable(name: str, said: str) -> TesterLibraryError:
    return TesterLibraryError(
        f"the database {name} cannot be used: {said}. What it held before is still there"
    )
