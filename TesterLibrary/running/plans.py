# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of jobs, those of streams kept until the streams change, or something else that a plan depends on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ..model.job import Job
from ..model.plan.plan import Plan
from ..model.ports import Forwarding, Port
from ..model.stream import Stream
from ..planning.compile import compile as compile_job
from ..planning.responder import Neighbours
from ..targets.base import Capabilities

_KEPT = 8  # the last ones: those of streams that are described, measured and changed


class PlanConditions(Protocol):
    """All that a plan depends on, besides its job."""

    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]
    capabilities: Capabilities
    seed: int
    forwarding: Forwarding


class Plans:
    """Plans for one tester."""

    def __init__(self, conditions: PlanConditions) -> None:
        self._conditions = conditions
        self._plans: deque[tuple[tuple[object, ...], Plan]] = deque(maxlen=_KEPT)

    def of_streams(self, streams: Sequence[Stream], first_id: int) -> Plan:
        """The plan of streams with these ids; its job has no name of its own. Raises PlanError."""
        conditions = self._conditions
        tables = dict(conditions.ports), dict(conditions.gateways)
        limits = conditions.seed, conditions.forwarding, conditions.capabilities.max_streams
        key = (first_id, *limits, *tables, *streams)
        for kept in self._plans:
            if kept[0] == key:
                self._plans.remove(kept)
                break
        else:
            kept = key, self.of_job(Job("streams", tuple(streams), conditions.seed), first_id=first_id)
        self._plans.append(kept)
        return kept[1]

    def of_job(
        self,
        job: Job,
        *,
        first_id: int = 1,
        neighbours: Neighbours | None = None,
        beside: Iterable[Plan] = (),
    ) -> Plan:
        """The plan of a job; the arguments are those of `compile`. Raises PlanError."""
        conditions = self._conditions
        return compile_job(
            job,
            ports=conditions.ports,
            gateways=conditions.gateways,
            max_streams=conditions.capabilities.max_streams,
            first_id=first_id,
            neighbours=neighbours,
            beside=beside,
            forwarding=conditions.forwarding,
        )
