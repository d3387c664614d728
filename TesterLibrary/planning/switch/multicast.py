# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups: the ports that a copy of a looping template packet leaves by (norma section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import PlanError

MOST_GROUPS = 0xFFFF  # a group has a number of 16 bits, and 0 is none


@dataclass(frozen=True)
class MulticastGroup:
    """A multicast group: a number and ports, by their names in the job."""

    number: int
    ports: tuple[str, ...]


class MulticastGroups:
    """Multicast groups, one for each set of ports, numbered from 1 in the order of the requests."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ...], int] = {}

    def number(self, ports: Iterable[str]) -> int:
        """The number of the group with these ports, in any order. PlanError: there are too many groups."""
        members = tuple(sorted(set(ports)))
        if not members:
            raise PlanError("a multicast group has no port; give it one or more")
        number = self._numbers.setdefault(members, len(self._numbers) + 1)
        if number > MOST_GROUPS:
            raise PlanError(
                f"multicast groups: {number:,} needed, {MOST_GROUPS:,} there; use fewer sets of ports"
            )
        return number

    def all(self) -> tuple[MulticastGroup, ...]:
        """All groups in the order of their numbers."""
        return tuple(MulticastGroup(number, ports) for ports, number in self._numbers.items())
