# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths, which a tester refuses that does not forward the frames of others."""

from __future__ import annotations

from ...errors import PlanError
from ...model.capture import Capture
from ...model.plan.plan import Plan


def refuse_trace(capture: Capture, tester: str, instead: str = "use a testerd") -> None:
    """Raises PlanError if a capture is the trace of a path. `tester` and `instead` as below."""
    if capture.traced:
        raise PlanError(
            f"{capture.name}: {tester} does not forward frames between its ports, so there is no path to "
            f"trace; {instead}"
        )


def refuse_paths(plan: Plan, tester: str, instead: str = "use a testerd") -> None:
    """Raises PlanError if a plan has a path, or stamps.

    Args:
        plan: The plan.
        tester: The kind of the tester with its article: `a switch`.
        instead: What to do about a path.
    """
    for path in plan.paths:
        raise PlanError(
            f"path {path.name!r}: {tester} does not forward frames between its ports, so it has no paths; "
            f"{instead}"
        )
    for stamps in plan.stamps:
        raise PlanError(
            f"stamps {stamps.name!r}: {tester} does not forward frames between its ports, so it stamps none; "
            "use a testerd"
        )
