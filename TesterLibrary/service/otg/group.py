# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows that are one job of the tester, from their start until all that they sent has arrived, or is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...measurement.snapshot import Snapshot, StreamCounters
from ...model.plan.plan import PlannedStream
from ...running.arrived_frames import settling_ns
from ...running.trial import StreamRun
from ...running.trial_rules import TrialRules
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

    def counters(self, streams: Mapping[int, StreamCounters]) -> list[StreamCounters]:
        """The counters of its streams, out of those of all streams by id."""
        return [streams[stream.id] for stream in self.streams]

    def note(self, now_ns: int, streams: Mapping[int, StreamCounters], rules: TrialRules) -> bool:
        """Notes what has arrived: whether that is all, or nothing more is waited for, as in a trial."""
        counters = self.counters(streams)
        if any(counter.sending for counter in counters):
            return False
        arrived = sum(received(counter, anywhere=True) or 0 for counter in counters)
        of_each = [unique(counter, anywhere=counter.id in self.any_port) or 0 for counter in counters]
        seen = self.settling
        if seen is None:
            seen = self.settling = Settling(now_ns, arrived, sum(of_each), now_ns, now_ns)
        seen.note(now_ns, arrived, sum(of_each))
        seen.is_quiet = now_ns - seen.quiet_since_ns >= settling_ns(counters, rules.settle)
        is_missing = any(once < counter.tx_packets for once, counter in zip(of_each, counters, strict=True))
        # A device that stood still sends later what it holds (RFC 2544 §23).
        was_waited_for = self.unexpected or now_ns - seen.ended_ns >= rules.residual.ns
        # One that repeats frames has them arrive for ever.
        is_endless = now_ns - seen.new_since_ns >= rules.grace.ns
        return not is_missing or (seen.is_quiet and was_waited_for) or is_endless


def listed(names: Sequence[str]) -> str:
    """Flows in a sentence: four of them, and how many more."""
    shown = ", ".join(dict.fromkeys(names[:4]))
    return f"flows {shown} and {len(names) - 4:,} more" if len(names) > 4 else f"flow {shown}"


def received(counter: StreamCounters, *, anywhere: bool) -> int | None:
    """Frames that arrived at the port of their stream, or at any; None where nobody counts those."""
    if not anywhere:
        return counter.rx_packets
    return None if counter.rx_misrouted is None else counter.rx_packets + counter.rx_misrouted


def unique(counter: StreamCounters, *, anywhere: bool) -> int | None:
    """The same without frames that arrived again."""
    arrived = received(counter, anywhere=anywhere)
    return None if arrived is None else arrived - (counter.order.duplicated or 0)
