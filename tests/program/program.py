# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole program: the gresses of its pipelines by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from .externs import PORT_METADATA
from .gress import Gress, gresses
from .tree import read_tree
from .types import Types

_PARTS = ("P4Parser", "P4Control")


class P4Program:
    """A program behind the front end of its compiler, ready to run."""

    def __init__(self, pipelines: Mapping[str, tuple[Gress, Gress]]) -> None:
        self.pipelines = pipelines

    @classmethod
    def load(cls, tree: Path, chip: str) -> P4Program:
        """The program of a tree, for a chip by the compiler's name."""
        root = read_tree(tree)
        types = Types(root)
        parts = {node["name"]: node for node in root["objects"] if node["Node_Type"] in _PARTS}
        pipelines = [
            node
            for node in root["objects"]
            if node["Node_Type"] == "Declaration_Instance" and node["name"] != "main"
        ]
        return cls({node["name"]: gresses(node, parts, types, PORT_METADATA[chip]) for node in pipelines})

    def changed(self, tables: Iterable[str]) -> None:
        """Takes note that a driver has changed entries of tables."""
        names = set(tables)
        for pipeline in self.pipelines.values():
            for gress in pipeline:
                for table in gress.tables:
                    if table.name in names:
                        table.changed()
