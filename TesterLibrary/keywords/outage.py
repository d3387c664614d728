# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for outages (RFC 6201)."""

from __future__ import annotations

from robot.api.deco import keyword

from ..measurement.counter import Counter
from ..measurement.trial import Trial
from ..methodology.outage import OutageResult, measure_outage, outage_below
from ..methodology.result import Result, trials_of
from ..methodology.tolerance import at_most
from ..model.units import Duration, Rate, Ratio
from ..running.suite import Suite
from ..verdict import Verdict
from ._component import component


@component
class Outages:
    """Times in which no frame of a stream arrives."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_outage(
        self, *streams: str, rate: Rate | None = None, duration: Duration | None = None
    ) -> OutageResult:
        """Sends streams for a time and returns the longest outage of each (RFC 6201).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own; it is the resolution |
        | ``duration`` | how long it sends: time enough to recover; as the profile says, if left out |

        Returns a result. ``${result.outages[0]}`` is the longest: ``by_time_ns`` (from the last frame before
        to the first one after), ``by_loss_ns`` (frames lost / rate), ``lost``, ``start_ns`` (on the tester's
        clock), ``ended`` (False if nothing arrived until the traffic ended).

        To do something to the device meanwhile, use `Start Traffic` and `Stop Traffic` in its place, which
        return the same.

        | `Start Traffic` | north |
        | Restart The Line Card |
        | ${trial} = | `Stop Traffic` |
        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        measurer = self._suite.measurer("outage", streams, rate, by_signature=True, needs=[Counter.OUTAGES])
        return self._suite.found(
            measure_outage(measurer, measurer.load, duration or self._suite.profile.trial)
        )

    @keyword(tags=["verify"])
    def verify_outage_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the longest outage, by time, is at most the bound and was over before the traffic ended.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``50 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        trials = trials_of(self._suite.judged(measured))
        return self._suite.conclude(at_most(lambda bound: outage_below(trials, bound), bound, within))
