# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of streams, kept until the streams change, or something else that a plan depends on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..model.plan.plan import Plan

_KEPT = 8  # the last ones: those of streams that are described, measured and changed


class Plans:
    """The plans that were made last, by all that they depend on."""

    def __init__(self) -> None:
        self._plans: deque[tuple[tuple[object, ...], Plan]] = deque(maxlen=_KEPT)

    def plan(self, conditions: tuple[object, ...], make: Callable[[], Plan]) -> Plan:
        """The plan for these conditions; it is made if there is none."""
        for kept in self._plans:
            if kept[0] == conditions:
                self._plans.remove(kept)
                break
        else:
            kept = conditions, make()
        self._plans.append(kept)
        return kept[1]
