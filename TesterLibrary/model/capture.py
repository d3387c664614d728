# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures as users ask for them. Mirrors `capture.proto`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Direction(Enum):
    """Direction of frames, as the tester sees it."""

    BOTH = "DIRECTION_BOTH"
    TRANSMITTED = "DIRECTION_TRANSMITTED"
    RECEIVED = "DIRECTION_RECEIVED"


class Keep(Enum):
    """The frames that a capture keeps when there are more than it may keep."""

    FIRST = "KEEP_FIRST"  # it is complete when it has all of them
    LAST = "KEEP_LAST"


@dataclass(frozen=True)
class TracedPath:
    """The frames of a path, each once, as it arrived."""

    job: str
    path: str
    every: int = 1  # frames whose number is a multiple of it


@dataclass(frozen=True)
class Capture:
    """Copies of frames as they leave and arrive, beside the measurement."""

    name: str
    ports: tuple[str, ...] = ()  # empty: all
    direction: Direction = Direction.BOTH
    filter: str = ""  # pcap-filter(7); empty: every frame
    streams: tuple[str, ...] = ()  # by name, loaded now or later; empty: every frame, of a stream or not
    keep: Keep = Keep.FIRST
    frames: int = 100_000
    snap_length: int = 0  # bytes of each frame, from its begin; 0: all
    traced: TracedPath | None = None  # of a path, and then nothing of the above but frames
