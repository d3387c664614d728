# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester query`: SQL over the records of a run and its frames."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path

from ..reporting.captures.frame_files import frame_files
from ..reporting.captures.frames import COLUMNS
from ..reporting.captures.query import MEMORY, Answer, query
from ..reporting.pages.rebuild import evidence_of
from ..reporting.pages.tables import TABLES
from ..reporting.record.records import cut_off, read
from ._command import STATUS_HELP, command

_NULL = "–"
_COLUMNS = {**{name: table.columns for name, table in TABLES.items()}, "frames": COLUMNS}
_TABLES = "\n".join(f"  {name:<10} {', '.join(columns)}" for name, columns in _COLUMNS.items())
_DESCRIPTION = f"""
Answers one SELECT over the records of a run, in the SQL of DuckDB. What was not counted is NULL, never 0. A
query reads and writes no file, but for the frames of captures with parquet=True, which stay on the disk.

tables and their columns:
{_TABLES}
"""


@command(
    "query",
    help="ask the records of a run, in SQL",
    description=_DESCRIPTION + STATUS_HELP,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="RUN", type=Path, help="a run: a folder such as results/latest")
    parser.add_argument("sql", metavar="SQL", help="such as: select test, lost from trials where lost > 0")
    parser.add_argument("--csv", action="store_true", help="print CSV, in which NULL is empty")
    parser.add_argument("--json", action="store_true", help="print a list of JSON objects, one for each row")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        default=MEMORY,
        help="what the query may take, such as 8GB (default: %(default)s)",
    )
    parser.set_defaults(run=_query)


def _query(options: argparse.Namespace) -> int:
    folder = evidence_of(options.directory)
    records = read(folder)
    frames, missing = frame_files(folder, records)
    for note in (*cut_off(records, folder), *missing):
        print(f"tester: {note}", file=sys.stderr)
    answer = query(records, options.sql, frames=frames, memory=options.memory)
    if options.json:
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
        print(json.dumps(rows, indent=2, ensure_ascii=False, default=str))
    else:
        print(_csv(answer) if options.csv else _text(answer), end="")
    return 0


def _csv(answer: Answer) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(answer.columns)
    table.writerows(answer.rows)
    return text.getvalue()


def _text(answer: Answer) -> str:
    """Columns as wide as their longest value; numbers at the right."""
    cells = [[_NULL if value is None else str(value) for value in row] for row in answer.rows]
    widths = [max(map(len, column)) for column in zip(answer.columns, *cells, strict=True)]
    numbers = [
        all(isinstance(value, int | float) or value is None for value in column)
        for column in zip(*answer.rows, strict=True)
    ] or [False] * len(widths)
    lines = [
        "  ".join(
            f"{cell:>{width}}" if number else f"{cell:<{width}}"
            for cell, width, number in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in (answer.columns, *cells)
    ]
    return "".join(f"{line}\n" for line in (*lines, f"({len(cells)} rows)"))
