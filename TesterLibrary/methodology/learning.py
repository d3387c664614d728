# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast a device learns neighbours, and how many it holds (norma §8; RFC 2889 §5.7, §5.8 for bridges)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..errors import PlanError
from ..measurement.learning import LearningCheck, LearningTrial
from ..model.units.quantity import Frequency
from ..verdict import AT_LEAST, EQUAL, Between, Verdict, assess, text_of
from .bisection import highest_passing
from .result import Result
from .stability import Attempt, contradiction

_EXACT = Fraction(1, 10**9)
_ATTEMPTS = 3  # checks of a number before it counts as too many; each announces all addresses again


class CacheMeasurer(Protocol):
    """Announces the first so many addresses of a range."""

    def check(self, addresses: int) -> LearningCheck:
        """Announces each once and counts. TargetError if the tester is broken, gone or late."""
        ...

    def rest(self) -> None:
        """Leaves the device alone, so that it forgets whom it could not learn."""
        ...


@dataclass(frozen=True)
class LearningResult(Result):
    """The addresses of one range that a device learned."""

    trial: LearningTrial

    def __str__(self) -> str:
        return f"{self.title}: {self.trial}"


@dataclass(frozen=True)
class CacheResult(Result):
    """The most addresses that a device knows at once. Both bounds rest on trials."""

    capacity: int  # 0 if not even the lowest number was learned
    failed_at: int | None  # the lowest number that was not; None if the highest of the search was
    measured: tuple[LearningCheck, ...]

    @property
    def unstable(self) -> str:
        """Two checks that no size of the cache explains; empty if there are none."""
        return contradiction(
            [
                Attempt(check.addresses, check.complete, "; ".join(check.objections), str(check))
                for check in self.measured
            ]
        )

    def __str__(self) -> str:
        limit = "no limit was found" if self.failed_at is None else f"{self.failed_at:,} were not all learned"
        text = f"{self.title}: {self.capacity:,} addresses at once, {limit}, {len(self.measured)} checks"
        return f"{text}, {self.unstable}" if self.unstable else text


def find_capacity(measurer: CacheMeasurer, title: str, lowest: int, highest: int) -> CacheResult:
    """Searches the most addresses that are all learned, exactly.

    Raises:
        PlanError: lowest is not from 1 to highest.
    """
    if not 1 <= lowest <= highest:
        raise PlanError(f"lowest={lowest} must be at least 1 and at most the {highest:,} addresses given")
    checks: list[LearningCheck] = []

    def learned(addresses: int) -> bool:
        for _ in range(_ATTEMPTS):
            checks.append(measurer.check(addresses))
            if checks[-1].complete:
                return True
            measurer.rest()
        return False

    capacity, failed = highest_passing(lowest, highest, _EXACT, learned)
    return CacheResult(title=title, trials=(), capacity=capacity, failed_at=failed, measured=tuple(checks))


def all_learned(result: LearningResult) -> Verdict:
    """Whether the device knows every address. A tester that fell short cannot make it know more."""
    trial = result.trial
    return assess(
        trial.learned,
        EQUAL,
        trial.addresses,
        subject=f"addresses learned of {result.title}",
        measured=f"{trial.learned:,}",
        bound=f"== {trial.addresses:,}",
        doubt=trial.doubt if trial.all_learned else "; ".join(trial.objections),
    )


def learning_rate_above(result: LearningResult, bound: Frequency) -> Verdict:
    """Whether the device learned every address, so fast at least. A tester that fell short makes it slower.

    INCONCLUSIVE if the time between two frames to an address leaves it open.
    """
    trial = result.trial
    least, most = trial.rate_bounds
    unlearned = trial.addresses - trial.learned
    missing = f"; {unlearned:,} of {trial.addresses:,} addresses were never learned" if unlearned else ""
    if unlearned:
        least = most = Fraction(0)
    holds = least >= bound.per_second
    doubt = "; ".join(trial.objections)
    if not holds and trial.all_learned and trial.announced_rate < bound.per_second * Fraction(11, 10):
        doubt = f"announced were {text_of(trial.announced_rate)}/s only; give a higher rate"
    return assess(
        least if holds else Between(least, most),
        AT_LEAST,
        bound.per_second,
        subject=f"learning rate of {result.title}",
        measured=f"{text_of(trial.learning_rate)}/s{missing}",
        bound=f">= {bound}",
        doubt=trial.doubt if holds else doubt,
    )


def capacity_above(result: CacheResult, bound: int) -> Verdict:
    """Whether the device knows so many addresses at once, at least."""
    holds, doubt = result.capacity >= bound, result.unstable
    if doubt:
        pass
    elif holds:
        learned = [check.doubt for check in result.measured if check.complete and check.addresses >= bound]
        doubt = learned[0] if learned and all(learned) else ""
    elif result.failed_at is None:
        doubt = f"no more than {result.capacity:,} addresses were announced"
    else:
        failed = [check for check in result.measured if check.addresses == result.failed_at]
        doubt = "; ".join(failed[-1].objections) if all(check.objections for check in failed) else ""
    return assess(
        result.capacity,
        AT_LEAST,
        bound,
        subject=f"neighbour cache of {result.title}",
        measured=f"{result.capacity:,} addresses",
        bound=f">= {bound:,}",
        doubt=doubt,
    )
