# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a protocol's table for a tester, and refuses what the tester cannot hold, by resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from typing import Protocol as Interface

from ..model.protocol import Protocol
from .engine.table import flat_table
from .switch.match_action import match_action


class ProtocolPlan(Interface):
    """Data for one target."""

    def record(self) -> dict[str, Any]:
        """All of it, as it is written to JSON."""

    def summary(self) -> str:
        """A summary for people."""


_LOWERINGS: Mapping[str, Callable[[Protocol, Mapping[str, int]], ProtocolPlan]] = {
    "engine": lambda protocol, _: flat_table(protocol),  # its parameters stay registers
    "tofino": match_action,
}
TARGETS = tuple(_LOWERINGS)


def lower(protocol: Protocol, target: str, parameters: Mapping[str, int] | None = None) -> ProtocolPlan:
    """Lowers a checked protocol for one of TARGETS, with the values that a job sets for its parameters.

    Raises:
        PlanError: naming each resource of the target that is exceeded, by how much, and what to change.
    """
    return _LOWERINGS[target](protocol, parameters or {})
