# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword for a value that a suite has worked out by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...measurement.query import QueryResult
from ...measurement.trial import Trial
from ...methodology.result import Result, trials_of
from ...methodology.verdicts.value import judge_value
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class Value:
    """A value of the suite's own."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_value(
        self,
        value: Any,
        assertion_operator: AssertionOperator,
        assertion_expected: Any,
        measured: Trial | Result | QueryResult | None = None,
        *,
        of: str,
    ) -> Verdict:
        """Passes if a value that the suite has computed is as required.

        | ``value`` | a number with its unit, such as ``${x} ms``, or a number alone |
        | ``assertion_operator`` | ``<=``, ``<``, ``==``, ``!=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | the required value, of the same kind: ``5 ms`` |
        | ``measured`` | its origin; by default the last trial of the test and the queries that it read |
        | ``of`` | the name of the value in certificate and report |

        Units are compared with units: ``3000 us`` with ``5 ms``, ``40 kB`` with ``1 MB``, ``0.9 Gbps`` with
        ``1000 Mbps``. A unit that the library does not know, such as ``frames`` or ``W``, is compared with
        itself. A value with a unit and a number without one are refused; only a bound of 0 needs no unit.
        INCONCLUSIVE if the value is ``None`` (not measured), if the tester fell short in a trial, and if
        records of a query may be missing or packets may still come.

        | ${x} = | Largest Burst Of The Shaper |
        | `Verify Value` | ${x} us | <= | 5 ms | of=largest burst |
        """
        trials, doubts = self._origin(measured)
        return self._suite.conclude(
            judge_value(
                value, assertion_operator, assertion_expected, subject=of, trials=trials, doubts=doubts
            )
        )

    def _origin(self, measured: Trial | Result | QueryResult | None) -> tuple[Sequence[Trial], list[str]]:
        """The trials that a value comes from, and the doubts of the queries that it comes from."""
        if isinstance(measured, QueryResult):
            return (), [measured.open]
        if measured is not None:
            return trials_of(measured), []
        scope = self._suite.scopes.current
        return trials_of(scope.last) if scope.last else (), list(scope.doubts.values())
