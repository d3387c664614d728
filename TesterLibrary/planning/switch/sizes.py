# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a stream of several frame sizes to a switch, where a template has one: a stream for each size.

Each is evenly spaced, so that any whole number of periods has the frames of the stream's order. In between,
frames of two sizes may leave the other way round.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ...errors import PlanError
from ...model.plan.law import Steady
from ...model.plan.plan import PlannedStream


@dataclass(frozen=True)
class Turns:
    """Some of the ticks of a constant rate, in each period of it: a law."""

    tick: Fraction
    turns: tuple[int, ...]  # ticks of a period from 0 on; in order
    period: int

    total = None

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return self.tick * len(self.turns) / self.period

    def due(self, number: int) -> Fraction:
        """See Law. Frames are evenly spaced, although their turns may not be."""
        return self.turns[0] / self.tick + number / self.rate

    def count(self, elapsed_ns: int) -> int:
        """See Law: frames whose turn has come."""
        return self.among(Steady(self.tick).count(elapsed_ns))

    def among(self, ticks: int) -> int:
        """Frames of the first so many ticks."""
        periods, rest = divmod(ticks, self.period)
        return periods * len(self.turns) + bisect_left(self.turns, rest)


def by_size(stream: PlannedStream) -> Iterator[PlannedStream]:
    """The streams of its sizes. PlanError for what they cannot be together."""
    tick = _tick(stream)
    order = stream.order or tuple(range(len(stream.frames)))
    for index in sorted(set(order)):
        turns = tuple(place for place, one in enumerate(order) if one == index)
        yield replace(
            stream,
            frames=(stream.frames[index],),
            order=(),
            departures=replace(stream.departures, law=Turns(tick, turns, len(order))),
        )


def _tick(stream: PlannedStream) -> Fraction:
    law, sizes = stream.departures.law, f"stream {stream.name!r}: {len(stream.frames)} different frames"
    if not isinstance(law, Steady) or law.stages:
        raise PlanError(
            f"{sizes} that are not evenly spaced; on a switch each size is a template with a rate of its "
            "own, so use a stream for each size"
        )
    if not stream.signature:
        raise PlanError(
            f"{sizes} without a signature; a switch could not tell its templates apart where they arrive, "
            "so use a stream for each size, or a signature"
        )
    if stream.flows:
        raise PlanError(
            f"{sizes} whose flows are counted; on a switch each size goes through the flows by itself, so "
            "use a stream for each size, or leave Set Flow Counting out"
        )
    return law.tick
