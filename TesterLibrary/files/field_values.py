# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of a field, and how often each is drawn, as their author writes them: outright, or in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

from ..errors import PlanError
from ..model.editor import Draw, FieldValues


def field_values(values: Sequence[str], file: str = "") -> FieldValues:
    """The values given, or those of a file, one a line; empty lines and text behind a `#` do not count.

    Raises:
        PlanError: both, or a file that cannot be read.
    """
    if values and file:
        raise PlanError(f"values and the file {file!r}; give one or the other")
    return FieldValues(tuple(line for _, line in _lines(file)) if file else tuple(values))


def draw(shares: Mapping[str, str], file: str = "") -> Draw:
    """Each value as often as its share: all in `%`, together 100 %, or all weights such as 7 and 3.

    A file has lines of a value, a comma and the probability of it or one before it (a CDF, which ends at 1).

    Raises:
        PlanError: a share that is none, shares that are not 100 %, or a file that cannot be read.
    """
    if shares and file:
        raise PlanError(f"shares and the file {file!r}; give one or the other")
    if file:
        points = [_point(file, number, line) for number, line in _lines(file)]
        return Draw(tuple(value for value, _ in points), tuple(part for _, part in points))
    parts = parse_shares(shares)
    return Draw(tuple(parts), tuple(accumulate(parts.values())))


def parse_shares(shares: Mapping[str, str]) -> dict[str, Fraction]:
    """Parts of a whole by their names: what is given in `%`, or else weights divided by their sum.

    Raises:
        PlanError: a share that is none, or both ways at once. Shares in `%` may have another sum than 1.
    """
    parts = {name: _share(name, share) for name, share in shares.items()}
    percent = {share.rstrip().endswith("%") for share in shares.values()}
    if len(percent) > 1:
        raise PlanError("shares in % and weights; give all of them in one way")
    total = sum(parts.values(), Fraction(0))
    whole = total if percent == {False} and total else Fraction(1)
    return {name: part / whole for name, part in parts.items()}


def _share(value: str, text: str) -> Fraction:
    number = text.strip().removesuffix("%").strip()
    try:
        share = Fraction(number)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if share < 0:
        raise PlanError(f"{value}={text}: a share is a number, 0 or more, such as 3 or 70 %")
    return share / 100 if text.rstrip().endswith("%") else share


def _point(file: str, number: int, line: str) -> tuple[str, Fraction]:
    value, comma, part = line.partition(",")
    try:
        return value.strip(), Fraction(part.strip())
    except (ValueError, ZeroDivisionError):
        missing = "" if comma else " no comma,"
        raise PlanError(
            f"{file}:{number}:{missing} {line!r} is not a value, a comma and a probability"
        ) from None


def _lines(file: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers from 1."""
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise PlanError(f"the file {file!r} of values cannot be read: {problem}") from problem
    for number, line in enumerate(text.splitlines(), 1):
        if said := line.partition("#")[0].strip():
            yield number, said
