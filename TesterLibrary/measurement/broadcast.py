# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that are expected at several ports: how many copies are missing (RFC 2889 §5.10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Broadcast:
    """The frames of a stream at other ports than the one where it is measured.

    Where they are counted over all these ports together, a port that gets frames twice may hide that another
    one misses as many. At one port each that came behind a later one may be a copy, and hide one, too.
    """

    ports: tuple[str, ...]  # at each of which every frame is expected; none: it is no broadcast
    sent: int
    arrived: int | None  # at other ports; None: not counted
    seen: tuple[str, ...] = ()  # the ports at which some arrived, as far as the tester knows
    counts: tuple[int, ...] | None = None  # at each of these; None: not counted one by one
    behind: tuple[int, ...] | None = None  # of these, behind a later one; None: not counted
    damaged: tuple[int, ...] | None = None  # of these, not as they were sent; None: not looked at

    @property
    def by_port(self) -> Mapping[str, int] | None:
        """The whole frames at each of its ports; None where the tester does not tell its ports apart."""
        if self.counts is not None and sum(self.counts) == self.arrived:
            found = dict(zip(self.seen, self.counts, strict=False))
            return {port: found.get(port, 0) - self.damaged_by_port.get(port, 0) for port in self.ports}
        if self.arrived is None or len(self.ports) > 1 or set(self.seen) - set(self.ports):
            return None
        if self.ports and self.arrived > self.sent and not self.seen:
            return None  # at a port without a name
        return dict.fromkeys(self.ports, self.arrived)

    @property
    def damaged_by_port(self) -> Mapping[str, int]:
        """The frames at each of its ports that are not as they were sent, as far as the tester looks."""
        counts = zip(self.seen, self.damaged or (), strict=False)
        return {port: frames for port, frames in counts if frames and port in self.ports}

    @property
    def missing(self) -> int | None:
        """Copies that are missing for certain; None where nobody counts them."""
        if not self.ports:
            return 0
        if self.by_port is not None:
            return sum(max(0, self.sent - frames) for frames in self.by_port.values())
        return None if self.arrived is None else max(0, len(self.ports) * self.sent - self.arrived)

    @property
    def misrouted(self) -> int | None:
        """Frames at ports where none is expected; with duplicates, where `are_apart` is not so."""
        if self.arrived is None:
            return None
        if self.by_port is not None:
            return self.arrived - sum(self.by_port.values()) - sum(self.damaged_by_port.values())
        return max(0, self.arrived - len(self.ports) * self.sent)

    @property
    def duplicated(self) -> int | None:
        """Arrivals beyond one of each frame at each of its ports; None where nobody knows."""
        if not self.ports:
            return 0
        return None if self.by_port is None else sum(self.again.values())

    @property
    def again(self) -> Mapping[str, int]:
        """These at each port that has some, as far as the tester counts them one by one."""
        each = (self.by_port or {}).items()
        return {port: frames - self.sent for port, frames in each if frames > self.sent}

    @property
    def are_apart(self) -> bool:
        """Whether frames where none is expected are told from duplicates where they are."""
        return self.arrived is not None and self.by_port is not None

    @property
    def incomplete(self) -> int | None:
        """The fewest frames of which a copy is missing."""
        if self.by_port is not None:
            return max((self.sent - min(self.sent, frames) for frames in self.by_port.values()), default=0)
        missing = self.missing
        return -(-missing // len(self.ports)) if missing and self.ports else missing

    @property
    def most_incomplete(self) -> int | None:
        """The most frames of which a copy is missing; None where extra copies may stand for missing ones."""
        if self.by_port is not None:
            if self.behind is None or len(self.behind) < len(self.seen):  # an older tester
                return 0 if not self.ports else None if self.arrived else self.missing
            first = (frames - self.behind_at(port) for port, frames in self.by_port.items())
            return sum(max(0, self.sent - frames) for frames in first)
        return self.missing if not self.ports or not self.arrived else None

    def behind_at(self, port: str) -> int:
        """The frames at a port that came behind a later one, as far as the tester counts them."""
        return dict(zip(self.seen, self.behind or (), strict=False)).get(port, 0)

    @property
    def behind_later(self) -> Mapping[str, int]:
        """These at each of its ports that has some, less those that are duplicates for certain."""
        each = ((port, self.behind_at(port) - self.again.get(port, 0)) for port in self.ports)
        return {port: frames for port, frames in each if frames > 0}

    @property
    def deaf(self) -> tuple[str, ...]:
        """Its ports at which nothing arrived, as far as the tester counts them one by one."""
        return tuple(port for port, frames in (self.by_port or {}).items() if not frames and self.sent)
