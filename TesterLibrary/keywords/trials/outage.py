# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the time that a device does not forward (RFC 6201)."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...methodology.outage import OutageResult, measure_outage, outage_below
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter
from .._verifies import verifies


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

        | ``rate`` | the rate of each stream, in place of its own; it is the resolution |
        | ``duration`` | how long the streams send: long enough to recover; the profile decides by default |

        Returns a result. ``${result.outages[0]}`` is the longest: ``by_time_ns`` (from the last frame before
        it to the first frame after it), ``by_loss_ns`` (frames lost / rate), ``lost``, ``start_ns`` (on the
        tester's clock), ``ended`` (False if nothing arrived until the traffic ended).

        To act on the device during the measurement, use `Start Traffic` and `Stop Traffic` instead. They
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

        | ``name`` | the name of one stream of the trial; all streams by default |
        | ``assertion_expected`` | a time, such as ``50 ms`` |

        The outage is measured by time. It is 0 if there was none, infinite if it had not ended when the
        traffic ended, and ``None`` if the tester does not count outages. INCONCLUSIVE if the bound is shorter
        than the gap between two frames.

        | `Get Outage` | north | <= | 50 ms |
        """
        return self._get.outage(name, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    @verifies(Result, at_most)
    def verify_outage_below(self, result: Result, bound: Duration) -> Verdict:
        """Passes if the longest outage, by time, is at most the bound and ended before the traffic ended.

        | ``bound`` | the longest time, such as ``50 ms`` |

        An outage that was not over when the traffic ended fails if it was longer than the bound by then, or
        if no frame arrived at all. Otherwise it is INCONCLUSIVE: send for longer. INCONCLUSIVE, too, if the
        frames of a stream are further apart than the bound: send two or more frames in that time.

        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        return outage_below(result.judged, bound)
