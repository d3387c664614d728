# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of a `Target` that no program of a switch has, and queries, which a path has not."""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import PlanError
from ....model.heading import Heading
from ...base import LeaseHolder, LeaseTerms, StampRecords
from ...rules.paths import stamps_refused
from ...rules.queries import WithoutQueries


class WithoutFrames(WithoutQueries):
    """Each of these calls refuses, and names what it was asked for."""

    tester_kind = "a switch"

    def lease(self, terms: LeaseTerms) -> LeaseHolder | None:
        """See `Target`. Refused."""
        raise PlanError(
            f"no lease for {terms.owner!r}: a switch has none; its daemon takes one client and refuses every "
            "other. Leave out lease, owner and force"
        )

    def stamp_records(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:  # noqa: ARG002
        """See `Target`. It loads no stamps."""
        raise stamps_refused(name, self.tester_kind)
