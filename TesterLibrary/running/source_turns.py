# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The source with which clients begin: a server may still have connections from those that were used last."""

from __future__ import annotations

from collections.abc import Hashable
from zlib import crc32

from ..model.plan.planned_end import Opening, PlannedEnd
from ..model.units.splitmix import splitmix64


class SourceTurns:
    """For each set of sources and targets, the number of the flow that is opened next.

    The first start of a set begins anywhere among its flows (as RFC 6056 §3.3 has it, so that a run does not
    repeat the connections of the run before it), each later one where the last one left off.
    """

    def __init__(self, seed: int) -> None:
        """All first places follow from the seed."""
        self._seed = seed
        self._next: dict[Hashable, int] = {}

    def first(self, end: PlannedEnd, opening: Opening) -> int:
        """The flow with which clients begin that do not say so themselves."""
        key = _key(end, opening)
        if key not in self._next:
            return splitmix64(self._seed, crc32(repr(key).encode())) % opening.flows
        return self._next[key]

    def used(self, end: PlannedEnd, opening: Opening, openings: int) -> None:
        """Notes that clients have opened so many flows since their start."""
        self._next[_key(end, opening)] = (opening.first_flow + openings) % opening.flows


def _key(end: PlannedEnd, opening: Opening) -> Hashable:
    """All ends with these sources and targets."""
    return end.port, end.vlan, opening.flows, opening.addresses
