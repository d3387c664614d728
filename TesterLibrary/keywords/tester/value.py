# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword for a value that a suite has worked out by itself."""

from __future__ import annotations

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
        """Passes if a value that the suite has worked out by itself is as required.

        | =Argument= | =Meaning= |
        | ``value`` | a number with its unit, such as ``${x} ms``, or a number alone |
        | ``assertion_operator`` | ``<=``, ``<``, ``==``, ``!=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | what it is compared with, of the same kind: ``5 ms`` |
        | ``measured`` | what it comes from; the last trial of the test and the queries it read, if left out |
        | ``of`` | the name of the value, as certificate and report print it |

        Units are compared with units: ``3000 us`` with ``5 ms``, ``40 kB`` with ``1 MB``, ``0.9 Gbps`` with
        ``1000 Mbps``. Units that the library does not know, such as ``frames`` or ``W``, are compared with
        themselves. A value with a unit and a number without one are refused; only a bound of 0 needs none.
        ``None`` was not measured: that is INCONCLUSIVE, as is a trial in which the tester fell short, and
        what `Get Query Result` has read while records may be missing, or packets may come yet.

        | ${x} = | Largest Burst Of The Shaper |
        | `Verify Value` | ${x} us | <= | 5 ms | of=largest burst |
        """
        scope = self._suite.scopes.current
        doubts = [measured.open] if isinstance(measured, QueryResult) else []
        last = None if isinstance(measured, QueryResult) else measured
        if measured is None:
            last, doubts = scope.last, list(scope.doubts.values())
        trials = trials_of(last) if last else ()
        return self._suite.conclude(
            judge_value(
                value, assertion_operator, assertion_expected, subject=of, trials=trials, doubts=doubts
            )
        )
