# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a stream is: frames that leave one port at an average rate and are expected on another."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .departures import Shaping
from .editor import Editor, FieldPath
from .headers import HeaderStack
from .payload import COUNTING, Payload
from .units import LINE_RATE, FrameSize, Rate


@dataclass(frozen=True)
class Stream:
    """A stream as its author wrote it; nothing is resolved yet."""

    name: str
    tx: str  # port names
    rx: str
    frame_size: FrameSize = FrameSize(64)
    rate: Rate = LINE_RATE
    headers: HeaderStack | None = None  # None: Ethernet, the IP version of its ports, and UDP
    payload: Payload = COUNTING
    shaping: Shaping | None = None  # how its frames are spaced around the rate; None: evenly
    editors: tuple[Editor, ...] = ()  # fields that change from frame to frame
    cascades: tuple[tuple[FieldPath, ...], ...] = ()  # in each, a field moves when the one before it wraps
    count_flows: bool = False  # each combination of the fields' values by itself

    def at(self, rate: Rate) -> Stream:
        """The same stream at another rate."""
        return replace(self, rate=rate)
