# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Protocol files: a table in YAML; `docs/protocols.md` explains the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import PlanError
from ..files import paths
from ..files.document import Kind, Place, load_document
from ..model.condition import Compare, Flags, Prefix, Relation, Test
from ..model.protocol import Parameter, Protocol, Row, Variable
from .action_loader import actions
from .document_reader import DocumentReader, measure_of, quantity, too_wide
from .ip_version import over_ipv6
from .sending_loader import message, octets, scanner, template

_KIND = Kind("protocol", PlanError)
_DEEPEST = 4  # the most tables over one another


def load_unchecked(name_or_path: str, *, ip_version: int = 4, above: tuple[Path, ...] = ()) -> Protocol:
    """A shipped protocol, such as `tcp`, or a file, whose form is right. PlanError says what is wrong.

    With 6 a table that is written over `IP` is one over IPv6, if IPv6 has all that it names.
    """
    path = paths.resource("protocols", name_or_path)
    if path in above or len(above) >= _DEEPEST:
        chain = " over ".join(file.name for file in (*above, path))
        raise PlanError(f"{path}: {chain} goes round in a circle, or is more than {_DEEPEST} tables")
    document = load_document(path, _KIND)
    translated = over_ipv6(document.data) if ip_version == 6 else None
    reader = _ProtocolReader(replace(document, data=translated or document.data))
    return reader.protocol(ip_version=ip_version, translated=translated is not None, above=(*above, path))


class _ProtocolReader(DocumentReader):
    """Reads the protocol that a document describes."""

    def protocol(self, *, ip_version: int, translated: bool, above: tuple[Path, ...]) -> Protocol:
        """The protocol that the whole file describes."""
        data = self.data
        if ("headers" in data) == ("over" in data):
            place: Place = ("over",) if "over" in data else ()
            problem = "give headers, or the protocol that this one is over; one of the two"
            raise self.document.error(place, problem)
        over = self.parsed(lambda name: self._below(name, ip_version, above), data.get("over"), ("over",))
        signals = data.get("signals", {})
        return Protocol(
            path=self.document.path,
            name=data["name"],
            description=data.get("description", ""),
            states=tuple(data["states"]),
            rows=tuple(self._row(index, row) for index, row in enumerate(data["table"])),
            headers=self.stack(data["headers"], ("headers",)) if "headers" in data else None,
            over=over,
            translated=translated,
            shared=data.get("shared", False),
            flow=tuple((key,) if isinstance(key, str) else tuple(key) for key in data.get("flow", ())),
            variables=tuple(self._variables()),
            parameters=tuple(self._parameters()),
            up=tuple(signals.get("up", ())),
            down=tuple(signals.get("down", ())),
            templates=tuple(template(self, *item) for item in data.get("templates", {}).items()),
            messages=tuple(message(self, *item) for item in data.get("messages", {}).items()),
            scanners=tuple(scanner(self, *item) for item in data.get("scanners", {}).items()),
            unread=tuple(data.get("unread", {}).items()),
            packets_line=self.line(("over",) if "over" in data else ("headers",)),
            **{
                key: tuple(data.get(key, ()))
                for key in ("counters", "failures", "histograms", "timers", "steps")
            },
        )

    def _below(self, name: str | None, ip_version: int, above: tuple[Path, ...]) -> Protocol | None:
        if name is None:
            return None
        return load_unchecked(self.beside(name), ip_version=ip_version, above=above)

    def _variables(self) -> Iterator[Variable]:
        for name, data in self.data.get("variables", {}).items():
            place = ("variables", name)
            given = data if isinstance(data, dict) else {"bits": data}
            initial = self.expression(given.get("initial", 0), (*place, "initial"))
            yield Variable(name, given["bits"], initial, self.line(place), given.get("aside", False))

    def _parameters(self) -> Iterator[Parameter]:
        for name, data in self.data.get("parameters", {}).items():
            place = ("parameters", name)
            default = self.parsed(quantity, data["default"], (*place, "default"))
            if default >> data["bits"]:
                raise self.document.error((*place, "default"), too_wide(default, data["bits"]))
            yield Parameter(name, data["bits"], default, self.line(place), measure_of(data["default"]))

    def _row(self, index: int, data: Mapping[str, Any]) -> Row:
        place: Place = ("table", index)
        states = data["in"] if isinstance(data["in"], list) else [data["in"]]
        tests = tuple(
            test
            for left, wanted in data.get("when", {}).items()
            for test in self._tests(left, wanted, (*place, "when", left))
        )
        return Row(
            states=() if states == ["any"] else tuple(states),
            event=data["on"],
            tests=tests,
            actions=tuple(
                action
                for number, given in enumerate(data.get("do", ()))
                for action in actions(self, given, (*place, "do", number))
            ),
            to=data.get("to"),
            line=self.line(place),
        )

    def _tests(self, left: str, wanted: Any, place: Place) -> Iterator[Test]:
        line = self.line(place)
        relations = wanted if isinstance(wanted, dict) else {"is": wanted}
        if "begins" in relations or left == "payload":
            if left != "payload" or list(relations) != ["begins"]:
                problem = "begins is for the payload, and the payload is for begins: payload: {begins: GET}"
                raise self.document.error(place, problem)
            yield Prefix(self.parsed(octets, relations["begins"], place), line)
            return
        if "set" in relations or "clear" in relations:
            yield Flags(left, relations.get("set", ""), relations.get("clear", ""), line)
        side = self.expression(left, place)
        for relation in Relation:
            rights = relations.get(relation.value, [])
            for right in rights if isinstance(rights, list) else [rights]:
                yield Compare(side, relation, self.expression(right, place), line)
