# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Group join delay and group leave delay (RFC 2432; RFC 3918 §6.1 and §6.2).

Frames of a group are sent all the time. A port joins the group, and leaves it again: the delays are those
from the report to the first frame that arrives, and from the leave to the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ...errors import PlanError
from ...measurement.multicast import GroupCycle
from ...measurement.trial import Trial
from ...model.units.units import Duration
from ...verdict import AT_MOST, Between, Verdict, assess
from ..result import Result
from ..verdicts.judging import doubt_of
from .burden import burden_doubt, burden_text


class GroupDelay(Enum):
    """The two delays."""

    JOIN = "group join delay"
    LEAVE = "group leave delay"


class GroupMeasurer(Protocol):
    """Lets a port join a group and leave it again."""

    def cycle(self) -> tuple[GroupCycle, Trial]:
        """Once, and the trial of the group's frames. TargetError if the tester is broken, gone or late."""
        ...


@dataclass(frozen=True)
class GroupDelayResult(Result):
    """Group join and leave delays of one port and group. The worst cycle counts."""

    cycles: tuple[GroupCycle, ...]
    burden: tuple[Trial, ...] = ()  # of what was sent beside each cycle (RFC 3918 §8.2)

    @property
    def join_delay_ns(self) -> int | None:
        """The longest group join delay, in nanoseconds; None where a cycle has none."""
        return self._worst(GroupDelay.JOIN)

    @property
    def leave_delay_ns(self) -> int | None:
        """The longest group leave delay (to the last frame), in nanoseconds; None where a cycle has none."""
        return self._worst(GroupDelay.LEAVE)

    @property
    def resolution_ns(self) -> int:
        """The gap between two frames of the group: no delay is known more exactly."""
        return max(cycle.gap_ns for cycle in self.cycles)

    @property
    def early(self) -> int:
        """Frames that arrived at the port before it had joined."""
        return sum(max(cycle.before, int(cycle.is_early)) for cycle in self.cycles)

    def _worst(self, delay: GroupDelay) -> int | None:
        """As RFC 3918 defines it: until the first frame arrived, or until the last one did."""
        if self._missing(delay):
            return None
        if delay is GroupDelay.JOIN:
            return max(cycle.join_ns[1] for cycle in self.cycles if cycle.join_ns)
        return max(cycle.leave_ns[0] for cycle in self.cycles if cycle.leave_ns)

    def _missing(self, delay: GroupDelay) -> str:
        """Why a cycle has no delay of that kind; empty if each has one."""
        for cycle in self.cycles:
            if cycle.is_early:
                return (
                    f"{max(1, cycle.before):,} frames of the group arrived before the port joined it: the "
                    "device floods the group, or has not forgotten an earlier member"
                )
            if cycle.first_ns is None:
                return (
                    f"no frame of the group arrived within {Duration(cycle.watched_ns)} after the port had "
                    "joined it; look at the version of IGMP, and whether the device forwards the group at all"
                )
            if delay is GroupDelay.LEAVE and (cycle.left_ns is None or cycle.last_ns is None):
                return "the port has not left the group"
        return "" if self.cycles else "nothing was measured"

    def _late(self, bound: Duration) -> tuple[GroupCycle, ...]:
        """Cycles in which frames came later after the leave than the bound, whatever followed.

        Such a device has the group early in the next cycle, as it has not forgotten it.
        """
        if not self._missing(GroupDelay.LEAVE):
            return ()
        known = [c for c in self.cycles if not c.is_early and c.leave_ns]
        return tuple(cycle for cycle in known if _bounds(cycle, GroupDelay.LEAVE)[0] > bound.ns)

    def _text(self, least: int, most: int, endless: Sequence[int]) -> str:
        if endless:
            return f"not over after {Duration(max(endless))}: frames still arrived"
        return f"{Duration(least)} to {Duration(most)}, the worst of {len(self.cycles)}"

    def _doubt(self) -> str:
        return doubt_of(self.trials) or "; ".join(self._objections) or burden_doubt(self.burden)

    def _resolution_doubt(self, endless: Sequence[int]) -> str:
        """Why the bound lies within a delay; `endless`: how long delays without an end were watched."""
        if endless:
            return f"it was watched for {Duration(max(endless))} only; give a longer timeout"
        return f"frames are {Duration(self.resolution_ns)} apart; send the group at a higher rate"

    def verdict_below(self, delay: GroupDelay, bound: Duration) -> Verdict:
        """Whether a delay was at most the bound in every cycle. Within the resolution it is INCONCLUSIVE."""
        late = () if delay is GroupDelay.JOIN else self._late(bound)
        missing = "" if late else self._missing(delay)
        bounds = [] if missing else [_bounds(cycle, delay) for cycle in late or self.cycles]
        endless = [least for least, most in bounds if most is None]
        least = max((least for least, _ in bounds), default=0)
        most = max((bound.ns + 1 if most is None else most for _, most in bounds), default=0)
        doubt = missing or self._doubt()
        if not doubt and least <= bound.ns < most:
            doubt = self._resolution_doubt(endless)
        return assess(
            None if missing else Between(least, most),
            AT_MOST,
            bound.ns,
            subject=f"{delay.value} of {self.title}{burden_text(self.burden)}",
            measured="unknown" if missing else self._text(least, most, endless),
            bound=f"<= {bound}",
            doubt=doubt,
        )

    @property
    def _objections(self) -> Sequence[str]:
        return tuple(dict.fromkeys(text for cycle in self.cycles for text in cycle.objections))

    def __str__(self) -> str:
        def text(delay: GroupDelay) -> str:
            worst = self._worst(delay)
            return f"{delay.value} {'not known' if worst is None else Duration(worst)}"

        title = f"{self.title}{burden_text(self.burden)}"
        return (
            f"{title}: {text(GroupDelay.JOIN)}, {text(GroupDelay.LEAVE)}, the worst of {len(self.cycles)}, "
            f"resolution {Duration(self.resolution_ns)}"
        )


def _bounds(cycle: GroupCycle, delay: GroupDelay) -> tuple[int, int | None]:
    found = cycle.join_ns if delay is GroupDelay.JOIN else cycle.leave_ns
    if found is None:
        raise PlanError(f"no {delay.value} was seen in a cycle, so it has no bounds")
    return found


def measure_group_delays(measurer: GroupMeasurer, title: str, cycles: int) -> GroupDelayResult:
    """Has a port join a group and leave it, so many times.

    Raises:
        PlanError: the number of cycles is below 1.
        TargetError: the tester is broken, gone or late.
    """
    if cycles < 1:
        raise PlanError(f"cycles={cycles} measures nothing; give 1 or more")
    found = [measurer.cycle() for _ in range(cycles)]
    return GroupDelayResult(title, tuple(trial for _, trial in found), tuple(cycle for cycle, _ in found))
