# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for delay that is measured without timestamps in frames."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.blind_delay import BlindDelayResult, measure_blind_delay
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


@component
class Delay:
    """Blind delay."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_blind_delay(
        self, *streams: str, rate: Rate | None = None, duration: Duration | None = None
    ) -> BlindDelayResult:
        """Measures the mean delay from departure and arrival times, without looking into frames.

        | ``duration`` | how long the streams send, such as ``2 s``; the profile decides by default |

        The mean delay is the mean arrival time minus the mean departure time. A lost frame is counted on one
        side only, so it makes the mean wrong, by at most frames lost / sending rate (norma appendix D). The
        result prints this bound beside the value.

        Returns a result: ``mean_ns`` and ``bound_ns`` (None if nothing arrived), ``trials``.

        | `Measure Blind Delay` | north | rate=10 % |
        | `Verify Delay Below` | 9 ms |
        """
        measurer = self._suite.measurer("blind delay", streams, rate)
        return self._suite.found(
            measure_blind_delay(measurer, measurer.load, duration or self._suite.profile.trial)
        )

    @keyword(tags=["verify"])
    @verifies(Result, at_most)
    def verify_delay_below(self, result: Result, bound: Duration) -> Verdict:
        """Passes if the mean delay, measured blind or of stamped packets, is at most the bound.

        | ``bound`` | the longest time, such as ``9 ms`` |

        INCONCLUSIVE if lost frames may have moved the mean from one side of the bound to the other.

        | `Verify Delay Below` | 9 ms |
        """
        return result.delay_below(bound)
