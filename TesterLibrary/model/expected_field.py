# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A header field of a stream, and how it has to arrive."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import UnitError
from .editor import FieldPath
from .units.comparison import COMPARISONS, require_comparison

_OF_SENT = re.compile(r"\s*sent\s*(?:([-+])\s*([0-9]+))?\s*")
_REWRITTEN = "->"
_EITHER = re.compile(r"\s+or\s+")


@dataclass(frozen=True)
class ExpectedField:
    """A field, a comparison, and what it is compared with, as the author of a suite writes them."""

    path: FieldPath
    comparison: str  # one of COMPARISONS
    text: str  # `sent - 1`, `46 -> 10, 26 -> 0`, `100 or 200`

    @classmethod
    def of(cls, path: FieldPath, comparison: str, text: str) -> ExpectedField:
        """Texts that differ in spaces alone are the same. UnitError for a comparison of something else."""
        require_comparison(comparison, str(path))
        return cls(path, comparison, " ".join(text.split()))

    def __str__(self) -> str:
        return f"{self.path} {self.comparison} {self.text}"


@dataclass(frozen=True)
class FieldRelation:
    """The same in numbers of the field."""

    comparison: str
    of_sent: bool  # compared with the value that the field was sent with; otherwise with `values`
    difference: int = 0  # so much more than that
    rewritten: Mapping[int, int] = field(default_factory=dict)  # values that arrive as others, by those sent
    values: tuple[int, ...] = ()  # equal to one of them, or to none

    @classmethod
    def read(cls, expected: ExpectedField, number: Callable[[str], int]) -> FieldRelation:
        """The relation that a text means; `number` reads a value of the field.

        Raises:
            UnitError: several values are to be less or more than one, or a value is rewritten twice.
        """
        text = expected.text
        if found := _OF_SENT.fullmatch(text):
            return cls(expected.comparison, True, int(f"{found[1] or ''}{found[2] or 0}"))
        if _REWRITTEN in text:
            return cls(expected.comparison, True, rewritten=_rewritten(expected, number))
        values = tuple(number(part.strip()) for part in _EITHER.split(text))
        if len(values) > 1 and expected.comparison not in ("==", "!="):
            raise UnitError(f"{expected}: only == and != take several values; give one")
        return cls(expected.comparison, False, values=values)

    def holds(self, arrived: int, sent: int | None) -> bool | None:
        """Whether a value is as expected; None if that depends on what was sent, and nobody knows it."""
        compare = COMPARISONS[self.comparison]
        if self.of_sent:
            if sent is None:
                return None
            return compare(arrived, self.rewritten.get(sent, sent) + self.difference)
        each = (compare(arrived, value) for value in self.values)
        return all(each) if self.comparison == "!=" else any(each)


def _rewritten(expected: ExpectedField, number: Callable[[str], int]) -> Mapping[int, int]:
    rewritten: dict[int, int] = {}
    for part in expected.text.split(","):
        sent, arrow, arrives = part.partition(_REWRITTEN)
        if not arrow:
            raise UnitError(f"{expected}: {part.strip()!r} is not written as 46 -> 10, like the others")
        value = number(sent.strip())
        if value in rewritten:
            raise UnitError(f"{expected}: {sent.strip()} is rewritten twice; give each sent value once")
        rewritten[value] = number(arrives.strip())
    return rewritten
