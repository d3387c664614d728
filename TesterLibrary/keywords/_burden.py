# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The argument `burden` of keywords that measure multicast beside other traffic (RFC 3918 §8)."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import PlanError
from ..model.stream import Stream
from ..running.suite import Suite


def burden_of(suite: Suite, names: str | None, *, beside: str) -> Sequence[Stream]:
    """The streams of these names, which a comma separates. PlanError if one of them is measured itself."""
    burden = [name.strip() for name in names.split(",")] if names else []
    if beside in burden:
        raise PlanError(f"burden={names}: {beside!r} is measured itself; give other streams")
    return suite.chosen(burden) if burden else ()
