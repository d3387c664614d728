# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The queues of a protocol's templates are compiled in, so one job at a time answers them."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import PlanError
from ....model.plan.planned_end import PlannedEnd
from .job import SwitchJob

_RESPONDER = "one responder with a range of servers, such as servers=192.0.2.1-192.0.2.2:80"
_CLIENTS = "one set of clients with a range of sources, such as sources=192.0.2.1-192.0.2.2:1024-65535"


def refuse_second(end: PlannedEnd, others: Sequence[SwitchJob]) -> None:
    """PlanError if a job that is loaded answers the queues of an end's protocol; it names both."""
    name = end.protocol.name
    for other in others:
        if name not in other.held.protocols:
            continue
        first = next(one.planned.name for one in other.ends if one.planned.protocol.name == name)
        who, does, instead = (
            ("responder", "answered", _RESPONDER) if end.opening is None else ("clients", "run", _CLIENTS)
        )
        job = "" if other.plan.job == first else f" of job {other.plan.job!r}"
        raise PlanError(
            f"{who} {end.name!r}: {name} is {does} by {who} {first!r}{job} already, and a protocol has one "
            f"job at a time in a switch; start {instead}, or stop {first!r} first"
        )
