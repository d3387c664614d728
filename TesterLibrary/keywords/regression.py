# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword for a value beside that of an earlier run."""

from __future__ import annotations

from robot.api.deco import keyword

from ..model.units import Ratio
from ..running.regression import beside_baseline
from ..running.suite import Suite
from ..verdict import Verdict
from ._component import component


@component
class Regression:
    """Values of this run beside those of earlier ones."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_no_regression(
        self, verdict: Verdict | None = None, within: Ratio = Ratio.parse("3 %"), *, baseline: str
    ) -> Verdict:
        """Passes if a value is no worse than in an earlier run.

        | =Argument= | =Meaning= |
        | ``verdict`` | what a ``Verify`` keyword of this test returned; the last of the test, if left out |
        | ``within`` | part of the baseline by which the value may be worse, such as ``1 %`` |
        | ``baseline`` | the folder of a run, such as ``baselines/v1.0``, or a database of `tester trend` |

        The value is that of the verdict, and is found in the baseline by testbed, suite, test and name. Of a
        database it is the level of the values of fit testers; while an alarm is open, the level before. The
        bound of the verdict says which side is worse: less, where it was ``at least``.

        INCONCLUSIVE where the baseline has no such value or too few, where its tester was not fit, and where
        kind of device, profile, unit or length of the trials were others.

        | `Verify Throughput Above` | 90 % |
        | `Verify No Regression` | baseline=baselines/v1.0 |
        """
        return self._suite.conclude(beside_baseline(self._suite, verdict, baseline, within))
