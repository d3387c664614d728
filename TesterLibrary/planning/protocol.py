# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A protocol's table as what a tester is given of it; what the tester cannot hold is refused, by resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from typing import Protocol as Interface

from ..model.protocol import Protocol
from .flat_table import flat_table
from .match_action import match_action


class ProtocolPlan(Interface):
    """Data for one target."""

    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it."""

    def summary(self) -> str:
        """For people."""


_LOWERINGS: Mapping[str, Callable[[Protocol, Mapping[str, int]], ProtocolPlan]] = {
    "engine": lambda protocol, _: flat_table(protocol),  # its parameters stay registers
    "tofino": match_action,
}
TARGETS = tuple(_LOWERINGS)


def lower(protocol: Protocol, target: str, parameters: Mapping[str, int] | None = None) -> ProtocolPlan:
    """A checked protocol for one of TARGETS, with what a job sets its parameters to.

    Raises:
        PlanError: naming each resource of the target that is exceeded, by how much, and what to change.
    """
    return _LOWERINGS[target](protocol, parameters or {})
