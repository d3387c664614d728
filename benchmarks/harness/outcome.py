# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of a benchmark: its runs, and the medians and ratios over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


class Impossible(Exception):
    """A benchmark cannot be run here; the message says what is missing and how to get it."""


@dataclass(frozen=True)
class Run:
    """One measurement of ours and, where there is a peer, one of the peer's right before or after it."""

    value: float
    peer_value: float | None
    load_average: float  # of the last minute, just before: what else the machine was doing

    def __post_init__(self) -> None:
        for figure in (self.value, self.peer_value):
            if figure is not None and not (math.isfinite(figure) and figure > 0):
                raise ValueError(f"{self}: a measured value is finite and above 0")

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's."""
        return None if self.peer_value is None else self.value / self.peer_value


@dataclass(frozen=True)
class Outcome:
    """The runs of one benchmark. `peer` names the program that was measured beside ours."""

    runs: tuple[Run, ...]
    peer: str | None = None
    note: str = ""  # what a reader must know to understand the figures

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("an outcome has at least one run")
        if any((run.peer_value is None) != (self.peer is None) for run in self.runs):
            raise ValueError(f"peer {self.peer!r}: either every run has a value of the peer, or none")

    @property
    def values(self) -> list[float]:
        """Ours, in the order of the runs."""
        return [run.value for run in self.runs]

    @property
    def peer_values(self) -> list[float]:
        """The peer's, in the order of the runs; empty without a peer."""
        return [run.peer_value for run in self.runs if run.peer_value is not None]

    @property
    def ratios(self) -> list[float]:
        """Ours over the peer's, in the order of the runs; empty without a peer."""
        return [run.ratio for run in self.runs if run.ratio is not None]

    @property
    def value(self) -> float:
        """The median of ours."""
        return median(self.values)

    @property
    def peer_value(self) -> float | None:
        """The median of the peer's."""
        return median(self.peer_values) if self.peer else None

    @property
    def ratio(self) -> float | None:
        """The median of the ratios of the runs: what slowed both sides of a pair down is not in it."""
        return median(self.ratios) if self.peer else None


@dataclass(frozen=True)
class Bound:
    """The bound that a benchmark has to meet."""

    text: str
    is_met: Callable[[Outcome], bool]


ANY = Bound("none", lambda _: True)  # the figure is what is asked for


def at_least(ratio: float) -> Bound:
    """A bound from below on the ratio to the peer's speed."""
    return Bound(f">= {ratio:g} x", lambda outcome: outcome.ratio is not None and outcome.ratio >= ratio)


def at_most(ratio: float) -> Bound:
    """A bound from above on the ratio to the peer's figure: less is better."""
    return Bound(f"<= {ratio:g} x", lambda outcome: outcome.ratio is not None and outcome.ratio <= ratio)


def below(value: float, unit: str) -> Bound:
    """The median."""
    return Bound(f"< {value:g} {unit}", lambda outcome: outcome.value < value)


def above(value: float, unit: str) -> Bound:
    """The median, or that."""
    return Bound(f">= {value:g} {unit}", lambda outcome: outcome.value >= value)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent of all values do not exceed (nearest rank)."""
    if not values or not 0 < percent <= 100:
        raise ValueError(f"no percentile {percent} of {len(values)} values; above 0 to 100, of one or more")
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def best(columns: Mapping[str, Sequence[float]]) -> str:
    """The name of the column with the highest median."""
    return max(columns, key=lambda name: median(columns[name]))
