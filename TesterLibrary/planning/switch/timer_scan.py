# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The looks of a switch at the flows of clients whose table has a timer: each flow in turn (see timers.py).

A look is like a start of the flow, in a VLAN that no frame has, and comes by the same port that recirculates.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...errors import PlanError
from ...model.plan.planned_end import PlannedEnd
from .allocation import LoopbackPorts
from .starts import PlacedStarts, check_turns, paced, starts
from .timers import timer_of, timer_values

LOOK_VLAN = 0xFFF  # reserved (IEEE 802.1Q table 9-2)
_ADDRESSES, _TAG = 12, b"\x81\x00" + LOOK_VLAN.to_bytes(2, "big")
_US = 10**6


def placed_looks(end: PlannedEnd, chip: LoopbackPorts, edited_fields: int) -> PlacedStarts | None:
    """The looks at the flows of clients, not placed yet; None if their table has no timer.

    Raises:
        PlanError: a timer that a switch does not keep, or as `placed_starts`.
    """
    timer = timer_of(end.protocol)
    if timer is None:
        return None
    found = starts(end, edited_fields)
    sources = found.hosts.count * found.ports.count
    for target in found.target:
        if sources % target.count:
            raise PlanError(
                f"{end.name!r}: timer {timer}: {sources:,} sources, and {target.count:,} values of "
                f"{target.field}: a switch looks at each source in turn, and in the next turn it would look "
                f"for it at another target; take a multiple of {target.count:,} as connections=, or one "
                "target="
            )
    pps = Fraction(sources * _US, _wait(end, timer))
    check_turns(end, pps, sources, "looks")
    untagged = found.frame[_ADDRESSES + (0 if end.vlan is None else len(_TAG)) :]
    looks = replace(found, frame=found.frame[:_ADDRESSES] + _TAG + untagged, most=None)
    return paced(end, looks, pps, timer, chip)


def _wait(end: PlannedEnd, timer: str) -> int:
    """The time of a turn, in microseconds."""
    numbers = {parameter.name: parameter.default for parameter in end.protocol.parameters} | dict(
        end.parameters
    )
    wait = next(iter(timer_values(end.protocol))).with_constants(numbers).constant
    if wait is None or wait < 1:
        raise PlanError(
            f"{end.name!r}: timer {timer}: {wait or 0} us; on a switch it waits for 1 us at least"
        )
    return wait
