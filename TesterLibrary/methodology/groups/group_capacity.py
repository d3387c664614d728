# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast group capacity (RFC 2432 §3.5, RFC 3918 §7.1): how many groups a device forwards at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ...errors import PlanError
from ...measurement.group_check import GroupCheck
from ...model.units.units import Ratio
from ...verdict import AT_LEAST, Verdict, assess
from ..bisection import highest_passing
from ..result import Result
from ..stability import Attempt, contradiction

_ATTEMPTS = 3  # at a number before it counts as too high: the machine may have lost a frame
OnCheck = Callable[[GroupCheck], None]


class GroupTableMeasurer(Protocol):
    """Has members join groups, and looks which of these a device forwards."""

    def check(self, groups: int) -> GroupCheck:
        """Members join the first so many groups; frames to each; they leave again.

        TargetError if the tester is broken, gone or late.
        """
        ...

    def rest(self) -> None:
        """Leaves the device alone until it has forgotten the groups, or empties it."""
        ...


@dataclass(frozen=True)
class GroupCapacityResult(Result):
    """The most groups that a device forwards to their members at once. Both bounds rest on checks."""

    capacity: int  # groups of the highest check that passed; 0 if there is none
    failed: int | None  # of the lowest one that did not; None if the highest of the search passed
    checks: tuple[GroupCheck, ...]
    control: GroupCheck | None  # of the capacity, after a higher number failed: whether the device recovers

    @property
    def recovers(self) -> bool:
        """Whether the device forwarded again what it had forwarded before it was asked for too much."""
        return self.control is None or self.control.all_forwarded

    @property
    def unstable(self) -> str:
        """Two checks that no number of groups explains; empty if there are none."""
        return contradiction(
            [Attempt(check.groups, check.all_forwarded, check.doubt, str(check)) for check in self.checks]
        )

    def verdict_above(self, bound: int) -> Verdict:
        """Whether the device holds so many groups at once, at least."""
        doubt = self.unstable
        if not doubt and self.capacity < bound:
            doubt = self._doubt(bound)
        return assess(
            self.capacity,
            AT_LEAST,
            bound,
            subject=f"multicast group capacity of {self.title}",
            measured=f"{self.capacity:,} groups" + (f"; {self._leak}" if self._leak else ""),
            bound=f">= {bound:,}",
            doubt=doubt,
        )

    def _doubt(self, bound: int) -> str:
        """Why a bound above the capacity is not known to be missed; empty if it is."""
        if self.failed is None:
            return f"no more than {self.capacity:,} groups were tried; give a higher number"
        if bound < self.failed:
            return (
                f"it forwarded {self.capacity:,} and did not forward {self.failed:,}, and the bound lies "
                "between them; search with a finer resolution"
            )
        first = self._first_failed
        if not self.recovers and bound < first:
            return (
                f"after {first:,} groups it did not forward even {self.capacity:,} any more, which it had "
                "forwarded before; have the testbed's hook empty it (empty=True)"
            )
        decisive = first if not self.recovers else self.failed
        doubts = [check.doubt for check in self.checks if check.groups == decisive]
        return doubts[-1] if doubts and all(doubts) else ""

    @property
    def _leak(self) -> str:
        """That the groups that failed reached all members, and other ports as well; empty if not so."""
        last = next((c for c in reversed(self.checks) if c.groups == self.failed), None)
        if last is None or last.silent or last.missing or not last.leaked:
            return ""
        return f"with {last.groups:,} groups frames arrived at {', '.join(last.ports) or 'other ports'}, too"

    @property
    def _first_failed(self) -> int:
        """The number that was the first to fail in all its attempts."""
        passed = {check.groups for check in self.checks if check.all_forwarded}
        return next(check.groups for check in self.checks if check.groups not in passed)

    def __str__(self) -> str:
        limit = "no limit was found" if self.failed is None else f"{self.failed:,} were not all forwarded"
        limit = self._leak or limit
        after = "" if self.recovers else ", and it did not recover from that"
        text = f"{self.title}: {self.capacity:,} groups at once, {limit}{after}, {len(self.checks)} checks"
        return f"{text}, {self.unstable}" if self.unstable else text


def find_group_capacity(
    measurer: GroupTableMeasurer,
    title: str,
    *,
    lowest: int,
    highest: int,
    resolution: Ratio = Ratio(Fraction(0)),
    on_check: OnCheck = lambda _: None,
) -> GroupCapacityResult:
    """Searches the most groups that a device forwards at once, to a part of them (0: exactly).

    Raises:
        PlanError: lowest is not from 1 to highest.
        TargetError: the tester is broken, gone or late.
    """
    if not 1 <= lowest <= highest:
        raise PlanError(f"groups from {lowest:,} to {highest:,}: give 1 or more, and the lower one first")
    checks: list[GroupCheck] = []

    def checked(groups: int) -> GroupCheck:
        found = measurer.check(groups)
        on_check(found)
        measurer.rest()
        return found

    def forwards(groups: int) -> bool:
        for _ in range(_ATTEMPTS):
            checks.append(checked(groups))
            if checks[-1].all_forwarded:
                return True
        return False

    capacity, failed = highest_passing(lowest, highest, resolution.value, forwards)
    control = checked(capacity) if capacity and failed is not None else None
    return GroupCapacityResult(title, (), capacity, failed, tuple(checks), control)
