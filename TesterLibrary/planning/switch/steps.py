# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a step of the rate to a switch, where a template has one rate: a stream for each of the two.

The first one sends its exact number of frames. The second one waits, as one that begins later does, until the
last frame of the first one has left (`start_delay.begins`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from ...errors import PlanError
from ...model.departures import Shape
from ...model.plan.law import Profile, Steady
from ...model.plan.plan import PlannedStream


@dataclass(frozen=True)
class Level:
    """Evenly spaced frames of a stream, after those of another rate: a law."""

    tick: Fraction
    total: int
    before: int  # frames of the stream that leave before its first one

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return self.tick

    def due(self, number: int) -> Fraction:
        """See Law."""
        return number / self.tick

    def count(self, elapsed_ns: int) -> int:
        """See Law."""
        return min(self.total, Steady(self.tick).count(elapsed_ns))

    def among(self, packets: int) -> int:
        """Its frames of the first so many of the stream."""
        return min(max(0, packets - self.before), self.total)


def is_level(stream: PlannedStream) -> bool:
    """Whether it is one rate of a step."""
    return isinstance(stream.departures.law, Level)


def by_step(stream: PlannedStream) -> Iterator[PlannedStream]:
    """The streams of its two rates; the first one alone where the second one is 0.

    PlanError for other rates that change, and for what the two cannot be together.
    """
    law = stream.departures.law
    assert isinstance(law, Profile)
    _check(stream, law)
    begins_ns = accumulate((stretch.duration_ns for stretch in law.stretches), initial=0)
    before = accumulate((stretch.packets for stretch in law.stretches), initial=0)
    for stretch, begin_ns, frames in zip(law.stretches, begins_ns, before, strict=False):
        if stretch.packets:
            level = Level(Fraction(stretch.packets, stretch.duration_ns), stretch.packets, frames)
            offset_ns = stream.departures.offset_ns + begin_ns
            departures = replace(stream.departures, law=level, offset_ns=offset_ns)
            yield replace(stream, departures=departures)


def _check(stream: PlannedStream, law: Profile) -> None:
    name = f"stream {stream.name!r}"
    if law.shape != Shape.STEP.value:
        raise PlanError(
            f"{name}: its rate is a {law.shape or 'profile'}, {law}; of rates that change a switch sends a "
            "step only, from a high rate to a low one, once: give step, or use a testerd"
        )
    if not law.stretches[0].packets:
        raise PlanError(f"{name}: not one whole frame is due before its step; give a longer time, or more")
    if len(stream.frames) > 1:
        raise PlanError(
            f"{name}: a step with {len(stream.frames)} different frames; on a switch each rate is a template "
            "of one size, so give one frame size, or use a testerd"
        )
    if not stream.signature:
        raise PlanError(
            f"{name}: a step without a signature; a switch could not tell its two templates apart where they "
            "arrive, so use a signature, or a testerd"
        )
    if stream.flows:
        raise PlanError(
            f"{name}: a step whose flows are counted; on a switch each rate goes through the flows by "
            "itself, so leave Set Flow Counting out, or use a testerd"
        )
