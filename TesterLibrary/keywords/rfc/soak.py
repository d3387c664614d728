# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for a soak: how probable it is that a trial at one load loses more than is allowed."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.soak import Soak, SoakResult, measure_soak
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class SoakKeywords:
    """Many trials at one load."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_soak(
        self,
        *streams: str,
        rate: Rate | None = None,
        loss: Ratio = Ratio.parse(0),
        trials: int = 60,
        duration: Duration | None = None,
    ) -> SoakResult:
        """Runs many trials at one load, and tells how probable it is that one loses more than is allowed.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own |
        | ``loss`` | the part of its frames that a trial may lose |
        | ``trials`` | how many trials are run; 60 without loss show a probability of at most 5 % |
        | ``duration`` | how long each sends; as the profile says, if left out |

        The limits are those of Clopper and Pearson for trials that are independent and alike, each with a
        confidence of 95 %.

        Returns a result: ``probability_bounds`` (0 to 1), ``exceeded`` and ``untold`` (trials).

        | ${result} = | `Measure Soak` | north | rate=80 % | trials=60 |
        | `Verify Exceed Probability Below` | 5 % | ${result} |
        """
        measurer = self._suite.measurer("soak", streams, rate)
        soak = Soak(Ratio(measurer.load), loss, trials, duration or self._suite.profile.trial)
        return self._suite.found(measure_soak(measurer, soak))

    @keyword(tags=["verify"])
    def verify_exceed_probability_below(
        self, bound: Ratio, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the probability that a trial loses more than is allowed is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | the highest probability, such as ``5 %`` |
        | ``measured`` | a result of `Measure Soak`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        Where the bound lies between the limits, it is INCONCLUSIVE.

        | `Verify Exceed Probability Below` | 5 % |
        """
        judged = self._suite.judged_as(SoakResult, measured, about="a soak", source="Measure Soak")
        return self._suite.conclude(at_most(judged.verdict_below, bound, within))
