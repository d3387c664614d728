# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that wait for a state of the tester or of the device. They give no verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assertionengine import AssertionOperator
from robot.api import logger
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.sessions import SessionStatistics
from ...model.units.units import Duration
from ...running.suite import Suite
from ...verdict import Outcome, assess
from .._component import component
from .._session_getter import unit_of

TWENTY_SECONDS = Duration.parse("20 s")


@component
class Waiting:
    """Waits for states of connections."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["wait"])
    def wait_for_clients(
        self,
        name: str,
        statistic: str | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        timeout: Duration = TWENTY_SECONDS,
    ) -> bool:
        """Waits until clients or a responder have reached a state, and returns whether they have.

        | ``name`` | the name of clients or of a responder |
        | ``statistic`` | a count or time as in `Get Session Statistics`; see below for the default |
        | ``assertion_expected`` | the value that is waited for |
        | ``timeout`` | the longest time to wait |

        Without a statistic it waits until clients with a ``total`` have opened all of their connections and
        none is open any more. It gives no verdict, and a timeout does not fail the test: the keyword returns
        ``False``, and the log says what was reached. Judge the value afterwards.

        | `Wait For Clients` | users | completed | == | 400 |
        | `Get Session Statistics` | users | completed | == | 400 |
        """
        ends = self._suite.connections
        holds = (
            _is_as(statistic, assertion_operator, assertion_expected) if statistic else self._is_over(name)
        )
        reached = ends.wait(name, holds, timeout)
        if not reached:
            logger.info(f"not within {timeout}: {ends.statistics(name)}")
        return reached

    def _is_over(self, name: str) -> Callable[[SessionStatistics], bool]:
        """Whether all connections of clients were opened and have ended."""
        total = self._suite.connections.clients(name).total
        if total is None:
            raise TesterLibraryError(
                f"clients {name!r} open connections without end; say what to wait for, such as "
                "completed >= 100, or start them with total="
            )
        return lambda now: now.openings >= total and not now.concurrent


def _is_as(
    statistic: str, operator: AssertionOperator | None, expected: object
) -> Callable[[SessionStatistics], bool]:
    """Whether a statistic is as expected."""
    if operator is None:
        raise TesterLibraryError(f"{statistic!r} needs a value to wait for, such as {statistic} == 400")
    value = unit_of(statistic).expected(operator, expected, subject=statistic)

    def holds(now: SessionStatistics) -> bool:
        return assess(now.statistic(statistic), operator, value, subject=statistic).outcome is Outcome.PASS

    return holds
