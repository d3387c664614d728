# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows that are one job of the tester, from their start until all that they sent has arrived, or is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...measurement.snapshot import Snapshot
from ...model.plan.plan import PlannedStream
from ...running.trial import StreamRun
from .sending import Limit


@dataclass
class Settling:
    """The arrivals of flows since they were first seen to have sent all."""

    ended_ns: int
    arrived: int
    once: int  # without those that arrived again
    quiet_since_ns: int
    new_since_ns: int
    is_quiet: bool = False  # nothing came for as long as the device has taken; some may be missing

    def note(self, now_ns: int, arrived: int, once: int) -> None:
        """Adds a reading."""
        if arrived != self.arrived:
            self.arrived, self.quiet_since_ns = arrived, now_ns
        if once > self.once:
            self.once, self.new_since_ns = once, now_ns


@dataclass
class Group:
    """Flows that are loaded as one job and end alike."""

    run: StreamRun
    limit: Limit
    flows: tuple[str, ...]  # of each stream
    any_port: frozenset[int]  # ids of streams whose frames count wherever they arrive
    unexpected: bool  # nobody waits for its frames
    started: bool = False
    final: Snapshot | None = None  # when it had ended, and nothing was waited for any more
    settling: Settling | None = None  # once it has sent all
    doubts: tuple[str, ...] = ()  # why what is missing may not be the device's loss

    @property
    def streams(self) -> Sequence[PlannedStream]:
        """Its streams, in the order of `flows`."""
        return self.run.plan.streams

    @property
    def is_sending(self) -> bool:
        """Whether it was started, and its counters may still change."""
        return self.started and self.final is None

    @property
    def is_quiet(self) -> bool:
        """Whether it has sent all, and nothing came for a while."""
        return self.final is not None or (self.settling is not None and self.settling.is_quiet)
