# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Openings of clients, by what was asked for and counted: those that are due, left, or kept by a device."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..model.planned_end import Opening
from ..model.responder import Reopen
from .sessions import SessionStatistics


@dataclass(frozen=True)
class Openings:
    """The connections that clients open."""

    name: str  # of the clients
    asked: Opening
    counted: SessionStatistics  # since their start

    def due(self, duration_ns: int) -> Fraction | None:
        """Openings that the rate asks for in a time; None if it did not go on for all of the time."""
        return None if self.asked.rate is None or self._all_opened else self.asked.rate * duration_ns

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
    def gone(self) -> int:
        """Flows that failed, and in whose place clients open no other one."""
        return 0 if self.asked.reopen is Reopen.ALWAYS else self.counted.failed or 0

    def kept(self, waiting: int) -> bool:
        """Whether the device keeps clients from more: all connections are gone, or wait for its answer.

        It keeps nobody from it who keeps nothing of a flow.
        """
        return 0 < self.asked.connections <= self.gone + waiting

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
