# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that are expected at several ports: how many copies are missing (RFC 2889 §5.10)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Broadcast:
    """The frames of a stream at other ports than the one where it is measured.

    They are counted over all these ports together: a port that gets frames twice may hide that another one
    misses as many.
    """

    ports: tuple[str, ...]  # at each of which every frame is expected; none: it is no broadcast
    sent: int
    arrived: int | None  # at other ports; None: not counted
    seen: tuple[str, ...] = ()  # the ports at which some arrived, as far as the tester knows

    @property
    def missing(self) -> int | None:
        """Copies that are missing for certain; None where nobody counts them."""
        if not self.ports:
            return 0
        return None if self.arrived is None else max(0, len(self.ports) * self.sent - self.arrived)

    @property
    def misrouted(self) -> int | None:
        """Frames at other ports that are not expected there."""
        if self.arrived is None:
            return None
        return max(0, self.arrived - len(self.ports) * self.sent)

    @property
    def incomplete(self) -> int | None:
        """The fewest frames of which a copy is missing."""
        missing = self.missing
        return -(-missing // len(self.ports)) if missing and self.ports else missing

    @property
    def most_incomplete(self) -> int | None:
        """The most frames of which a copy is missing; None where extra copies may stand for missing ones."""
        if self.ports and self.arrived and (self.misrouted or set(self.ports) != set(self.seen)):
            return None
        return self.missing
