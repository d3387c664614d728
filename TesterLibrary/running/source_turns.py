# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The source with which clients begin: a server may still have connections from those that were used last."""

from __future__ import annotations

from collections.abc import Hashable
from zlib import crc32

from ..model.plan.planned_end import PlannedEnd
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

    def first(self, end: PlannedEnd) -> int:
        """The flow with which clients begin that do not say so themselves."""
        assert end.opening is not None
        key = _key(end)
        if key not in self._next:
            return splitmix64(self._seed, crc32(repr(key).encode())) % end.opening.flows
        return self._next[key]

    def used(self, end: PlannedEnd, openings: int) -> None:
        """Notes that clients have opened so many flows since their start."""
        assert end.opening is not None
        self._next[_key(end)] = (end.opening.first_flow + openings) % end.opening.flows


def _key(end: PlannedEnd) -> Hashable:
    assert end.opening is not None
    return end.port, end.vlan, end.opening.flows, end.opening.addresses
