# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tree of a program, as the compiler's front end writes it (``frontend-ir.json``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Node = dict[str, Any]


def read_tree(path: Path) -> Node:
    """The program's root. Each node is written whole where it comes first, and as its number elsewhere; here
    all places have the node itself, and vectors are lists."""
    root: Node = _Linker().linked(json.loads(path.read_text(encoding="utf-8")))
    return root


def label(node: Node) -> str:
    """The name that the control plane knows: the annotation ``@name``, or else the node's."""
    for annotation in node["annotations"]:
        if annotation["name"] == "name":
            return str(annotation["body"]["value"][0]["value"]).removeprefix(".")
    return str(node["name"])


def path_of(node: Node) -> str:
    """The name that a path has."""
    return str(node["path"]["name"])


def arguments(call: Node) -> list[Node]:
    """The expressions that a call is given."""
    return [argument["expression"] for argument in call["arguments"]]


class _Linker:
    def __init__(self) -> None:
        self._whole: dict[int, Any] = {}

    def linked(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.linked(item) for item in node]
        if not isinstance(node, dict):
            return node
        number = node.get("Node_ID")
        if number is not None and "Node_Type" not in node:
            return self._whole[number]
        if "vec" in node:
            items = self._whole[node["Node_ID"]] = []
            items.extend(self.linked(item) for item in node["vec"])
            return items
        made: Node = {}
        if number is not None:
            self._whole[number] = made
        made.update((name, self.linked(value)) for name, value in node.items() if name != "Source_Info")
        return made
