# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Openings of clients, by what was asked for and counted: those that are due, left, or kept by a device."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..model.responder import Clients, Reopen
from .sessions import SessionStatistics


@dataclass(frozen=True)
class Openings:
    """The connections that clients open."""

    clients: Clients
    counted: SessionStatistics  # since their start

    def due(self, duration_ns: int) -> Fraction | None:
        """Openings that the rate asks for in a time; None if it did not go on for all of the time."""
        if self.clients.rate is None or self._all_opened:
            return None
        return self.clients.rate.per_second * duration_ns / 10**9

    @property
    def left(self) -> int:
        """Openings of a total that are still to come; 0 without a total."""
        return max(0, self._most - self.counted.openings)

    @property
    def left_text(self) -> str:
        """The same, and of how many."""
        return f"{self.left:,} of {self._most:,} connections of {self.clients.name}"

    @property
    def gone(self) -> int:
        """Flows that failed, and in whose place clients open no other one."""
        return 0 if self.clients.reopen is Reopen.ALWAYS else self.counted.failed or 0

    def kept(self, waiting: int) -> bool:
        """Whether the device keeps clients from more: all connections are gone, or wait for its answer."""
        return self.gone + waiting >= self.clients.connections

    def all_in_use(self, waiting: int) -> int:
        """The most connections of clients, if they kept more from being opened; 0 if the device did.

        It did if half of them are gone, or wait for its answer.
        """
        most, counted = self.clients.connections, self.counted
        if self._all_opened:
            return 0
        held_up = counted.put_off > 0 or (self.clients.rate is None and counted.most_concurrent == most)
        return most if held_up and 2 * (self.gone + waiting) < most else 0

    @property
    def may_send(self) -> bool:
        """Whether not all connections are over."""
        total, counted = self.clients.total, self.counted
        if total is None or not self._all_opened:
            return True
        if counted.concurrent is not None:
            return counted.concurrent > 0
        # Who keeps nothing of a connection knows only whether it was answered.
        return counted.established is None or counted.established < total

    @property
    def _most(self) -> int:
        """The total, or as many of it as are opened where none is opened again; 0 without a total."""
        total, connections = self.clients.total or 0, self.clients.connections
        return min(total, connections) if self.clients.reopen is Reopen.NEVER else total

    @property
    def _all_opened(self) -> bool:
        return self.clients.total is not None and self.counted.openings >= self.clients.total
