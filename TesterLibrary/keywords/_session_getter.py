# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of responders and clients, asserted where an operator is given."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator, verify_assertion

from ..model.units import Bandwidth, Duration
from ..session import Session
from ..verdict import Outcome, Verdict
from ._getter import EXPRESSIONS


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
        statistics = self._session.tester.ends.statistics(name)
        if statistic is None:
            return statistics
        value = statistics.statistic(statistic)
        if operator is None:
            return value
        wanted = expected if operator in EXPRESSIONS else _parsed(statistic, expected)
        what = f"{statistic.replace('_', ' ')} of {name}"
        outcome = Outcome.FAIL
        try:
            found = verify_assertion(value, operator, wanted, what, message)
            outcome = Outcome.PASS
        finally:
            bound = f"{operator.value} {expected}"
            self._session.recorder.verdict(Verdict(outcome, what, f"{value:g}", bound))
        return found


def _parsed(statistic: str, expected: Any) -> float:
    """What a suite says, in the unit of the statistic."""
    if "time_" in statistic and "." in statistic:
        return float(Duration.parse(expected).ns)
    if statistic in ("goodput", "delivered") and not isinstance(expected, int | float):
        return float(Bandwidth.parse(expected).bps)
    return float(expected)
