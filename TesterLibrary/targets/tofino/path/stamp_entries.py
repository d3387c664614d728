# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of stamps in a switch: what p4/controls/path_stamps.p4 matches and counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ....planning.switch.stamps import GROUPS, StampedDirection, SwitchStamps
from ..entries.entry import Masked, TableEntry, Value
from ..entries.latency import OTHERS, bucket_entries, scale
from ..session.switch import Asked
from .path_entries import EGRESS

_CONTROL = "PathEgress.stamps"
_STAMPS = f"{EGRESS}.stamps"
STAMP_PORTS = f"{_STAMPS}.ports"
STAMP_WATCHES = f"{_STAMPS}.watches.watches"
FATES = f"{_STAMPS}.fates"
SPANS = f"{_STAMPS}.order.spans"
NEWEST = f"{_STAMPS}.order.newest"
EXTREMES = f"{_STAMPS}.delays.extremes"
DELAY_SUM = f"{_STAMPS}.delays.sum.total"
BUCKETS = f"{_STAMPS}.delays.buckets"
HISTOGRAM = f"{_STAMPS}.delays.histogram"
_FATE_BITS, _BUCKET_BITS = 4, 8
_LONGEST = (1 << 32) - 1
_PACKETS = {"$COUNTER_SPEC_PKTS": 0}
_NAMES = ("forward", "backward")


class Fate(IntEnum):
    """The fate of a packet, by the number that the program counts it under."""

    SENT = 1
    RECEIVED = 2
    BEHIND = 3  # received after one that was sent later, or once more
    LATE = 4
    UNSTAMPED = 5
    UNFIT = 6
    OCCUPIED = 7
    NO_ROOM = 8
    TOO_LONG = 9


# Fates of packets that come from the device, and of those that leave to it.
RETURNED = (Fate.RECEIVED, Fate.BEHIND, Fate.LATE, Fate.UNSTAMPED)
DEPARTED = (Fate.SENT, Fate.UNFIT, Fate.OCCUPIED, Fate.NO_ROOM, Fate.TOO_LONG)


@dataclass(frozen=True)
class LoadedDirection:
    """A direction of stamps, and its place in the switch."""

    direction: StampedDirection
    number: int
    to_device: int  # device ports
    from_device: int

    @property
    def heading(self) -> str:
        """The name of the direction."""
        return _NAMES[self.direction.heading]

    @property
    def mark(self) -> int:
        """The number in its stamps: another direction knows by it that they are none of its own."""
        return self.number + 1

    def fate(self, fate: Fate) -> Asked:
        """The counter of a fate."""
        return Asked(FATES, {"$COUNTER_INDEX": self.number << _FATE_BITS | fate})

    def register(self, table: str) -> Asked:
        """The cell of a register."""
        return Asked(table, {"$REGISTER_INDEX": self.number})

    def bucket(self, number: int) -> Asked:
        """The counter of a bucket of the histogram."""
        return Asked(HISTOGRAM, {"$COUNTER_INDEX": self.number << _BUCKET_BITS | number})


@dataclass(frozen=True)
class LoadedStamps:
    """Stamps in a switch, ready to be written."""

    stamps: SwitchStamps
    directions: tuple[LoadedDirection, ...]

    @property
    def watches(self) -> tuple[TableEntry, ...]:
        """The entries of packets that they look at, on their way to the device and behind it."""
        bits: dict[str, Value] = {name: Masked(*each) for name, each in self.stamps.watch.items()}
        return tuple(
            _entry(
                STAMP_WATCHES,
                {"$MATCH_PRIORITY": 0, "egress_port": Masked(port, 0x1FF), **bits},
                "watches.see",
                {},
            )
            for direction in self.directions
            for port in (direction.to_device, direction.from_device)
        )

    @property
    def stamping(self) -> tuple[TableEntry, ...]:
        """The entries that put stamps into packets."""
        return tuple(
            _entry(
                STAMP_PORTS,
                {"egress_port": each.to_device},
                "to_device",
                {"own": each.number, "longest": each.direction.longest, "mark": each.mark},
            )
            for each in self.directions
        )

    @property
    def knowing(self) -> tuple[TableEntry, ...]:
        """The entries that know packets again."""
        limit = self.stamps.planned.timeout_ns
        return tuple(
            _entry(
                STAMP_PORTS,
                {"egress_port": each.from_device},
                "from_device",
                {"own": each.number, "limit": limit, "mark": each.mark},
            )
            for each in self.directions
        )

    def resets(self, *, alone: bool) -> Iterator[TableEntry]:
        """The entries that set its counters and registers as they were before its first packet.

        `alone`: nobody else has a histogram, so that it was cleared as a whole.
        """
        for each in self.directions:
            for fate in Fate:
                yield _number(each.fate(fate), _PACKETS)
            for table, data in (
                (SPANS, {"latest": 0, "begun": 0}),
                (NEWEST, {"low": 0, "high": 0}),
                (EXTREMES, {"least": _LONGEST, "greatest": 0}),
                (DELAY_SUM, {"low": 0, "high": 0}),
            ):
                own = table.partition(".")[2]
                yield _number(
                    each.register(table), {f"{own}.{field}": value for field, value in data.items()}
                )
            if not alone:
                for number in (*(bucket.number for bucket in scale()), OTHERS):
                    yield _number(each.bucket(number), _PACKETS)


def scale_entries() -> tuple[TableEntry, ...]:
    """The scale of delays, which all stamps share."""
    return tuple(bucket_entries("path", f"{_CONTROL}.delays", "delay"))


def free_numbers(taken: Collection[int], count: int) -> list[int]:
    """So many numbers of directions that nobody has."""
    return [number for number in range(2 * GROUPS) if number not in taken][:count]


def _entry(table: str, key: dict[str, Value], action: str, data: dict[str, Value]) -> TableEntry:
    return TableEntry(table, key, f"{_CONTROL}.{action}", data)


def _number(asked: Asked, data: dict[str, int]) -> TableEntry:
    return TableEntry(asked.table, asked.key, data=data)
