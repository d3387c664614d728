# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of responders and clients, asserted where an operator is given."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator

from ..methodology.judging import about
from ..model.units import Bandwidth, Duration
from ..running.suite import Suite
from ..verdict import text_of
from ._assertion import asserted, number_of


class SessionGetter:
    """Reads statistics; an assertion on one is a verdict."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    def statistic(
        self,
        name: str,
        statistic: str | None,
        operator: AssertionOperator | None,
        expected: Any,
        message: str | None,
    ) -> Any:
        """All statistics of an end, or one of them."""
        trial = self._suite.connections.so_far(name)
        statistics = trial.statistics
        if statistic is None:
            return statistics
        return asserted(
            self._suite,
            statistics.statistic(statistic),
            operator,
            expected,
            subject=f"{statistic.replace('_', ' ')} of {name}",
            parse=lambda text: parsed(statistic, text),
            text=lambda value: str(Duration(round(value))) if _is_time(statistic) else text_of(value),
            known=about(statistics.figure(statistic)),
            doubt=trial.doubt,
            message=message,
        )


def _is_time(statistic: str) -> bool:
    return "time_" in statistic and "." in statistic


def parsed(statistic: str, expected: Any) -> float:
    """The number in a suite's text, in the unit of the statistic."""
    if _is_time(statistic):
        return float(Duration.parse(expected).ns)
    if statistic in ("goodput", "delivered") and not isinstance(expected, int | float):
        return float(Bandwidth.parse(expected).bps)
    return float(number_of(expected))
