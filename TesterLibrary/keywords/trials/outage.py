# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for outages (RFC 6201)."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...measurement.trial import Trial
from ...methodology.outage import OutageResult, measure_outage, outage_below
from ...methodology.result import Result, trials_of
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter


@component
class Outages:
    """Times in which no frame of a stream arrives."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._get = Getter(suite)

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

    @keyword(tags=["get"])
    def get_outage(
        self,
        name: str | None = None,
        assertion_operator: Any = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> float | None:
        """Returns the longest outage of the last trial in nanoseconds, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``name`` | the name of one stream of the trial; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | a time, such as ``50 ms`` |
        | ``message`` | a text in place of the usual one if the assertion fails |

        It is that by time, 0 without an outage, infinite where it was not over when the traffic ended, and
        ``None`` where the tester does not count it. A bound below the gap between two frames is INCONCLUSIVE.

        | `Get Outage` | north | <= | 50 ms |
        """
        return self._get.outage(name, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    def verify_outage_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the longest outage, by time, is at most the bound and was over before the traffic ended.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``50 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        It is INCONCLUSIVE if frames of a stream are further apart than the bound: send two or more of them
        in that time.

        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        trials = trials_of(self._suite.judged(measured))
        return self._suite.conclude(at_most(lambda bound: outage_below(trials, bound), bound, within))
