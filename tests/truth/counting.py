# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of arrivals, as several kinds of testers keep them; by `counters.proto`, not the engine's code."""

from __future__ import annotations

import random
from collections import Counter as Tally
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from TesterLibrary.measurement.counter import increase
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.interval import may_be_copies
from TesterLibrary.measurement.snapshot import (
    LatencyCounters,
    OrderCounters,
    OutageCounters,
    StreamCounters,
    VariationCounters,
    VersionCounters,
)
from tests.counted import stream_counters

from .device import START_NS, Arrival, Log

FRAME = 128
_STEP_NS = 1024  # of a switch's clock for outages
_ORDER = ("duplicated", "late", "extent_max", "behind")
_OTHERS = ("rx_out_of_order", "rx_misrouted", "outages", "variation")


@dataclass(frozen=True)
class Tester:
    """The counters that a tester lacks, and how far back it remembers arrivals."""

    kind: str
    lacks: frozenset[str] = frozenset()
    window: int = 65536

    def count(self, log: Log, number: int = 1) -> StreamCounters:
        """The counters of a stream at the end of a trial."""
        full = _everything(log, number, self.window)
        if self.kind == "switch":
            return _as_switch(full, log)
        order = replace(full.order, **{name: None for name in _ORDER if name in self.lacks})
        absent: dict[str, Any] = {name: None for name in _OTHERS if name in self.lacks}
        if "latency" in self.lacks:
            absent["latency"] = LatencyCounters()
        return replace(full, order=order, **absent)

    def again(self, log: Log, since_ns: int, until_ns: int) -> int | None:
        """How many arrivals from one instant to another may have been copies, as far as it can tell."""
        before, after = (
            self.count(replace(log, arrivals=tuple(a for a in log.arrivals if a.time_ns < now))).order
            for now in (since_ns, until_ns)
        )
        return increase(may_be_copies(before), may_be_copies(after))


def random_tester(draw: random.Random) -> Tester:
    window = draw.choice([65536, 65536, 65536, 16])
    kind = draw.choice(["engine", "engine", "switch", "subset"])
    if kind == "subset":
        names = [*_ORDER, *_OTHERS, "latency"]
        return Tester(kind, frozenset(draw.sample(names, draw.randint(1, len(names)))), window)
    return Tester(kind, window=window if kind == "engine" else 65536)


def _as_switch(full: StreamCounters, log: Log) -> StreamCounters:
    """It forgets a frame where one has come that is above it by a multiple of 256, and has coarse times."""
    cells: dict[int, int] = {}
    highest, tally = -1, Tally[str]()
    for sequence in (arrival.sequence for arrival in log.counted):
        before = cells.get(sequence % 256, -1)
        cells[sequence % 256] = max(before, sequence)
        if sequence < highest:
            tally["again" if before == sequence else "late" if before > sequence else "overtaken"] += 1
        elif sequence == highest:
            tally["again"] += 1
        highest = max(highest, sequence)
    order = OrderCounters(
        next_sequence=highest + 1, duplicated=tally["again"], late=tally["late"], behind=tally.total()
    )
    return replace(
        full,
        rx_out_of_order=tally["overtaken"] + tally["late"],
        rx_corrupted=None,
        outages=_in_steps(full.outages),
        variation=None,
        departures=None,
        order=order,
    )


def _in_steps(full: OutageCounters | None) -> OutageCounters:
    """The longest outage, in steps of 1,024 ns; which one of those that are alike is chance."""
    assert full is not None
    if not full.longest_lost:
        return OutageCounters(None, None, None, within_ns=_STEP_NS)
    since = full.longest_start_ns // _STEP_NS
    length_ns = ((full.longest_start_ns + full.longest_ns) // _STEP_NS - since) * _STEP_NS
    return replace(
        full, count=None, total_ns=None, lost=None, longest_ns=max(1, length_ns), within_ns=_STEP_NS
    )


def _everything(log: Log, number: int, window: int) -> StreamCounters:
    whole = log.counted
    gap, sent = log.device.gap_ns, log.sent
    order, out_of_order = _order(whole, window)
    latency = [a.time_ns - log.departure_ns(a.sequence) for a in whole]
    values: dict[str, Any] = {
        "id": number,
        "intended_packets": sent,
        "tx_packets": sent,
        "tx_bytes": sent * FRAME,
        "first_tx_ns": START_NS,
        "last_tx_ns": START_NS + (sent - 1) * gap,
        "rx_packets": len(whole),
        "rx_bytes": len(whole) * FRAME,
        "first_rx_ns": whole[0].time_ns if whole else 0,
        "last_rx_ns": whole[-1].time_ns if whole else 0,
        "rx_misrouted": log.misrouted,
        "rx_out_of_order": out_of_order,
        "rx_corrupted": log.corrupted,
        "order": order,
        "outages": _outages(whole),
        "variation": VariationCounters(),
        "versions": (version(log, whole), VersionCounters()),
    }
    if latency:
        buckets = dict(Tally(map(index_of, latency)))
        values["latency"] = LatencyCounters(len(latency), sum(latency), min(latency), max(latency), buckets)
    return stream_counters(**values)


def version(log: Log, whole: list[Arrival], first: int = 0, last: int | None = None) -> VersionCounters:
    """The frames from one to before another, as if they had left with one version."""
    last = log.sent if last is None else last
    mine = [a for a in whole if first <= a.sequence < last]
    left = [log.departure_ns(sequence) - START_NS for sequence in range(first, last)]
    came = [a.time_ns - START_NS for a in mine]
    return VersionCounters(len(left), len(left) * FRAME, sum(left), len(mine), len(mine) * FRAME, sum(came))


def _order(whole: list[Arrival], window: int) -> tuple[OrderCounters, int]:
    seen: set[int] = set()
    firsts: list[int] = []
    highest, duplicated, late, behind, reordered, extent = -1, 0, 0, 0, 0, 0
    for sequence in (a.sequence for a in whole):
        if sequence > highest:
            highest = sequence
        else:
            behind += 1
            if highest + 1 - sequence > window:
                late += 1
                continue
            if sequence in seen:
                duplicated += 1
                continue
            reordered += 1
            overtaker = next(i for i, one in enumerate(firsts) if one > sequence)
            extent = max(extent, len(firsts) - overtaker)
        seen.add(sequence)
        firsts.append(sequence)
    counted = OrderCounters(
        next_sequence=highest + 1, duplicated=duplicated, late=late, extent_max=extent, behind=behind
    )
    return counted, reordered + late


def _outages(whole: list[Arrival]) -> OutageCounters:
    """Between two arrivals of which the second skips sequence numbers; not before the first arrival."""
    found: list[tuple[int, int, int]] = []
    highest = whole[0].sequence if whole else 0
    for before, after in pairwise(whole):
        if after.sequence > highest + 1:
            found.append((after.time_ns - before.time_ns, before.time_ns, after.sequence - highest - 1))
        highest = max(highest, after.sequence)
    if not found:
        return OutageCounters()
    longest = max(found, key=lambda one: one[0])
    return OutageCounters(len(found), sum(one[0] for one in found), sum(one[2] for one in found), *longest)
