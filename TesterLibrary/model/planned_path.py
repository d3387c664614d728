# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths after planning: bytes and numbers. Mirrors `inline.proto`."""

from __future__ import annotations

from dataclasses import dataclass

from .inline import Heading, PacketAction
from .match import Match


@dataclass(frozen=True)
class PlannedRatio:
    """A part of packets at random: those whose random number is below the threshold, of 2^64."""

    seed: int
    threshold: int


@dataclass(frozen=True)
class PlannedEvent:
    """An event, ready for any target that forwards."""

    name: str  # unique in the path
    action: PacketAction
    watch: int  # index in `PlannedPath.watches`
    heading: Heading
    flow: int  # 0: all frames of the watch
    data_only: bool
    number: int = 0  # 0: not by number
    iteration: int = 0  # 0 where it is not by number
    every: int = 0  # 0: not by a count
    ratio: PlannedRatio | None = None


@dataclass(frozen=True)
class PlannedPath:
    """A path, ready for any target that forwards."""

    name: str
    first_port: str
    second_port: str
    watches: tuple[tuple[Match, ...], ...] = ()  # an empty one: all frames
    events: tuple[PlannedEvent, ...] = ()
