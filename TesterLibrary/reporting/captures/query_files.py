# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of queries as files of the evidence: JSON of what was asked and counted, and CSV of all rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ...measurement.query import QueryResult, QueryRow
from ...model.query import Query
from ..record.durable import RecordError, make_directory, write_json
from .pcapng import free_path


def write_query(directory: Path, query: Query, result: QueryResult, rows: Iterable[QueryRow]) -> Path:
    """Writes both files, which no other query ever replaces. Returns the path of the JSON file.

    Raises:
        RecordError: they could not be written.
    """
    make_directory(directory)
    path = free_path(directory, query.name, "json")
    table = path.with_suffix(".csv")
    try:
        with table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            interval = ["interval_ns"] if query.interval else []
            value = ["value"] if query.value else []
            writer.writerow([*interval, *result.keys, "packets", *value])
            for row in rows:
                begin = [row.interval_ns] if query.interval else []
                writer.writerow([*begin, *row.keys, row.packets, *([row.value] if query.value else [])])
    except OSError as problem:
        raise RecordError(table, problem) from None
    described = {
        "port": query.port,
        "direction": query.direction.name.lower(),
        "streams": list(query.streams),
        "foreign": query.foreign,
        "filter": str(query.filter),
        "keys": list(result.keys),
        "symmetric": query.symmetric,
        "value": str(query.value) if query.value else None,
        "function": query.function.value if query.value else None,
        "interval_ns": query.interval.ns if query.interval else None,
    }
    apart = ("rows", "name", "keys", "unfinished")
    counted = {key: value for key, value in asdict(result).items() if key not in apart}
    document = {"query": query.name, **described, **counted, "doubt": result.doubt, "rows": table.name}
    write_json(path, document)
    return path
