# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job that is loaded at several testers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...model.plan.plan import Plan, PlannedStream
from .split import StreamEnds


@dataclass(frozen=True)
class LoadedJob:
    """The plan of a job, its parts by the names of testers, and the ends of its streams by their ids."""

    plan: Plan
    parts: Mapping[str, Plan]
    ends: Mapping[int, StreamEnds]

    def updated(self, stream: PlannedStream) -> LoadedJob:
        """The job with another stream in place of the one with its id."""
        streams = tuple(stream if s.id == stream.id else s for s in self.plan.streams)
        return replace(self, plan=replace(self.plan, streams=streams))
