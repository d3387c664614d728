# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of a program: how wide values are, what headers and structures have, and what they begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .tree import Node, path_of

VALID = "$valid"  # of a header


@dataclass(frozen=True)
class Part:
    """A field of a header or of a structure."""

    name: str
    type: Node


class Types:
    """Types by their names."""

    def __init__(self, root: Node) -> None:
        self._named = {
            node["name"]: node for node in root["objects"] if node["Node_Type"].startswith("Type_")
        }

    def plain(self, node: Node) -> Node:
        """The type itself, where a name stands for it."""
        while node["Node_Type"] in ("Type_Name", "Type_Typedef", "Type_SerEnum"):
            node = self._named[path_of(node)] if node["Node_Type"] == "Type_Name" else node["type"]
        return node

    def member(self, enumeration: Node, name: str) -> int | str:
        """The number of an enumeration's member; its name, where it has no number."""
        node = self._named[path_of(enumeration)] if enumeration["Node_Type"] == "Type_Name" else enumeration
        for member in node["members"]:
            if member["name"] == name and "value" in member:
                return int(member["value"]["value"])
        return name

    def width(self, node: Node) -> int:
        """Bits of a value."""
        plain = self.plain(node)
        if plain["Node_Type"] == "Type_Boolean":
            return 1
        if "fields" in plain:
            return sum(self.width(part.type) for part in self.parts(plain))
        return int(plain["size"])

    def parts(self, node: Node) -> list[Part]:
        """The fields of a header or a structure, in their order."""
        return [Part(field["name"], field["type"]) for field in self.plain(node)["fields"]]

    def is_header(self, node: Node) -> bool:
        """Whether it can be valid or not."""
        return bool(self.plain(node)["Node_Type"] == "Type_Header")

    def zero(self, node: Node) -> Any:
        """A value before anything was written to it. A Tofino clears all of them for each packet."""
        plain = self.plain(node)
        if "fields" not in plain:
            return 0
        made = {part.name: self.zero(part.type) for part in self.parts(plain)}
        if self.is_header(plain):
            made[VALID] = False
        return made

    def layout(self, node: Node) -> list[tuple[str, int, int]]:
        """The fields of a header or of a flat structure: each one's name, bits behind it, and mask."""
        left = self.width(node)
        fields = []
        for part in self.parts(node):
            left -= (width := self.width(part.type))
            fields.append((part.name, left, (1 << width) - 1))
        return fields


def packed(layout: list[tuple[str, int, int]], values: dict[str, Any]) -> int:
    """The bits of a header or of a flat structure."""
    bits = 0
    for name, behind, mask in layout:
        bits |= (values[name] & mask) << behind
    return bits


def copied(value: Any) -> Any:
    """A value that does not change when the other one does."""
    return {name: copied(part) for name, part in value.items()} if isinstance(value, dict) else value
