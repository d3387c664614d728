# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword that compares a value with that of an earlier run."""

from __future__ import annotations

from robot.api.deco import keyword

from ...model.units.units import Ratio
from ...running.procedures.regression import beside_baseline
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class Regression:
    """Compares values of this run with those of earlier runs."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_no_regression(
        self, verdict: Verdict | None = None, within: Ratio = Ratio.parse("3 %"), *, baseline: str
    ) -> Verdict:
        """Passes if a value is no worse than in an earlier run.

        | =Argument= | =Meaning= |
        | ``verdict`` | a verdict that a ``Verify`` keyword of this test returned; the last one, if left out |
        | ``within`` | part of the baseline by which the value may be worse, such as ``1 %`` |
        | ``baseline`` | folder of a run, such as ``baselines/v1.0``, or file or URL of a trend database |

        The keyword looks the value up in the baseline by testbed, suite, test and name. In a database the
        baseline is the level of the values that fit testers measured, or the level before an open alarm. The
        bound of the verdict says which side is worse: for ``>= 90 %``, a smaller value.

        The verdict is INCONCLUSIVE if the baseline has no such value or, in a database, too few; if a tester
        was not fit; or if the device kind, the profile or the unit of the two differ. The trials of an
        earlier run must have been as long as those of this test, too.

        | `Verify Throughput Above` | 90 % |
        | `Verify No Regression` | baseline=baselines/v1.0 |
        """
        return self._suite.conclude(beside_baseline(self._suite, verdict, baseline, within))
