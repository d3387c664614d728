# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrivals of frames while a device is reset."""

from __future__ import annotations

from math import ceil

from ..measurement.snapshot import Snapshot, StreamCounters
from ..model.units.units import Duration
from .tester import Tester
from .trial import StreamRun

_BREAK_NS, _BREAK_FRAMES = 50_000_000, 10  # without a frame for longer, arrivals have a break


def until_steady(tester: Tester, run: StreamRun, began_ns: int, steady: Duration, limit: Duration) -> bool:
    """Whether frames of all streams arrived for so long without a break and a loss before the limit."""
    since_ns, lost = None, 0
    for snapshot in tester.clock.readings(lambda: tester.target.snapshot([run.name])):
        now_ns = snapshot.taken_at_ns
        lost, lost_before = sum(map(_last_missing, snapshot.streams)), lost
        if lost != lost_before or not is_arriving(run, snapshot):
            since_ns = None
        elif since_ns is None:
            since_ns = now_ns
        if since_ns is not None and now_ns - since_ns >= steady.ns:
            return True
        if now_ns - began_ns >= limit.ns:
            break
    return False


def is_arriving(run: StreamRun, snapshot: Snapshot) -> bool:
    """Whether the last frame of each stream arrived not long before the snapshot was taken."""
    longest = {s.id: max(_BREAK_NS, ceil(_BREAK_FRAMES / s.rate)) for s in run.plan.streams}
    now_ns = snapshot.taken_at_ns
    return all(s.rx_packets and now_ns - s.last_rx_ns <= longest[s.id] for s in snapshot.streams)


def missing_in_a_row(counted: StreamCounters) -> int:
    """The most frames in a row that have not arrived, though later ones have.

    Sums are no use here: a running tester does not count all of them at one instant.
    """
    if counted.outages is None:
        return 0
    return max(0, counted.outages.longest_lost - (counted.rx_out_of_order or 0))


def _last_missing(counted: StreamCounters) -> int:
    """The number of the last frame that is missing; 0 where frames that are overtaken seem to be missing."""
    return 0 if counted.outages is None or counted.rx_out_of_order else counted.outages.last_sequence
