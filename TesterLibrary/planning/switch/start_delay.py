# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers later begins to a switch, which starts all streams at once: the last unit skips frames first.

A stream begins later by its `start_after`, or as the second rate of a step, when the first one is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod

from ...errors import PlanError
from ...model.plan.plan import PlannedStream
from ...model.units.units import Duration, duration_text
from .parts import named, whole
from .resources import PASS_SKIP_UNITS, TICK_BITS
from .staging import Staging
from .steps import is_level

MOST = 1 << TICK_BITS - 1  # frames; the unit has as many left until it would skip again, unless it is told
_NEAR = Fraction(1, 20)  # of a delay, by which the planned one may be off


@dataclass(frozen=True)
class Begin:
    """When a stream of a switch begins."""

    delay: int = 0  # frames at its rate after the start
    pause_ns: Fraction | None = None  # since the first rate of a step was over; None: it is no second one
    within_ns: Fraction = Fraction(0)  # by how much the pause may be off, besides the lateness of its frames


AT_ONCE = Begin()


def begins(streams: Sequence[PlannedStream], stagings: Sequence[Staging]) -> Iterator[Begin]:
    """The begin of each stream of a switch, in their order. PlanError as of `start_delay`."""
    first: dict[int, tuple[Staging, int]] = {}  # rates of steps, and the number of their last frame
    for stream, staging in zip(streams, stagings, strict=True):
        id_, total = whole(stream.id), stream.departures.total
        if id_ in first:
            yield _after(*first[id_], stream, staging)
            continue
        begin = Begin(start_delay(stream, staging))
        if is_level(stream) and total:
            first[id_] = staging, begin.delay + total - 1
        yield begin


def _after(before: Staging, last: int, stream: PlannedStream, staging: Staging) -> Begin:
    """The begin of the second rate: when the next frame of the first one would be due, or soon after that."""
    tick_ns, last_ns = 10**9 / before.meter_rate, before.leaves_ns(last)
    over_ns = last_ns + 10**9 / before.rate
    delay = staging.departures(ceil(max(over_ns, last_ns + tick_ns) * staging.meter_rate / 10**9))
    if delay > MOST:
        raise PlanError(
            f"stream {named(stream)!r}: its rate changes {Duration(stream.departures.offset_ns)} after the "
            f"start, which is {delay:,} frames at its second rate; a switch waits for {MOST:,} at most: "
            f"change it after {Duration(floor(staging.leaves_ns(MOST)))}, or give larger frames"
        )
    return Begin(delay, staging.leaves_ns(delay) - over_ns, tick_ns)


def start_delay(stream: PlannedStream, staging: Staging) -> int:
    """The frames that a stream's last unit skips before the first one departs.

    They are whole bursts of its pattern, so the first burst is a whole one, too.

    Raises:
        PlanError: a pattern that leaves no unit, a time that is far from whole frames, or too long.
    """
    offset_ns = stream.departures.offset_ns - round(stream.departures.phase_ns)
    if not offset_ns:
        return 0
    pattern = staging.stages[1:]
    if len(staging.stages) >= PASS_SKIP_UNITS:
        raise PlanError(
            f"stream {stream.name!r}: a switch waits with the unit that its pattern of {len(pattern)} stages "
            "needs; take a pattern of one, or leave start_after= out"
        )
    burst = prod(stage.passes for stage in pattern)
    each_ns = burst * 10**9 / staging.rate
    asked = offset_ns / each_ns
    planned = round(asked)
    if abs(planned - asked) > _NEAR * asked:
        fitting = [duration_text(number * each_ns) for number in (floor(asked), ceil(asked)) if number]
        what = f"bursts of {burst:,} frames" if burst > 1 else "frames"
        raise PlanError(
            f"stream {stream.name!r}: start_after={Duration(offset_ns)} is {float(asked):.3g} {what} at its "
            f"rate; a switch waits for whole ones: give {' or '.join(fitting)}, or leave start_after= out"
        )
    if planned * burst > MOST:
        raise PlanError(
            f"stream {stream.name!r}: start_after={Duration(offset_ns)} is {planned * burst:,} frames at its "
            f"rate; a switch waits for {MOST:,} at most: give {Duration(floor(MOST // burst * each_ns))}"
        )
    return planned * burst
