# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for delay beyond the mean: percentiles, and delay without timestamps."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..measurement.trial import Trial
from ..methodology.blind_delay import BlindDelayResult, delay_below, measure_blind_delay
from ..methodology.result import Result
from ..model.units import Duration, Rate
from ..session import Session
from ..verdict import Verdict
from ._component import component
from ._getter import Getter
from .measurement import ONE_SECOND


@component
class Delay:
    """Blind delay and percentiles."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._get = Getter(session)

    @keyword(tags=["measure"])
    def measure_blind_delay(
        self, *streams: str, rate: Rate | None = None, duration: Duration = ONE_SECOND
    ) -> BlindDelayResult:
        """Measures the mean delay from when frames left and when frames arrived, without looking into them.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own |
        | ``duration`` | of sending, such as ``2 s`` |

        The mean of the differences is the difference of the means. Lost frames are counted on one side only,
        so they can make it wrong: by no more than frames lost / rate of sending (norma appendix D), which is
        printed with the value.

        Returns a result: ``mean_ns`` and ``bound_ns`` (None if nothing arrived), ``trials``.

        | `Measure Blind Delay` | north | rate=10 % |
        | `Verify Delay Below` | 9 ms |
        """
        measurer = self._session.measurer("blind delay", streams, rate)
        return self._session.found(measure_blind_delay(measurer, measurer.load, duration))

    @keyword(tags=["verify"])
    def verify_delay_below(self, bound: Duration, measured: Trial | Result | None = None) -> Verdict:
        """Passes if the mean delay, measured blind, is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | a time such as ``9 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |

        INCONCLUSIVE if lost frames may have moved the mean from one side of the bound to the other.

        | `Verify Delay Below` | 9 ms |
        """
        judged = self._session.judged(measured)
        trials = (judged,) if isinstance(judged, Trial) else judged.judged
        return self._session.conclude(delay_below(trials, bound))

    @keyword(tags=["get"])
    def get_latency_percentile(
        self,
        percentile: float = 99,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> float:
        """Returns a percentile of the latency measured last, in nanoseconds; asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``percentile`` | above 0 up to 100, such as ``99.999``; 100 is the maximum |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | a time such as ``5 ms`` |
        | ``message`` | in place of the usual one if the assertion fails |

        Every frame is measured, none is sampled. A percentile is at most 0.1 % off what an engine saw, and at
        most 3.3 % off what a switch saw; minimum, mean and maximum are exact on both.

        | `Get Latency Percentile` | 99.999 | < | 5 ms |
        """
        statistic = f"p{percentile:.10f}".rstrip("0").rstrip(".")
        return float(self._get.latency(statistic, assertion_operator, assertion_expected, message))
