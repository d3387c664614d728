# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a compiled parser still has each branch of its source: some compilers drop them in silence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

from ..errors import PlanError

_PARSER = re.compile(r"(\w+?)(Ingress|Egress)Parser")
_SECTION = re.compile(r"^(?=\S)", re.MULTILINE)
_STATE = re.compile(r"^    (\S+):\n((?:^ {6}.*\n?)*)", re.MULTILINE)
_REGISTERS = re.compile(r"^      match: \[(.*)\]$", re.MULTILINE)
_ROW = re.compile(r"^      0([xob])([0-9a-f*]+):$", re.MULTILINE)
_DIGIT = {"x": 4, "o": 3, "b": 1}  # bits of a digit, by the prefix of its number
_REGISTER = {"half": 16}  # bits of a register that is matched; others have 8


@dataclass(frozen=True)
class Branch:
    """A case of a state that selects, but for the default."""

    text: str  # as it is written
    patterns: frozenset[str]  # bits that are looked at; of a range one for each of its prefixes


def check_parsers(program: str, output: Path) -> None:
    """Compares the branches of a P4 program's parsers with the rows that `output` has of them.

    A row of the parser's memory matches the bits of a case's keys in their order; bits of the same bytes that
    are not looked at are wildcards. A range is a row for each of its prefixes.

    Args:
        program: The name of the program's file, without its suffix.
        output: The folder of the compiler's outputs.

    Raises:
        PlanError: which branch of which state is missing, or what the compiler does not say of parsers.
    """
    for parser, states in _sources(output / "frontend-ir.json"):
        if not (name := _PARSER.fullmatch(parser)):
            continue
        pipeline, gress = name[1].lower(), name[2].lower()
        compiled = _rows(output / pipeline / f"{program}.bfa", gress)
        for state, branches in states.items():
            copies = [rows for name, rows in compiled.items() if rows and state in name.split(".")]
            for branch in branches:
                if not copies or any(not branch.patterns <= rows for rows in copies):
                    raise PlanError(
                        f"{program}.p4: the compiler dropped a branch of the parser of the {gress} of "
                        f"{pipeline}: state {state} has no row for {branch.text}; "
                        "compile with another version"
                    )


def _rows(assembly: Path, gress: str) -> Mapping[str, frozenset[str]]:
    """The patterns of each state of a compiled parser, without the bits that a row does not look at."""
    sections = _SECTION.split(_read(assembly))
    parser = next((section for section in sections if section.startswith(f"parser {gress}:")), "")
    return {name: _patterns_of(rows) for name, rows in _STATE.findall(parser)}


def _patterns_of(rows: str) -> frozenset[str]:
    registers = _REGISTERS.search(rows)
    if not registers:
        return frozenset()
    width = sum(_REGISTER.get(name.strip(), 8) for name in registers[1].split(","))
    # Of digits of three bits the first one may have more than the registers.
    return frozenset(_bits(*row)[-width:].replace("*", "") for row in _ROW.findall(rows)) - {""}


def _bits(base: str, digits: str) -> str:
    width = _DIGIT[base]
    return "".join("*" * width if digit == "*" else f"{int(digit, 16):0{width}b}" for digit in digits)


def _sources(tree: Path) -> Iterator[tuple[str, Mapping[str, Sequence[Branch]]]]:
    """The parsers of a program and, of each, the states that select."""
    try:
        nodes = Nodes(json.loads(_read(tree)))
        for parser in nodes.of("P4Parser"):
            states = (state for state in nodes.list(parser, "states") if "selectExpression" in state)
            selects = ((state["name"], nodes.at(state, "selectExpression")) for state in states)
            branches = {
                name: list(_branches(nodes, select))
                for name, select in selects
                if select["Node_Type"] == "SelectExpression"  # others go on to one state
            }
            yield parser["name"], branches
    except (ValueError, KeyError, TypeError) as problem:
        raise PlanError(f"{tree} says nothing of the program's parsers: {problem!r}") from problem


def _branches(nodes: Nodes, select: Mapping[str, Any]) -> Iterator[Branch]:
    keys = [nodes.at(key, "type") for key in nodes.list(nodes.at(select, "select"), "components")]
    for case in nodes.list(select, "selectCases"):
        keyset = nodes.at(case, "keyset")
        if keyset["Node_Type"] != "DefaultExpression":
            listed = keyset["Node_Type"] == "ListExpression"
            parts = nodes.list(keyset, "components") if listed else [keyset]
            patterns = [_patterns(nodes, part, key) for part, key in zip(parts, keys, strict=True)]
            text = " ".join(case.get("Source_Info", {}).get("source_fragment", "a case").split())
            yield Branch(text, frozenset(map("".join, product(*patterns))))


def _patterns(nodes: Nodes, part: Mapping[str, Any], key: Mapping[str, Any]) -> list[str]:
    """The bits of a part of a case: none of a wildcard, several of a range."""
    kind = part["Node_Type"]
    if kind == "DefaultExpression":
        return [""]
    if kind == "Range":
        low, high = (nodes.at(part, end) for end in ("left", "right"))
        return list(_prefixes(int(low["value"]), int(high["value"]), nodes.at(low, "type")["size"]))
    if kind == "Mask":
        bits, mask = (f"{int(nodes.at(part, end)['value']):0{key['size']}b}" for end in ("left", "right"))
        return ["".join(bit for bit, looked_at in zip(bits, mask, strict=True) if looked_at == "1")]
    if kind == "Member":  # of an enumeration
        members = {member["name"]: nodes.at(member, "value") for member in nodes.list(key, "members")}
        part, key = members[part["member"]], nodes.at(key, "type")
    return [f"{int(part['value']):0{key['size']}b}"]


def _prefixes(low: int, high: int, bits: int) -> Iterator[str]:
    """The prefixes that a range of numbers consists of."""
    while low <= high:
        free = 0
        while low % (2 << free) == 0 and low + (2 << free) - 1 <= high:
            free += 1
        yield f"{low >> free:0{bits - free}b}"
        low += 1 << free


class Nodes:
    """The nodes of a compiler's tree: each is written whole where it comes first, then as its number."""

    def __init__(self, tree: object) -> None:
        self._whole: dict[int, Mapping[str, Any]] = {}
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                if "Node_Type" in node:
                    self._whole[node["Node_ID"]] = node
                waiting.extend(node.values())
            elif isinstance(node, list):
                waiting.extend(node)

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """All nodes of a kind."""
        return [node for node in self._whole.values() if node["Node_Type"] == kind]

    def at(self, node: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
        """The node that is reached by these names. KeyError if there is none."""
        return reduce(lambda found, name: self._whole[found[name]["Node_ID"]], path, node)

    def list(self, node: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        """The nodes of a list."""
        return [self._whole[item["Node_ID"]] for item in self.at(node, name)["vec"]]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as problem:
        raise PlanError(f"{path}: {problem.strerror}; the compiler did not write it") from problem
