# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of testers that did not answer when they had to unload them, and which may still be sending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ...errors import PlanError, TargetError
from ..parts import JobGone
from .members import Member, Members


class LeftoverJobs:
    """Unloads jobs, and keeps those of testers that do not answer."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._jobs: dict[str, list[str]] = {}  # by the names of testers

    def add(self, jobs: Mapping[str, Sequence[str]]) -> None:
        """Keeps jobs that may be loaded, by the names of their testers."""
        for name, names in jobs.items():
            self._jobs.setdefault(name, []).extend(names)

    def unload(self, jobs: Mapping[str, Sequence[str]]) -> None:
        """Unloads jobs, by the names of their testers.

        Raises:
            TargetError: a tester does not answer. Its jobs are kept.
            PlanError: a tester refuses to unload a job.
        """

        def unload(member: Member) -> None:
            try:
                member.target.unload(jobs[member.name])
            except TargetError:
                self.add({member.name: jobs[member.name]})
                raise

        self._members.each(unload, [member for member in self._members if jobs.get(member.name)])

    def clear(self) -> None:
        """Unloads the jobs that are kept. TargetError if a tester still does not answer."""
        self._members.each(self._clear, [member for member in self._members if member.name in self._jobs])

    def _clear(self, member: Member) -> None:
        for job in self._jobs[member.name]:
            with suppress(PlanError, JobGone):  # it was not loaded, or is not any more
                member.target.unload([job])
        del self._jobs[member.name]
