# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The time that joined testers have in common: where their clocks are, and instants at which they start."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from ...errors import TargetError, TestbedError
from ...model.plan.plan import SenderClock
from ...model.units.units import Duration
from ..parts import TargetClock
from .clock_line import ClockLine, ClockStep, Exchange, clock_line, drift_bounds
from .members import Member, Members

_ROUND = 8  # exchanges; the one with the least round trip is kept
_KEPT = 24  # exchanges of a tester
_ROUNDS = 4  # at most, where round trips are long
_MOST_WITHIN_NS = 5_000_000  # testerd takes a sender's clock that is known within twice this
# From the order to start until the first frames are due: so many times what the last order took.
_LEAD_FACTOR = 4
_LEAST_LEAD_NS, _FIRST_LEAD_NS, _MOST_LEAD_NS = 20_000_000, 100_000_000, 5_000_000_000
_VIRTUAL_LEAD_NS = 1_000_000


class CommonTime(Protocol):
    """How the clocks of testers relate."""

    def refresh(self) -> None:
        """Compares the clocks anew.

        Raises:
            TargetError: the clock of a tester has stepped, or the way to it is too slow to know it.
        """
        ...

    def ahead(self, member: Member, other: Member) -> SenderClock:
        """By how much the clock of one tester is ahead of that of another."""
        ...

    def instants(self, members: Sequence[Member]) -> dict[str, int]:
        """One instant in the near future, on the clocks of these testers."""
        ...

    def pass_instant(self) -> None:
        """Returns when the last instant has passed. An order for it has reached all testers."""
        ...

    def postpone(self) -> None:
        """The last instant was too early: the next ones are later."""
        ...


class VirtualTime:
    """Testers that do not exist share one clock, which stands still between calls."""

    def __init__(self, clock: TargetClock) -> None:
        self._clock = clock

    def refresh(self) -> None:
        """See `CommonTime`."""

    def ahead(self, member: Member, other: Member) -> SenderClock:  # noqa: ARG002
        """See `CommonTime`."""
        return SenderClock(0, 0)

    def instants(self, members: Sequence[Member]) -> dict[str, int]:
        """See `CommonTime`."""
        return {member.name: self._clock.now_ns + _VIRTUAL_LEAD_NS for member in members}

    def pass_instant(self) -> None:
        """See `CommonTime`."""

    def postpone(self) -> None:
        """See `CommonTime`. Orders take no time here."""


def _raw_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class MeasuredTime:
    """Clocks that are compared over the control connections."""

    def __init__(self, members: Members, now_ns: Callable[[], int] = _raw_ns) -> None:
        self._members = members
        self._now_ns = now_ns
        self._exchanges: dict[str, deque[Exchange]] = {m.name: deque(maxlen=_KEPT) for m in members}
        self._drifts: dict[str, tuple[int, int]] = {}
        self._lead_ns, self._ordered_ns, self._instant_ns = _FIRST_LEAD_NS, 0, 0
        self.refresh()

    def refresh(self) -> None:
        """See `CommonTime`."""
        members = list(self._members)
        for _ in range(_ROUNDS):
            self._members.each(self._compare, members)
            members = [m for m in members if m.target.instants and self.line(m).within_ns > _MOST_WITHIN_NS]
        if members:
            worst = max(members, key=lambda member: self.line(member).within_ns)
            raise TargetError(
                f"tester {worst.name!r}: its clock is known within {Duration(self.line(worst).within_ns)} "
                f"(at most {Duration(_MOST_WITHIN_NS)}): the network to it, or its machine, is too slow"
            )

    def line(self, member: Member) -> ClockLine:
        """Where the clock of a tester is now."""
        try:
            exchanges = tuple(self._exchanges[member.name])
            if member.name not in self._drifts:
                self._drifts[member.name] = drift_bounds(exchanges)
            return clock_line(exchanges, self._now_ns(), self._drifts[member.name])
        except ClockStep as problem:
            self._exchanges[member.name].clear()
            self._compare(member)
            raise TargetError(
                f"tester {member.name!r}: its clock has stepped: {problem}; the trial does not count"
            ) from None

    def ahead(self, member: Member, other: Member) -> SenderClock:
        """See `CommonTime`."""
        line, reference = self.line(member), self.line(other)
        return SenderClock(line.ahead_ns - reference.ahead_ns, line.within_ns + reference.within_ns)

    def instants(self, members: Sequence[Member]) -> dict[str, int]:
        """See `CommonTime`."""
        self._ordered_ns = self._now_ns()
        self._instant_ns = self._ordered_ns + self._lead_ns
        return {member.name: self._instant_ns + self.line(member).ahead_ns for member in members}

    def pass_instant(self) -> None:
        """See `CommonTime`. The next lead follows the time that this order took."""
        now_ns = self._now_ns()
        needed_ns = _LEAD_FACTOR * (now_ns - self._ordered_ns)
        self._lead_ns = max(_LEAST_LEAD_NS, needed_ns, self._lead_ns // 2)
        time.sleep(max(0, self._instant_ns - now_ns) / 1e9)

    def postpone(self) -> None:
        """See `CommonTime`."""
        self._lead_ns = min(_MOST_LEAD_NS, _LEAD_FACTOR * self._lead_ns)

    def _compare(self, member: Member) -> None:
        exchanges = [self._exchange(member) for _ in range(_ROUND if member.target.instants else 1)]
        self._drifts.pop(member.name, None)
        self._exchanges[member.name].append(min(exchanges, key=lambda e: e.answered_ns - e.asked_ns))

    def _exchange(self, member: Member) -> Exchange:
        asked_ns = self._now_ns()
        if instants := member.target.instants:
            read_ns = instants.read_ns()
        else:
            read_ns = member.target.snapshot(buckets=False).taken_at_ns
        return Exchange(asked_ns, read_ns, self._now_ns())


def common_time(members: Members) -> CommonTime:
    """How the clocks of these testers relate. TestbedError if some are simulated and do not share a clock."""
    clocks = [member.target.clock for member in members]
    if all(clock is None for clock in clocks):
        return MeasuredTime(members)
    first = clocks[0]
    if first is not None and all(clock is first for clock in clocks):
        return VirtualTime(first)
    raise TestbedError("simulated testers can be joined only with each other, on one simulated device")
