# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers `start_after` to a switch, which starts all streams at once: the last unit skips frames first."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, prod

from ...errors import PlanError
from ...model.plan import PlannedStream
from ...model.units import Duration
from .resources import PASS_SKIP_UNITS, TICK_BITS
from .staging import Staging

MOST = 1 << TICK_BITS - 1  # frames; the unit has as many left until it would skip again, unless it is told
_NEAR = Fraction(1, 20)  # of a delay, by which the planned one may be off


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
        fitting = [f"{Duration(round(number * each_ns))}" for number in (floor(asked), ceil(asked)) if number]
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
