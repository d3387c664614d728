# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the counters and registers of stamps in a switch into their figures.

A direction counts in the pipe of the port by which its packets leave to the device, and in that of the port
by which they leave to the host; each register is of one of these. In other pipes it is as it began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....measurement.snapshot import LatencyCounters, StampDirectionCounters
from ..entries.latency import between, by_index
from ..session.session import SwitchSession
from ..session.switch import Reading
from .stamp_entries import DELAY_SUM, DEPARTED, EXTREMES, RETURNED, Fate, LoadedDirection, LoadedStamps

_WORD = 1 << 32


@dataclass(frozen=True)
class DirectionSeen:
    """The counters and registers of a direction since the start of its stamps."""

    fates: Mapping[Fate, int]
    least: int
    greatest: int
    total: int
    histogram: Mapping[int, int] = field(default_factory=dict)  # by number of the bucket

    @property
    def sent(self) -> int:
        """Packets that left with a stamp."""
        return self.fates[Fate.SENT]

    @property
    def came_back(self) -> int:
        """Packets that came back in time, in whatever order."""
        return self.fates[Fate.RECEIVED] + self.fates[Fate.BEHIND]


NOTHING_SEEN = DirectionSeen(dict.fromkeys(Fate, 0), 0, 0, 0)


def read_stamps(
    session: SwitchSession, stamps: LoadedStamps, *, buckets: bool = True
) -> tuple[DirectionSeen, ...]:
    """The counters of stamps. What has come back is read first, so that it is no more than what was sent."""
    asked = [
        [
            *(each.fate(fate) for fate in RETURNED),
            each.register(EXTREMES),
            each.register(DELAY_SUM),
            *(each.fate(fate) for fate in DEPARTED),
        ]
        for each in stamps.directions
    ]
    found = [_seen(readings) for readings in session.read_each(asked)]
    if not buckets:
        return tuple(found)
    numbers = [between(each.least, each.greatest) for each in found]
    cells = [
        [direction.bucket(number) for number in wanted]
        for direction, wanted in zip(stamps.directions, numbers, strict=True)
    ]
    return tuple(
        DirectionSeen(
            each.fates,
            each.least,
            each.greatest,
            each.total,
            {n: _packets(reading) for n, reading in zip(wanted, readings, strict=True)},
        )
        for each, wanted, readings in zip(found, numbers, session.read_each(cells), strict=True)
    )


def direction_counters(
    direction: LoadedDirection, seen: DirectionSeen, *, last_sent_ns: int
) -> StampDirectionCounters:
    """The counters of a direction since its start.

    Args:
        direction: The direction.
        seen: What was read.
        last_sent_ns: When the driver first saw as many packets sent; 0 if none was.
    """
    fates, came_back = seen.fates, seen.came_back
    ascending = not fates[Fate.BEHIND] and not fates[Fate.LATE]
    return StampDirectionCounters(
        heading=direction.heading,
        sent=seen.sent,
        received=came_back,
        reordered=0 if ascending else None,
        late=fates[Fate.LATE],
        duplicated=0 if ascending else None,
        behind=fates[Fate.BEHIND],
        unstamped=fates[Fate.UNSTAMPED],
        unfit=fates[Fate.UNFIT],
        occupied=fates[Fate.OCCUPIED],
        no_room=fates[Fate.NO_ROOM],
        too_long=fates[Fate.TOO_LONG],
        last_sent_ns=last_sent_ns,
        delay=LatencyCounters(
            count=came_back,
            sum_ns=seen.total,
            min_ns=seen.least,
            max_ns=seen.greatest,
            buckets={index: count for index, count in by_index(seen.histogram).items() if count},
        )
        if came_back
        else LatencyCounters(),
    )


def _seen(readings: list[Reading]) -> DirectionSeen:
    returned = readings[: len(RETURNED)]
    extremes, total, *departed = readings[len(RETURNED) :]
    fates = (*zip(RETURNED, returned, strict=True), *zip(DEPARTED, departed, strict=True))
    return DirectionSeen(
        {fate: _packets(reading) for fate, reading in fates},
        min(_values(extremes, "least")),
        max(_values(extremes, "greatest")),
        sum(_values(total, "high")) * _WORD + sum(_values(total, "low")),
    )


def _packets(reading: Reading) -> int:
    return int(str(reading["$COUNTER_SPEC_PKTS"]))


def _values(reading: Reading, name: str) -> list[int]:
    """The values of each pipe, by the last part of a field's name."""
    found = next(value for whole, value in reading.items() if whole.rpartition(".")[2] == name)
    return list(map(int, found)) if isinstance(found, list | tuple) else [int(str(found))]
