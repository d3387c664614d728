# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""SQL over the records of a run and its frames, by DuckDB in memory.

A query writes nothing, and reads no file but those of frames, which stay on the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import TesterLibraryError
from ..pages.tables import TABLES, Row
from ..record.records import Records
from .frames import COLUMNS

if TYPE_CHECKING:
    import duckdb

_CONFINED = (
    "set temp_directory = ''",
    "set python_enable_replacements = false",  # else the name of a variable is a table, too
    "set autoinstall_known_extensions = false",
    "set autoload_known_extensions = false",
    "set enable_external_access = false",
    "set lock_configuration = true",
)

MEMORY = "2GB"  # of a query; aggregates of any number of frames need far less


@dataclass(frozen=True)
class Answer:
    """The rows that a query returned."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def query(records: Records, sql: str, *, frames: Sequence[Path] = (), memory: str = MEMORY) -> Answer:
    """The answer to one SELECT over the tables of a run.

    Args:
        records: Of the run.
        sql: The statement.
        frames: Parquet files, the rows of the table `frames`.
        memory: What it may take, as DuckDB writes it: `2GB`.

    Raises:
        TesterLibraryError: it is another statement or more than one, needs more memory, or has a mistake,
            which is said; or a file of frames is damaged.
    """
    try:
        import duckdb
    except ImportError:
        raise TesterLibraryError("queries need DuckDB; install robotframework-testerlibrary[trend]") from None
    with duckdb.connect(":memory:") as connection:
        _limit(connection, memory)
        try:
            _load(connection, records)
            _load_frames(connection, frames)
            for setting in _CONFINED:
                connection.execute(setting)
            statements = connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise TesterLibraryError(
                    "give one SELECT, such as: select test, lost from trials where lost > 0"
                )
            found = connection.execute(statements[0])
            columns = tuple(str(column[0]) for column in found.description or ())
            return Answer(columns, tuple(found.fetchall()))
        except duckdb.OutOfMemoryException as problem:
            raise TesterLibraryError(
                f"the query needs more than {memory} of memory; ask for less, such as one trial, or give "
                f"more with --memory: {problem}"
            ) from None
        except duckdb.Error as problem:
            raise TesterLibraryError(
                f"the query cannot be answered: {problem}\n`tester query --help` lists tables and columns"
            ) from None


def _limit(connection: duckdb.DuckDBPyConnection, memory: str) -> None:
    import duckdb

    try:
        connection.execute("set memory_limit = ?", [memory])
    except duckdb.Error:
        raise TesterLibraryError(f"memory {memory!r}; give a size such as 2GB or 512MB") from None


def _load_frames(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> None:
    """The table of frames as a view of its files: a query reads the columns and trials that it asks for."""
    if not files:
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        connection.execute(f"create table frames ({columns})")
        return
    paths = ", ".join("'{}'".format(str(path.absolute()).replace("'", "''")) for path in files)
    connection.execute(f"set allowed_paths = [{paths}]")
    # DuckDB before 2.0 takes the partition of no trial for a text that is no number.
    columns = ", ".join(f"try_cast({name} as {kind}) as {name}" for name, kind in COLUMNS.items())
    options = "hive_partitioning = true, hive_types = {'trial': varchar}"
    connection.execute(f"create view frames as select {columns} from read_parquet([{paths}], {options})")


def _load(connection: duckdb.DuckDBPyConnection, records: Records) -> None:
    for name, table in TABLES.items():
        columns = ", ".join(f"{column} {kind}" for column, kind in table.columns.items())
        connection.execute(f"create table {name} ({columns})")
        rows = list(table.rows(records))
        if rows:
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in table.columns.values())
            values = [list(column) for column in zip(*rows, strict=True)]
            connection.execute(f"insert into {name} select {lists}", values)
