# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Controls and deparsers: statements one after the other."""

from __future__ import annotations

from .expressions import Values
from .scope import Scope
from .statements import statement
from .tree import Node


class Control:
    """A control of the program."""

    def __init__(self, node: Node, scope: Scope) -> None:
        self.scope = scope
        self._does = statement(node["body"], scope.expressions)

    def run(self, values: Values) -> None:
        """Changes the values of a packet."""
        self._does(values)
