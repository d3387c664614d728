# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for a soak: how probable it is that a trial at one load loses more than is allowed."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.soak import Soak, SoakResult, measure_soak
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


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
        """Runs many trials at one load, and estimates how probable it is that one loses more than allowed.

        | ``loss`` | the part of its frames that a trial may lose |
        | ``trials`` | the number of trials; 60 without loss show a probability of at most 5 % |
        | ``duration`` | how long each trial sends; the profile decides by default |

        The limits are those of Clopper and Pearson for independent, equal trials, each with a confidence of
        95 %.

        Returns a result: ``probability_bounds`` (0 to 1), ``exceeded`` and ``untold`` (trials).

        | ${result} = | `Measure Soak` | north | rate=80 % | trials=60 |
        | `Verify Exceed Probability Below` | 5 % | ${result} |
        """
        measurer = self._suite.measurer("soak", streams, rate)
        soak = Soak(Ratio(measurer.load), loss, trials, duration or self._suite.profile.trial)
        return self._suite.found(measure_soak(measurer, soak))

    @keyword(tags=["verify"])
    @verifies(SoakResult, at_most, source="Measure Soak")
    def verify_exceed_probability_below(self, result: SoakResult, bound: Ratio) -> Verdict:
        """Passes if the probability that a trial loses more than allowed is at most the bound.

        | ``bound`` | the highest probability, such as ``5 %`` |

        INCONCLUSIVE if the bound lies between the limits.

        | `Verify Exceed Probability Below` | 5 % |
        """
        return result.verdict_below(bound)
