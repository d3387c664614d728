# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header stacks as Scapy's users write them: `Ether / VLAN(vlan=100) / IP(dst=198.18.1.2) / UDP`.

    stack  = header { "/" header }
    header = name [ "(" [ field "=" value { "," field "=" value } ] ")" ]
    value  = word | "text in quotes" | "[" value { "," value } "]"

Names of headers and fields are Scapy's. Nothing is executed: this file knows the shape of the text only,
`planning/headers.py` knows which headers and fields there are and what fits them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import UnitError
from .units.notation import TEXT, written_as

Value = str | tuple[str, ...]

_LONGEST = 4096  # characters of a stack
_MOST_HEADERS = 32
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>"[^"]*"|'[^']*') |
        (?P<word>[^\s/,=()\[\]"']+(?:/[0-9]+(?=\s*[,)\]]))?) |
        (?P<sign>[/,=()\[\]])
    )""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_ALLOWED = "headers as in Scapy: Ether / VLAN(vlan=100) / IP(dst=198.18.1.2) / UDP"


@dataclass(frozen=True)
class Header:
    """One header: its name and the fields that its author gave."""

    name: str
    fields: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_written(value)}" for name, value in self.fields)
        return f"{self.name}({given})" if given else self.name


@dataclass(frozen=True)
class FieldType:
    """A field of a header that a file describes: an unsigned number, the first bit sent being the highest."""

    name: str
    bits: int
    default: int = 0


@dataclass(frozen=True)
class HeaderType:
    """A header that Scapy does not have.

    `follows` tells which fields of the header before announce this one, `carries` which of its own fields
    announce the header after: for each header's name, fields and their numbers.
    """

    name: str
    fields: tuple[FieldType, ...]
    follows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    carries: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@written_as(TEXT)
@dataclass(frozen=True)
class HeaderStack:
    """Headers from the outermost inwards: `Ether / VLAN(vlan=100) / IP(dst=198.18.1.2) / UDP`."""

    headers: tuple[Header, ...]
    types: tuple[HeaderType, ...] = ()  # of headers that Scapy does not have

    @classmethod
    def parse(cls, text: object) -> HeaderStack:
        """Raises UnitError, with the place, for anything that is not written as above."""
        if isinstance(text, HeaderStack):
            return text
        return cls(_Parser(str(text)).stack())

    def __str__(self) -> str:
        return " / ".join(map(str, self.headers))

    @property
    def names(self) -> str:
        """The stack without its fields: `Ether / IP / UDP`."""
        return " / ".join(header.name for header in self.headers)


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    word = _TOKEN.fullmatch(value)
    if word and word["word"] == value:
        return value
    return f"'{value}'" if '"' in value else f'"{value}"'


class _Parser:
    """Reads a text with one token of lookahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        if len(text) > _LONGEST:
            raise UnitError(f"a header stack of {len(text)} characters; write at most {_LONGEST}")
        self._end = 0
        self._next()

    def stack(self) -> tuple[Header, ...]:
        headers = [self._header()]
        while self._taken("/"):
            headers.append(self._header())
        if self._kind:
            raise self._error("'/' or the end")
        if len(headers) > _MOST_HEADERS:
            raise UnitError(f"a stack of {len(headers)} headers; write at most {_MOST_HEADERS}")
        return tuple(headers)

    def _header(self) -> Header:
        name = self._name("the name of a header")
        fields: dict[str, Value] = {}
        if self._taken("(") and not self._taken(")"):
            self._field(name, fields)
            while self._taken(","):
                self._field(name, fields)
            self._expect(")", "',' or ')'")
        return Header(name, tuple(fields.items()))

    def _field(self, header: str, fields: dict[str, Value]) -> None:
        name = self._name("the name of a field")
        if name in fields:
            raise UnitError(f"{self._text!r}: {header} has the field {name!r} twice; write it once")
        self._expect("=", "'='")
        fields[name] = self._value()

    def _value(self) -> Value:
        if not self._taken("["):
            return self._scalar()
        values: list[str] = []
        if not self._taken("]"):
            values.append(self._scalar())
            while self._taken(","):
                values.append(self._scalar())
            self._expect("]", "',' or ']'")
        return tuple(values)

    def _scalar(self) -> str:
        if self._kind not in ("word", "quoted"):
            raise self._error("a value")
        value = self._token if self._kind == "word" else self._token[1:-1]
        self._next()
        return value

    def _name(self, what: str) -> str:
        name = self._token
        if self._kind != "word" or not _NAME.fullmatch(name):
            raise self._error(what)
        self._next()
        return name

    def _expect(self, sign: str, what: str) -> None:
        if not self._taken(sign):
            raise self._error(what)

    def _taken(self, sign: str) -> bool:
        found = self._kind == "sign" and self._token == sign
        if found:
            self._next()
        return found

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._end)
        if found:
            self._kind, self._start, self._end = (
                str(found.lastgroup),
                found.start(str(found.lastgroup)),
                found.end(),
            )
            self._token = found[self._kind]
        else:  # the end, or a quotation mark that is not closed
            rest = self._text[self._end :].lstrip()
            self._start = len(self._text) - len(rest)
            self._kind, self._token = ("quote" if rest else "", rest)

    def _error(self, expected: str) -> UnitError:
        where = f"{self._text[self._start :][:20]!r}" if self._kind else "the end"
        return UnitError(
            f"{self._text!r} is no header stack: at {where} (character {self._start + 1}) "
            f"there should be {expected}; write {_ALLOWED}"
        )
