# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The names within one parser or control: variables, actions, tables and instances."""

from __future__ import annotations

from functools import partial

from .expressions import Call, Expressions
from .externs import instance, packet_in, packet_out, port_metadata_unpack
from .registers import Register, RegisterAction, register_of
from .tables import Action, Table
from .tree import Node, path_of
from .types import Types


class Scope:
    """The names of one parser or control, and what their calls do.

    Args:
        node: The parser or control.
        types: Of the program.
        pipeline: Whose it is.
        port_metadata: Bits before each frame that tell of its port.
    """

    def __init__(self, node: Node, types: Types, pipeline: str, port_metadata: int) -> None:
        self.parameters = [(one["name"], one["type"]) for one in node["type"]["applyParams"]["parameters"]]
        local = node["controlLocals" if "controlLocals" in node else "parserLocals"]
        self.variables = {
            one["name"]: one["type"] for one in local if one["Node_Type"] == "Declaration_Variable"
        }
        self._calls: dict[str, Call] = {}
        self.tables: list[Table] = []
        declared = {**self.variables, **dict(self.parameters)}
        self.expressions = Expressions(types, declared, self._calls)
        self._calls["port_metadata_unpack"] = lambda call: port_metadata_unpack(
            self.expressions, call, port_metadata
        )
        for name, kind in self.parameters:
            self._packet(name, kind)
        self._declare(local, types, pipeline)

    def _packet(self, name: str, kind: Node) -> None:
        make = {"packet_in": packet_in, "packet_out": packet_out}.get(kind_of(kind))
        if make is not None:
            self._calls[name] = lambda call: make(self.expressions, call, name)

    def _declare(self, local: list[Node], types: Types, pipeline: str) -> None:
        registers: dict[str, Register] = {}
        actions: dict[str, Action] = {}
        for one in local:
            name = one["name"]
            if one["Node_Type"] == "P4Action":
                action = actions[name] = Action(one, self.expressions)
                self._calls[name] = partial(action.call, self.expressions)
            elif one["Node_Type"] == "P4Table":
                table = Table(one, self.expressions, actions, pipeline)
                self.tables.append(table)
                self._calls[name] = table.apply
            elif one["Node_Type"] == "Declaration_Instance":
                kind = one["type"].get("baseType", one["type"])["path"]["name"]
                if kind == "Register":
                    registers[name] = Register(one, types, pipeline)
                elif kind == "RegisterAction":
                    done = RegisterAction(one, registers[register_of(one)], self.expressions)
                    self._calls[name] = done.call
                else:
                    self._calls[name] = instance(one, self.expressions, pipeline)


def kind_of(kind: Node) -> str:
    """The name of a parameter's type."""
    return path_of(kind) if kind["Node_Type"] == "Type_Name" else str(kind.get("name", kind["Node_Type"]))
