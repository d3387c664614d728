# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two senders and two receivers, one of which is offered more than its port carries (RFC 2889 §5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError
from .stream import Stream
from .units.units import FrameSize, Rate, RateUnit, Ratio

_IN_TURN = Fraction(1, 2)  # of a gap: the frames of one sender leave in turn


@dataclass(frozen=True)
class CongestedPorts:
    """The first sender sends to both receivers, the second one to the congested receiver alone."""

    first: str
    second: str
    uncongested: str
    congested: str

    of_first_sender = ("uncongested", "half congested")  # the names of its streams
    names = (*of_first_sender, "congested")

    @classmethod
    def of(cls, senders: Sequence[str], uncongested: str, congested: str) -> CongestedPorts:
        """The ports by their roles. PlanError unless there are two senders."""
        if len(senders) != 2:
            raise PlanError(f"senders={', '.join(senders) or 'none'}: give two ports, such as p1,p2")
        return cls(senders[0], senders[1], uncongested, congested)

    def __post_init__(self) -> None:
        ports = (self.first, self.second, self.uncongested, self.congested)
        if len(set(ports)) < len(ports):
            raise PlanError(f"congestion control needs four different ports; given were {', '.join(ports)}")

    def streams(self, frame_size: FrameSize, load: Ratio) -> tuple[Stream, Stream, Stream]:
        """A stream for each pair of sender and receiver, at this load of each sender."""
        uncongested, half, whole = self.names
        each, full = Rate(load.value / 2, RateUnit.LINE), Rate(load.value, RateUnit.LINE)
        return (
            Stream(uncongested, tx=self.first, rx=self.uncongested, frame_size=frame_size, rate=each),
            Stream(half, tx=self.first, rx=self.congested, frame_size=frame_size, rate=each, phase=_IN_TURN),
            Stream(whole, tx=self.second, rx=self.congested, frame_size=frame_size, rate=full),
        )
