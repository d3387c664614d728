# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for delay that is measured without timestamps in frames."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.blind_delay import BlindDelayResult, delay_below, measure_blind_delay
from ...methodology.result import Result, trials_of
from ...methodology.stamps import StampResult
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class Delay:
    """Blind delay."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_blind_delay(
        self, *streams: str, rate: Rate | None = None, duration: Duration | None = None
    ) -> BlindDelayResult:
        """Measures the mean delay from when frames left and when frames arrived, without looking into them.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own |
        | ``duration`` | how long it sends, such as ``2 s``; as the profile says, if left out |

        The mean of the differences is the difference of the means. Lost frames are counted on one side only,
        so they can make it wrong: by no more than frames lost / rate of sending (norma appendix D), which is
        printed with the value.

        Returns a result: ``mean_ns`` and ``bound_ns`` (None if nothing arrived), ``trials``.

        | `Measure Blind Delay` | north | rate=10 % |
        | `Verify Delay Below` | 9 ms |
        """
        measurer = self._suite.measurer("blind delay", streams, rate)
        return self._suite.found(
            measure_blind_delay(measurer, measurer.load, duration or self._suite.profile.trial)
        )

    @keyword(tags=["verify"])
    def verify_delay_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the mean delay, measured blind or of stamped packets, is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``9 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        INCONCLUSIVE if lost frames may have moved the mean from one side of the bound to the other.

        | `Verify Delay Below` | 9 ms |
        """
        judged = self._suite.judged(measured)
        if isinstance(judged, StampResult):
            return self._suite.conclude(at_most(judged.delay_below, bound, within))
        trials = trials_of(judged)
        return self._suite.conclude(at_most(lambda bound: delay_below(trials, bound), bound, within))
