# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that a switch has a fixed amount of, and that jobs share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import PlanError
from ...planning.switch.resources import FLOWS
from .classifier import FlowRange


class Numbers:
    """The numbers of one kind; the lowest free number is given first."""

    def __init__(self, what: str, count: int, taken: Iterable[int]) -> None:
        """`taken`: the numbers of other jobs."""
        self._what, self._count = what, count
        self._taken = set(taken)
        self.given: list[int] = []

    def next(self) -> int:
        """A free number. PlanError if there is none."""
        found = next((number for number in range(self._count) if number not in self._taken), None)
        if found is None:
            raise PlanError(
                f"{self._what}: {self._count + 1:,} needed, {self._count:,} there, other jobs' included; "
                "unload a job, or use fewer streams and responders"
            )
        self._taken.add(found)
        self.given.append(found)
        return found


def free_range(flows: int, taken: Sequence[FlowRange]) -> FlowRange:
    """Numbers for the flows of an end, apart from those that are taken. PlanError if there are too few."""
    bits = FlowRange.bits_for(flows)
    size = 1 << bits
    for first in range(0, FLOWS - size + 1, size):
        if all(
            first + size <= flow_range.first or flow_range.first + (1 << flow_range.bits) <= first
            for flow_range in taken
        ):
            return FlowRange(first, bits)
    used = sum(1 << flow_range.bits for flow_range in taken)
    raise PlanError(
        f"flows: {size:,} needed side by side, {FLOWS - used:,} of {FLOWS:,} there; "
        "give responders a smaller flows="
    )
