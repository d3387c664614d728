# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Gaps between frames, or delays, from a file: a list, or a distribution as pairs of time and probability.

CSV: a gap, or a gap and a probability, on each line; `#` begins a comment. YAML (`.yaml`, `.yml`): a list of
gaps, or of [gap, probability]. Gaps are times such as `12.5 us`, bare numbers are seconds; probabilities are
numbers from 0 to 1, or percents.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from ..errors import PlanError, TesterLibraryError
from ..model.departures import GapDistribution, Messages, Points, out_of_order
from ..model.impairment import DelayDistribution
from ..model.units.units import Duration, Ratio
from .document import Kind, read_document

_KIND = Kind("gap", PlanError)
_Distribution = TypeVar("_Distribution", GapDistribution, DelayDistribution)
_Row = tuple[str, Sequence[Any]]  # its place in the file, and its values


def load_gaps(path: str, *, repeat: bool = True) -> Messages:
    """Messages of one frame with the gaps of a file. PlanError names file and line of what is wrong."""
    return Messages.of_gaps(
        tuple(_parsed(where, _gap, values) for where, values in _rows(path)), repeat=repeat
    )


def load_distribution(path: str) -> GapDistribution:
    """The distribution of a file. PlanError names file and line of what is wrong."""
    return _loaded(path, GapDistribution)


def load_delays(path: str) -> DelayDistribution:
    """Delays with the distribution of a file. PlanError names file and line of what is wrong."""
    return _loaded(path, DelayDistribution)


def distribution(points: Sequence[str]) -> GapDistribution:
    """The distribution of points such as `10 us:50 %`."""
    return GapDistribution(_points(points))


def delays(points: Sequence[str]) -> DelayDistribution:
    """Delays with the distribution of points such as `10 ms:50 %`."""
    return DelayDistribution(_points(points))


def delays_of(points: Sequence[str], path: str | None) -> DelayDistribution | None:
    """The distribution of points or of a file; None without both. PlanError if both are given."""
    if points and path:
        raise PlanError(f"cdf={','.join(points)} and cdf_file={path}: give one of them")
    if path:
        return load_delays(path)
    return delays(points) if points else None


def _points(points: Sequence[str]) -> Points:
    return tuple(_pair(point.split(":")) for point in points)


def _loaded(path: str, kind: Callable[[Points], _Distribution]) -> _Distribution:
    rows = _rows(path)
    points = tuple(_parsed(where, _pair, values) for where, values in rows)
    for index, problem in out_of_order(points):
        raise PlanError(f"{rows[index][0]}: {problem}")
    try:
        return kind(points)
    except PlanError as problem:
        raise PlanError(f"{path}: {problem}") from None


def _rows(path: str) -> list[_Row]:
    rows = _yaml(Path(path)) if path.endswith((".yaml", ".yml")) else _csv(Path(path))
    if not rows:
        raise PlanError(f"{path}: it is empty; give at least one gap")
    return rows


def _csv(path: Path) -> list[_Row]:
    try:
        with path.expanduser().open(encoding="utf-8", newline="") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except OSError as problem:
        raise PlanError(f"{path}: cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise PlanError(f"{path}: not text: {problem.reason}") from problem
    return [(f"{path}:{number}", next(csv.reader([line]))) for number, line in enumerate(lines, 1) if line]


def _yaml(path: Path) -> list[_Row]:
    document = read_document(path.expanduser(), _KIND)
    if not isinstance(document.data, list):
        raise PlanError(f"{path}:1: no list; give one of gaps, or of [gap, probability]")
    return [
        (f"{path}:{document.line((index,))}", item if isinstance(item, list) else [item])
        for index, item in enumerate(document.data)
    ]


def _parsed(where: str, parse: Any, values: Sequence[Any]) -> Any:
    try:
        return parse(values)
    except TesterLibraryError as problem:
        raise PlanError(f"{where}: {problem}") from None


def _gap(values: Sequence[Any]) -> Duration:
    if len(values) != 1:
        raise PlanError(f"{len(values)} values; a list of gaps has one on each line")
    return Duration.parse(values[0])


def _pair(values: Sequence[Any]) -> tuple[Duration, Fraction]:
    if len(values) != 2:
        raise PlanError(f"{':'.join(map(str, values))!r} is no point of a CDF; give time and probability")
    return Duration.parse(values[0]), _probability(str(values[1]).strip())


def _probability(text: str) -> Fraction:
    try:
        value = Ratio.parse(text).value if text.endswith("%") else Fraction(text)
    except ValueError:
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise PlanError(f"{text!r} is no probability; give 0 to 1, or 0 to 100 %")
    return value
