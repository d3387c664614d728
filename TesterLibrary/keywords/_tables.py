# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of arguments in the documentation of keywords, with the rows that many keywords share."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_HEAD = "| =Argument= | =Meaning= |"
_ROW = re.compile(r"^\| (``\w+``(?:, ``\w+``)*) \| .* \|$")

COMMON = {
    "assertion_operator": "the comparison: ``==``, ``<=``, ``<`` … of the Assertion Engine",
    "message": "the text of a failed assertion, in place of the usual one",
    "streams": "names of streams; all streams by default",
    "rate": "the rate of each stream, in place of its own",
    "within": "the part of the bound by which the value may miss it, such as ``5 %``; 0 by default",
    "percentile": "``99``, ``p99`` or ``99.9``: above 0, up to 100, which is the maximum",
}
"""Rows of arguments that mean the same in most keywords. A row in a keyword's own documentation wins."""


def with_table(text: str, parameters: Collection[str], shared: Mapping[str, str] = COMMON) -> str:
    """The documentation of a keyword with one table of its arguments, in the order of the parameters.

    Shared rows are added. It stands where the text has rows, or else behind the first paragraph.
    """
    lines = text.split("\n")
    rows = {name: f"| ``{name}`` | {meaning} |" for name, meaning in shared.items() if name in parameters}
    own = [line for line in lines if (names := _names(line)) and names <= set(parameters)]
    for line in own:
        first, *others = re.findall(r"``(\w+)``", line.split(" | ")[0])
        rows[first] = line
        for name in others:
            rows.pop(name, None)
    table = [rows[name] for name in parameters if name in rows]
    if not table:
        return text
    if _HEAD in lines:
        place = lines.index(_HEAD)
    elif own:
        place = lines.index(own[0])
    else:
        place = lines.index("") + 1 if "" in lines else len(lines)
        table.append("")
    before = lines[:place] if place < len(lines) or not lines[-1] else [*lines, ""]
    behind = [line for line in lines[place:] if line not in (*own, _HEAD)]
    return "\n".join([*before, _HEAD, *table, *behind])


def _names(line: str) -> set[str]:
    """The arguments that a row of a table documents; empty for other lines."""
    row = _ROW.match(line)
    return set(re.findall(r"\w+", row[1])) if row else set()
