# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a compiled parser still has the branches of its source: some compilers drop them in silence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import PlanError

# The closing brace of included states is in the first column, like that of the parser itself, so a parser
# ends only where the next declaration begins.
_PARSER = re.compile(
    r"^parser (\w+?)(Ingress|Egress)Parser\(.*?(?=^(?:control|header|package|parser|struct) |\Z)",
    re.MULTILINE | re.DOTALL,
)
_STATE = re.compile(r"\bstate (\w+) \{(.*?)(?=\bstate \w+ \{|\Z)", re.DOTALL)
_SELECT = re.compile(r"transition select\([^{]*\{([^}]*)\}", re.DOTALL)


def check_parsers(program: Path, output: Path) -> None:
    """Compares the parsers of a preprocessed P4 program with the states that `output` has of them.

    A state that selects needs at least a row of the parser's memory for each of its cases.

    Raises:
        PlanError: which state lost a branch.
    """
    for parser in _PARSER.finditer(program.read_text(encoding="utf-8")):
        pipeline, gress = parser[1].lower(), parser[2].lower()
        rows = _rows(output / pipeline / "context.json", gress)
        for state, cases in _selects(parser[0]):
            there = sum(count for name, count in rows.items() if state in name.split("."))
            if there < cases:
                raise PlanError(
                    f"{program.name}: the compiler dropped branches of the parser of the {gress} of "
                    f"{pipeline}: state {state} has {cases} cases, {there} rows are left of it; compile "
                    "with another version"
                )


def _selects(parser: str) -> Iterator[tuple[str, int]]:
    """States that select, and how many cases each has."""
    for state, text in _STATE.findall(parser):
        for cases in _SELECT.findall(text):
            yield state, cases.count(";")


def _rows(context: Path, gress: str) -> Mapping[str, int]:
    """The number of TCAM rows of each state of a compiled parser."""
    found: dict[str, int] = {}
    try:
        states = json.loads(context.read_text(encoding="utf-8"))["parser"][gress]
    except (OSError, ValueError, KeyError) as problem:
        raise PlanError(f"{context} says nothing of the parser of the {gress}: {problem!r}") from problem
    for state in states:
        name = state["parser_name"]
        found[name] = found.get(name, 0) + len(state["tcam_rows"])
    return found
