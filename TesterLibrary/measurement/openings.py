# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Openings of clients, by what was asked for and counted: those that are due, left, or kept by a device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil

from ..model.plan.planned_end import Opening
from ..model.responder import Reopen
from .sessions import SessionStatistics


class State(Enum):
    """The state of connections that are not over: now, and in the past."""

    TO_BE_OPENED = ("are still to be opened", "were not opened before")
    WAITING = ("wait for an answer", "waited for an answer when")
    OPEN = ("are open", "were open when")


@dataclass(frozen=True)
class Unfinished:
    """Connections of clients that may change counts yet."""

    left: int  # that are to be opened
    which: str  # and how many
    state: State
    stopped: bool = False  # by the suite, which did not wait for them
    by_clients: bool = False  # which hold them, as they were asked to
    at_rest: bool = False  # nothing has come for them in the meantime
    silent: bool = False  # no connection of these clients has had an answer

    def may_change(self, *, at_end: bool, at_opening: bool = False) -> bool:
        """Whether they may change a count.

        What a client holds itself ends well later. What has come to rest, or was never answered, does not:
        the device is to blame, but a timer may end it as a failure yet.

        Args:
            at_end: The count is raised until they are over, and well.
            at_opening: The count is raised by an answer to their opening.
        """
        if self.by_clients:
            return at_end
        if self.silent:
            return not (at_end or at_opening)
        return not (at_end and self.at_rest)

    def __str__(self) -> str:
        now, then = self.state.value
        return f"{self.which} {f'{then} they were stopped' if self.stopped else now}"


@dataclass(frozen=True)
class Openings:
    """The connections that clients open."""

    name: str  # of the clients
    asked: Opening
    counted: SessionStatistics  # since their start

    def due(self, duration_ns: int) -> Fraction | None:
        """Openings that the rate asks for in a time; None if it did not go on for all of the time."""
        return None if self.asked.rate is None or self._all_opened else self.asked.rate * duration_ns

    def unopened(self, counted: SessionStatistics, due: Fraction | None, limit: Fraction) -> int:
        """Openings of a time that were due while all places were in use, and that never were.

        `limit` is the part of those that are due up to which none is missing: one more may be due at either
        end of the time.
        """
        if due is None:
            return 0 if self._all_opened else counted.put_off
        missing = due - counted.openings - 2
        return min(counted.put_off, ceil(missing)) if missing > due * limit else 0

    def late(self, counted: SessionStatistics, due: Fraction | None) -> int:
        """The same, with those that were opened late."""
        missing = counted.put_off if due is None else ceil(due - counted.openings)
        return max(0, min(counted.put_off, missing))

    @property
    def left(self) -> int:
        """Openings that are still to come; 0 where clients open until they are stopped."""
        return max(0, self._most - self.counted.openings)

    @property
    def left_text(self) -> str:
        """The same, and of how many."""
        return f"{self.left:,} of {self._most:,} connections of {self.name}"

    @property
    def unanswered(self) -> int:
        """Connections of a total that wait for an answer now; 0 without a total."""
        return self.counted.waiting or 0 if self._most else 0

    @property
    def open(self) -> int:
        """Connections of a total that are not over now; 0 without a total."""
        return self.counted.concurrent or 0 if self._most else 0

    @property
    def over(self) -> bool:
        """Whether all connections of a total were opened, and are over."""
        return self._all_opened and self.counted.concurrent == 0

    @property
    def gone(self) -> int:
        """Flows that failed, and in whose place clients open no other one."""
        return 0 if self.asked.reopen is Reopen.ALWAYS else self.counted.failed or 0

    def kept(self, waiting: int) -> bool:
        """Whether the device keeps clients from more: all connections are gone, or wait for its answer.

        It keeps nobody from it who keeps nothing of a flow.
        """
        return 0 < self.asked.connections <= self.gone + waiting

    def silent(self, waiting: int, counted: SessionStatistics) -> int:
        """Connections that have no answer, where none had one in a time; 0 if one had."""
        if not self.asked.connections or counted.established != 0 or counted.bytes_received:
            return 0
        return waiting

    def failed_wholly(self, waiting: int) -> bool:
        """Whether failures leave nothing to open: no place for another connection, or none of the total."""
        return self.gone > 0 and (self.kept(waiting) or (self.over and not self.counted.completed))

    @property
    def unserved(self) -> bool:
        """Whether no request was answered as asked for since the start, nor may be by now."""
        counted = self.counted
        if counted.transactions != 0 or not counted.failed:
            return False
        return not counted.concurrent or counted.first_bytes == 0

    def all_in_use(self, waiting: int) -> int:
        """The most connections of clients, if they kept more from being opened; 0 if the device did.

        It did if half of them are gone, or wait for its answer.
        """
        most, counted = self.asked.connections, self.counted
        if self._all_opened:
            return 0
        held_up = counted.put_off > 0 or (self.asked.rate is None and counted.most_concurrent == most)
        return most if held_up and 2 * (self.gone + waiting) < most else 0

    @property
    def may_send(self) -> bool:
        """Whether not all connections are over."""
        most, counted = self._most, self.counted
        if not most or self.left:
            return True
        if counted.concurrent is not None:
            return counted.concurrent > 0
        # Who keeps nothing of a connection knows only whether it was answered.
        return counted.established is None or counted.established < most

    @property
    def _most(self) -> int:
        """Openings after which there is no other one; 0 where clients open until they are stopped."""
        once = self.asked.reopen is Reopen.NEVER
        return self.asked.total or (self.asked.connections if once else 0)

    @property
    def _all_opened(self) -> bool:
        return 0 < self.asked.total <= self.counted.openings
