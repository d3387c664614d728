# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for back-to-back frames (RFC 2544 §26.4, RFC 9004)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.back_to_back import BurstResult, BurstSearch, find_maximum_burst
from ...methodology.result import Result
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

THIRTY_SECONDS = Duration(30 * 10**9)


@component
class BackToBack:
    """The longest burst that the device forwards without loss."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2544", "find"])
    def find_maximum_burst(
        self,
        *streams: str,
        throughput: ThroughputResult | None = None,
        repetitions: int | None = None,
        rest: Duration | None = None,
        resolution: Ratio | None = None,
        longest: Duration = THIRTY_SECONDS,
    ) -> BurstResult:
        """Searches the longest burst at line rate that the device forwards without loss (RFC 9004).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``throughput`` | the result of `Find Throughput` for the same streams; searched first, if left out |
        | ``repetitions`` | how often the burst is searched; as the profile says, if left out |
        | ``rest`` | how long nothing is sent after each burst; as the profile says, if left out |
        | ``resolution`` | how close bounds are at the end, as a part of the burst; as the profile says |
        | ``longest`` | the time that the longest burst takes at line rate; no longer one is tried |

        A device that forwards at line rate has no longest burst: the test is not applicable, and a verdict is
        made on the frames of the trial at line rate.

        Returns a result in frames of each stream: ``average`` (the benchmark), ``min``, ``max``,
        ``deviation`` (standard), ``step`` (how close the bounds are), ``bursts`` (of each repetition),
        ``implied_buffer_ns``, ``corrected_buffer_ns`` (RFC 9004 §5.4), ``buffered`` (the frames of all
        streams that the device held), ``applicable`` and ``limited_by``.

        | ${result} = | `Find Maximum Burst` | north |
        | `Verify Maximum Burst Above` | 1000 | ${result} |
        """
        profile = self._suite.profile
        search = BurstSearch(
            repetitions=repetitions or profile.bursts,
            rest=rest or profile.rest,
            resolution=resolution or profile.burst_resolution,
            longest=longest,
        )
        search.validate()
        self._suite.scopes.modifiers.refuse_beside("a burst")
        throughput = self._suite.prerequisite(streams, throughput)
        measurer = self._suite.measurer("longest burst", streams)
        return self._suite.found(find_maximum_burst(measurer, throughput, search))

    @keyword(tags=["verify"])
    def verify_maximum_burst_above(
        self, bound: int, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the longest burst without loss, on average over the repetitions, is at least the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | frames of each stream |
        | ``measured`` | a result of `Find Maximum Burst`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A burst below the bound that was limited by the tester, not by the device, is INCONCLUSIVE.

        | `Verify Maximum Burst Above` | 1000 |
        """
        judged = self._suite.judged_as(
            BurstResult, measured, about="the longest burst", source="Find Maximum Burst"
        )
        return self._suite.conclude(at_least(judged.verdict_above, bound, within))
