# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures several things in turn, so that what disturbs the machine disturbs all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .machine import load_average
from .outcome import Outcome, Run

Measure = Callable[[], float]


@dataclass(frozen=True)
class Round:
    """One value of each, and the load average of the last minute before them."""

    values: Mapping[str, float]
    load_average: float


def alternate(sides: Mapping[str, Measure], rounds: int) -> list[Round]:
    """Every side once a round, in the order given and in its reverse by turns: a drift favours none."""
    found = []
    for number in range(rounds):
        load = load_average()
        order = list(sides) if number % 2 == 0 else list(sides)[::-1]
        values = {name: sides[name]() for name in order}
        found.append(Round({name: values[name] for name in sides}, load))
    return found


def paired(rounds: Sequence[Round], peer: str, *, ours: str = "ours", note: str = "") -> Outcome:
    """Two of the sides, round by round."""
    runs = tuple(Run(each.values[ours], each.values[peer], each.load_average) for each in rounds)
    return Outcome(runs, peer, note)


def rate(count: Callable[[], int], seconds: float, *, warm_up: float) -> float:
    """Counts a second over `seconds`, after `warm_up` seconds. Raises RuntimeError if nothing is counted."""
    time.sleep(warm_up)
    before, since = _sample(count)
    time.sleep(seconds)
    after, until = _sample(count)
    if after <= before:
        raise RuntimeError(f"nothing was counted in {seconds} s (count {before}, then {after})")
    return (after - before) / (until - since)


def _sample(count: Callable[[], int]) -> tuple[int, float]:
    """A count, and the middle of the time that reading it took."""
    asked = time.monotonic()
    value = count()
    return value, (asked + time.monotonic()) / 2
