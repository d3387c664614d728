# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in a protocol's table: `TCP.seq + payload.length`, from left to right, without parentheses.

expression = atom { operator atom }        each apart from the next by a blank
atom       = number | name
number     = decimal | 0x hexadecimal | IPv4 address | IPv6 address | MAC address
operator   = "+" | "-" | "*" | "<<" | ">>" | "&" | "|"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from ..errors import UnitError

MOST_BITS = 128  # of a number: an IPv6 address
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_MOST_SHIFT = 63

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<<": lambda a, b: a << min(b, _MOST_SHIFT),
    ">>": lambda a, b: a >> min(b, _MOST_SHIFT),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
}
_ALLOWED = (
    "write names and numbers with +, -, *, <<, >>, &, | and blanks between them, such as TCP.seq + 1; "
    "it is worked out from left to right"
)

Atom = int | str


@dataclass(frozen=True)
class Expression:
    """The first atom, and what is done with it in turn."""

    first: Atom
    rest: tuple[tuple[str, Atom], ...] = ()

    @classmethod
    def parse(cls, text: object) -> Expression:
        """Raises UnitError for anything that is not written as above."""
        if isinstance(text, bool) or text is None:
            raise UnitError(f"{text!r} is no expression; {_ALLOWED}")
        if isinstance(text, int):
            return cls(text)
        words = str(text).split()
        if len(words) % 2 == 0 or any(word not in OPERATORS for word in words[1::2]):
            raise UnitError(f"{text!r} is no expression; {_ALLOWED}")
        atoms = [_atom(word, str(text)) for word in words[::2]]
        return cls(atoms[0], tuple(zip(words[1::2], atoms[1:], strict=True)))

    @property
    def atoms(self) -> Iterator[Atom]:
        """Numbers and names, in their order."""
        yield self.first
        yield from (atom for _, atom in self.rest)

    @property
    def names(self) -> Iterator[str]:
        """Names that the expression reads."""
        return (atom for atom in self.atoms if isinstance(atom, str))

    @property
    def constant(self) -> int | None:
        """The value of an expression that reads nothing; None for others."""
        return None if any(True for _ in self.names) else self.value(lambda _: 0)

    def value(self, read: Callable[[str], int]) -> int:
        """The exact value, which is stored modulo the size of a variable."""
        result = self.first if isinstance(self.first, int) else read(self.first)
        for operator, atom in self.rest:
            result = OPERATORS[operator](result, atom if isinstance(atom, int) else read(atom))
        return result

    def with_constants(self, constants: Mapping[str, int]) -> Expression:
        """The expression with numbers in place of the names of constants."""

        def known(atom: Atom) -> Atom:
            return constants.get(atom, atom) if isinstance(atom, str) else atom

        return Expression(known(self.first), tuple((operator, known(atom)) for operator, atom in self.rest))

    def __str__(self) -> str:
        return " ".join([str(self.first), *(f"{operator} {atom}" for operator, atom in self.rest)])


NOTHING = Expression(0)


def number(text: object) -> int:
    """A number as an expression has it. UnitError says what is one."""
    value = Expression.parse(text).constant
    if value is None:
        raise UnitError(f"{text!r} is no number; give a whole number, 0x…, an IP or a MAC address")
    return value


def _atom(word: str, text: str) -> Atom:
    if word.isdecimal() and word.isascii():
        return int(word)
    if re.fullmatch("0[xX][0-9a-fA-F]{1,32}", word):
        return int(word, 16)
    if _NAME.fullmatch(word):
        return word
    if _MAC.fullmatch(word):
        return int(word.replace(":", ""), 16)
    for kind in (IPv4Address, IPv6Address):
        try:
            return int(kind(word))
        except ValueError:
            continue
    raise UnitError(f"{text!r} is no expression: {word!r} is neither a name nor a number; {_ALLOWED}")
