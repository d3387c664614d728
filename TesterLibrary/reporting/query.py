# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""SQL over the records of a run, by DuckDB in memory: nothing is written, and no file is read by a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TesterLibraryError
from .records import Records
from .tables import TABLES, Row

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


@dataclass(frozen=True)
class Answer:
    """What a query returned."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def query(records: Records, sql: str) -> Answer:
    """The answer to one SELECT over the tables of a run.

    Raises:
        TesterLibraryError: it is another statement or more than one, or has a mistake, which is said.
    """
    try:
        import duckdb
    except ImportError:
        raise TesterLibraryError("queries need DuckDB; install robotframework-testerlibrary[trend]") from None
    with duckdb.connect(":memory:") as connection:
        _load(connection, records)
        for setting in _CONFINED:
            connection.execute(setting)
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type is not duckdb.StatementType.SELECT:
                raise TesterLibraryError(
                    "give one SELECT, such as: select test, lost from trials where lost > 0"
                )
            found = connection.execute(statements[0])
            columns = tuple(str(column[0]) for column in found.description or ())
            return Answer(columns, tuple(found.fetchall()))
        except duckdb.Error as problem:
            raise TesterLibraryError(f"the query cannot be answered: {problem}") from None


def _load(connection: duckdb.DuckDBPyConnection, records: Records) -> None:
    for name, table in TABLES.items():
        columns = ", ".join(f"{column} {kind}" for column, kind in table.columns.items())
        connection.execute(f"create table {name} ({columns})")
        rows = list(table.rows(records))
        if rows:
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in table.columns.values())
            values = [list(column) for column in zip(*rows, strict=True)]
            connection.execute(f"insert into {name} select {lists}", values)
