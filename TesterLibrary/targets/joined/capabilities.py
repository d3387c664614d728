# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The capabilities of joined testers: those of a port are its tester's, others hold for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ...errors import TargetError
from ...measurement.counter import Counter
from ...measurement.delays.latency_error import PercentileError
from ..base import Capabilities
from .members import Members


def joined_capabilities(known: Mapping[str, Capabilities]) -> Capabilities:
    """The capabilities of all testers, from those of each by its name."""
    members = list(known.values())
    kinds = {member.target for member in members}
    versions = {member.version for member in members}
    return Capabilities(
        target=kinds.pop() if len(kinds) == 1 else "joined",
        version=versions.pop()
        if len(versions) == 1
        else ", ".join(f"{name} {member.target} {member.version}" for name, member in known.items()),
        ports=tuple(chain.from_iterable(member.ports for member in members)),
        max_streams=min(member.max_streams for member in members),  # each knows the streams of all
        max_ends=sum(member.max_ends for member in members),
        max_end_flows=sum(member.max_end_flows for member in members),
        details="; ".join(f"{name}: {member.details or member.target}" for name, member in known.items()),
        counts=frozenset[Counter].intersection(*(member.counts for member in members)),
        percentile_error=PercentileError.worst(member.percentile_error for member in members),
        time_step_ns=max(member.time_step_ns for member in members),
        max_paths=sum(member.max_paths for member in members),
        max_stamps=sum(member.max_stamps for member in members),
        matcher=members[0].matcher,
        planner=next((member.planner for member in members if member.planner), ""),
    )


def check_versions(members: Members) -> None:
    """Refuses testers that share streams and differ in their version.

    Raises:
        TargetError: two differ. Their signatures and counters may not mean the same.
    """
    versions = {
        member.name: member.target.capabilities().version for member in members if member.target.instants
    }
    if len(set(versions.values())) > 1:
        listed = ", ".join(f"{name!r} has {version}" for name, version in versions.items())
        raise TargetError(
            f"testers that share streams need one version of testerd: {listed}; install one version on all"
        )
