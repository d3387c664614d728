# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester counters`: a table of everything that is counted, as `counters.proto` defines it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import groupby

from .._generated.tester.v1 import counters
from ._command import command

_DESCRIPTION = """
Lists what a tester counts, in Markdown: the unit of each counter, its direction, what sets it back to 0,
which kinds of tester count it, and what it means. docs/counters.md explains how counters are defined.
"""
_HEAD = "| counter | unit | direction | reset by | counted by | meaning |\n|---|---|---|---|---|---|"


@command("counters", help="list what a tester counts", description=_DESCRIPTION)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_counters)


def _counters(_: argparse.Namespace) -> int:
    print("\n".join(_tables()))
    return 0


def _tables() -> Iterator[str]:
    names = (name.split(".") for name in counters.DEFINITIONS)
    for group, fields in groupby(names, key=lambda name: name[0]):
        yield f"## {group}\n\n{' '.join(str(getattr(counters, group).__doc__).split())}\n\n{_HEAD}"
        yield from (_row(f"{group}.{field}", field) for _, field in fields)
        yield ""


def _row(key: str, field: str) -> str:
    counter = counters.DEFINITIONS[key]
    cells = (
        field,
        counter.unit,
        counter.direction,
        counter.resets,
        ", ".join(counter.counted_by),
        counter.help,
    )
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
