# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths after planning: bytes and numbers. Mirrors `inline.proto`."""

from __future__ import annotations

from dataclasses import dataclass

from ..heading import Heading, OrderPolicy, StationAddress
from ..impairment import Shaping
from ..inline import (
    Blackhole,
    Corrupt,
    Delay,
    Drop,
    Duplicate,
    LinkDown,
    Mark,
    Part,
    Reorder,
    Reset,
    Truncate,
)
from .match import Match


@dataclass(frozen=True)
class PlannedRatio:
    """A part of packets at random: those whose random number is below the threshold, of 2^64."""

    seed: int
    threshold: int


@dataclass(frozen=True)
class PlannedRewrite:
    """Bits of a packet that are set: those under the mask, to those of the value."""

    part: Part
    offset: int  # of the mask in the part, in bytes
    mask: bytes
    value: bytes
    ip_version: int = 0  # 0: either, or none
    protocol: int = 0  # of IP; 0: any
    repair: bool = True  # checksums follow


PlannedAction = (
    Drop
    | Mark
    | Corrupt
    | Duplicate
    | Truncate
    | Delay
    | Reorder
    | PlannedRewrite
    | Blackhole
    | LinkDown
    | Reset
)


@dataclass(frozen=True)
class PlannedCarried:
    """The packet with a sequence number, or a byte of the data of its direction."""

    sequence: int
    from_start: bool


@dataclass(frozen=True)
class PlannedEvent:
    """An event, ready for any target that forwards."""

    name: str  # unique in the path
    action: PlannedAction
    watch: int  # index in `PlannedPath.watches`
    heading: Heading
    flow: int  # 0: all frames of the watch
    data_only: bool
    number: int = 0  # 0: not by number
    iteration: int = 0  # 0 where it is of no single packet
    every: int = 0  # 0: not by a count
    ratio: PlannedRatio | None = None
    carried: PlannedCarried | None = None
    pattern: bytes = b""  # 0 or 1 for one packet after the other, again and again; none: not by that


@dataclass(frozen=True)
class PlannedGilbertElliott:
    """Loss in two states; probabilities are of 2^64, and 2^64 - 1 is always."""

    seed: int
    to_bad: int
    to_good: int
    loss_in_good: int
    loss_in_bad: int


@dataclass(frozen=True)
class PlannedDelay:
    """Delays by their quantiles, at equal steps of probability from 0 to 1."""

    seed: int
    quantiles_ns: tuple[int, ...]
    order: OrderPolicy
    correlation: float = 0


@dataclass(frozen=True)
class PlannedImpairment:
    """The impairment of all packets of one direction."""

    heading: Heading
    loss: PlannedRatio | PlannedGilbertElliott | None = None
    shaping: Shaping | None = None
    delay: PlannedDelay | None = None


@dataclass(frozen=True)
class PlannedPath:
    """A path, ready for any target that forwards."""

    name: str
    first_port: str
    second_port: str
    watches: tuple[tuple[Match, ...], ...] = ()  # an empty one: all frames
    events: tuple[PlannedEvent, ...] = ()
    impairments: tuple[PlannedImpairment, ...] = ()
    hold_bytes: int = 16 << 20  # memory for packets that are held, of each direction
    beside: tuple[str, ...] = ()  # more ports of the first end
    known_by: StationAddress = StationAddress.MAC  # those of the first end
