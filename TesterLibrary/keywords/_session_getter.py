# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of responders and clients, asserted where an operator is given."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator

from ..model.units import Bandwidth, Duration
from ..session import Session
from ..verdict import text_of
from ._assertion import asserted, number_of


class SessionGetter:
    """Reads statistics; an assertion on one is a verdict."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def statistic(
        self,
        name: str,
        statistic: str | None,
        operator: AssertionOperator | None,
        expected: Any,
        message: str | None,
    ) -> Any:
        """All of an end, or one."""
        trial = self._session.tester.ends.so_far(name)
        statistics = trial.statistics
        if statistic is None:
            return statistics
        return asserted(
            self._session,
            statistics.statistic(statistic),
            operator,
            expected,
            subject=f"{statistic.replace('_', ' ')} of {name}",
            parse=lambda text: parsed(statistic, text),
            text=lambda value: str(Duration(round(value))) if _is_time(statistic) else text_of(value),
            doubt="; ".join(trial.objections),
            message=message,
        )


def _is_time(statistic: str) -> bool:
    return "time_" in statistic and "." in statistic


def parsed(statistic: str, expected: Any) -> float:
    """From what a suite says to a number in the unit of the statistic."""
    if _is_time(statistic):
        return float(Duration.parse(expected).ns)
    if statistic in ("goodput", "delivered") and not isinstance(expected, int | float):
        return float(Bandwidth.parse(expected).bps)
    return float(number_of(expected))
