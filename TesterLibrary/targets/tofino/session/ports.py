# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The device ports of a switch, as its chip numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....errors import PlanError
from ....model.ports import Port
from ....planning.switch.allocation import LoopbackPort


@dataclass(frozen=True)
class SwitchPorts:
    """Device ports: numbers of 9 bits, the pipeline in the upper two."""

    front: Mapping[str, int]  # by the name that the testbed gives a port
    loopback: Mapping[LoopbackPort, int]  # by their place in the plan
    cpu: int  # the port of packets to and from the driver
    known: Mapping[str, Port]  # the front-panel ports, for the planner

    def of(self, name: str) -> int:
        """A front-panel port. PlanError names those there are."""
        if name not in self.front:
            raise PlanError(f"the switch has no port {name!r}; it has {', '.join(self.front)}")
        return self.front[name]

    def loop(self, place: LoopbackPort) -> int:
        """A loopback port. PlanError if the testbed gives the switch fewer."""
        if place not in self.loopback:
            raise PlanError(
                f"loopback ports: {place} is needed, {len(self.loopback)} there; "
                "give the testbed more, or use fewer streams"
            )
        return self.loopback[place]
