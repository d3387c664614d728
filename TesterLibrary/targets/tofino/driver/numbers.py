# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that a switch has a fixed amount of, and that jobs share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....errors import PlanError
from ....planning.switch.resources import EXPECTING_FLOWS, FLOWS
from ..entries.classifier import FlowRange


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


def free_range(flows: int, taken: Sequence[FlowRange], most: int = FLOWS) -> FlowRange:
    """Numbers below `most` for the flows of an end, apart from those that are taken.

    The low ones, which alone can have a sequence number, are given last to those that need none.

    Raises:
        PlanError: there are too few.
    """
    bits = FlowRange.bits_for(flows)
    size = 1 << bits
    low = EXPECTING_FLOWS if most > EXPECTING_FLOWS else 0
    places = range(0, most - size + 1, size)
    for first in sorted(places, key=lambda place: place < low):
        if all(
            first + size <= flow_range.first or flow_range.first + (1 << flow_range.bits) <= first
            for flow_range in taken
        ):
            return FlowRange(first, bits)
    used = sum(1 << flow_range.bits for flow_range in taken if flow_range.first < most)
    raise PlanError(
        f"flows: {size:,} needed side by side, {most - used:,} of {most:,} there; "
        "give responders a smaller flows="
    )
