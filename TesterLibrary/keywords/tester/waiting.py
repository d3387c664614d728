# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that wait for a state of the tester or of the device. They give no verdict."""

from __future__ import annotations

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
        """Waits until clients or a responder have come to something, and returns whether they have.

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients or of a responder |
        | ``statistic`` | a count or time as in `Get Session Statistics`; see below if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | the value that is waited for |
        | ``timeout`` | the longest time to wait |

        Without a statistic it waits until clients with a ``total`` have opened all of their connections and
        none is open any more. It gives no verdict, and a timeout does not fail the test: the keyword returns
        ``False``, the log says what was reached, and the value is judged afterwards.

        | `Wait For Clients` | users | completed | == | 400 |
        | `Get Session Statistics` | users | completed | == | 400 |
        """
        ends = self._suite.connections
        if statistic is None:
            total = ends.clients(name).total
            if total is None:
                raise TesterLibraryError(
                    f"clients {name!r} open connections without end; say what to wait for, such as "
                    "completed >= 100, or start them with total="
                )
            reached = ends.wait(name, lambda now: now.openings >= total and not now.concurrent, timeout)
        elif assertion_operator is None:
            raise TesterLibraryError(f"say what {statistic!r} is to be, such as {statistic} == 400")
        else:
            wanted = unit_of(statistic).expected(assertion_operator, assertion_expected, subject=statistic)

            def holds(now: SessionStatistics) -> bool:
                found = assess(now.statistic(statistic), assertion_operator, wanted, subject=statistic)
                return found.outcome is Outcome.PASS

            reached = ends.wait(name, holds, timeout)
        if not reached:
            logger.info(f"not within {timeout}: {ends.statistics(name)}")
        return reached
