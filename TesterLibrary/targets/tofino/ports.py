# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a switch as its chip numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import PlanError
from ...model.ports import Port
from ...planning.allocation import LoopbackPort


@dataclass(frozen=True)
class SwitchPorts:
    """Device ports: numbers of 9 bits, the pipeline in the upper two."""

    front: Mapping[str, int]  # by the name that the testbed gives a port
    loopback: Mapping[LoopbackPort, int]  # by their place in the plan
    cpu: int  # of packets to and from the driver
    known: Mapping[str, Port]  # the ports in front, for the planner

    def of(self, name: str) -> int:
        """A port in front. PlanError names those there are."""
        if name not in self.front:
            raise PlanError(f"the switch has no port {name!r}; it has {', '.join(self.front)}")
        return self.front[name]

    def loop(self, place: LoopbackPort) -> int:
        """A port that loops. PlanError if the testbed gives the switch fewer."""
        if place not in self.loopback:
            raise PlanError(
                f"loopback ports: {place} is needed, {len(self.loopback)} there; "
                "give the testbed more, or use fewer streams"
            )
        return self.loopback[place]
