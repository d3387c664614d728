# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders, clients and triggers that a tester refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import PlanError
from ...model.plan.plan import Plan
from ..base import PortInfo
from .refusal import known_port


def check_ends(
    plan: Plan, loaded: Iterable[Plan], ports: Mapping[str, PortInfo], most: int, most_flows: int
) -> None:
    """Raises PlanError if the ends of a plan cannot be loaded beside those that are."""
    others = [end for other in loaded for end in other.ends]
    for end in plan.ends:
        known_port(end.port, ports)
    for what, given, taken, limit in (
        ("responders and clients", len(plan.ends), len(others), most),
        (
            "flows at once",
            sum(end.flow_capacity for end in plan.ends),
            sum(end.flow_capacity for end in others),
            most_flows,
        ),
    ):
        if given + taken > limit:
            raise PlanError(
                f"job {plan.job!r} has {given:,} {what}; of {limit:,} that the tester holds "
                f"{limit - taken:,} are free"
            )


def refuse_triggers(plan: Plan, tester: str) -> None:
    """Raises PlanError if a plan has a trigger. `tester` is its kind with its article: `a switch`."""
    for end in plan.ends:
        if end.is_trigger:
            raise PlanError(
                f"trigger {end.name!r}: {tester} sends nothing because a packet has arrived, but for its "
                "responders; use a testerd"
            )
