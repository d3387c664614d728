# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts the values of a figure into levels, by a library for changes in series: jumpavg, or Apache Otava."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from ...errors import TesterLibraryError


class Method(Enum):
    """The library that finds where one level ends and the next one begins."""

    JUMPAVG = "jumpavg"  # of FD.io CSIT: minimum description length
    OTAVA = "otava"  # E-divisive means and Student's t-test


@dataclass(frozen=True)
class Level:
    """Values that only noise tells apart."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Their mean."""
        return sum(self.values) / len(self.values)


def levels(values: Sequence[float], method: Method = Method.JUMPAVG) -> tuple[Level, ...]:
    """The levels of a series, in its order.

    Raises:
        TesterLibraryError: the library of that method is not installed.
    """
    if not values:
        return ()
    try:
        return tuple(map(Level, _PARTS[method](values)))
    except ImportError:
        extra = "otava" if method is Method.OTAVA else "trend"
        raise TesterLibraryError(
            f"a trend by {method.value} needs a package that is not installed; install "
            f"robotframework-testerlibrary[{extra}]"
        ) from None


def _by_jumpavg(values: Sequence[float]) -> list[tuple[float, ...]]:
    import jumpavg

    least = min(0.0, *values)  # jumpavg takes no negative values
    if max(values) == least:
        return [tuple(values)]
    groups = jumpavg.classify([value - least for value in values])
    return [tuple(value + least for value in group.run_list) for group in groups]


def _by_otava(values: Sequence[float]) -> list[tuple[float, ...]]:
    from otava.analysis import compute_change_points

    found, _ = compute_change_points(list(values))
    ends = [0, *sorted(int(point.index) for point in found), len(values)]
    return [tuple(values[first:end]) for first, end in pairwise(ends)]


_PARTS: Mapping[Method, Callable[[Sequence[float]], list[tuple[float, ...]]]] = {
    Method.JUMPAVG: _by_jumpavg,
    Method.OTAVA: _by_otava,
}
