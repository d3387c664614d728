# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for back-to-back frames (RFC 2544 §26.4, RFC 9004)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.back_to_back import BurstResult, BurstSearch, find_maximum_burst
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

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

        | ``throughput`` | a result of `Find Throughput` for these streams; by default it is searched first |
        | ``repetitions`` | how often the burst is searched; the profile decides by default |
        | ``rest`` | the pause after each burst; the profile decides by default |
        | ``resolution`` | how close the bounds are at the end, as a part of the burst; as the profile says |
        | ``longest`` | the time of the longest burst that is tried, at line rate |

        A device that forwards at line rate has no longest burst: the test does not apply, and the verdict
        rests on the frames of the trial at line rate.

        Returns a result in frames of each stream: ``average`` (the benchmark), ``min``, ``max``,
        ``deviation`` (standard), ``step`` (how close the bounds are), ``bursts`` (of each repetition),
        ``implied_buffer_ns``, ``corrected_buffer_ns`` (RFC 9004 §5.4), ``buffered`` (frames of all streams
        that the device held), ``applicable`` and ``limited_by``.

        | ${result} = | `Find Maximum Burst` | north |
        | `Verify Maximum Burst Above` | 1000 | ${result} |
        """
        suite = self._suite
        search = self._search(repetitions, rest, resolution, longest)
        suite.scopes.modifiers.refuse_beside("a burst")
        throughput = suite.prerequisite(streams, throughput)
        measurer = suite.measurer("longest burst", streams)
        return suite.found(find_maximum_burst(measurer, throughput, search))

    @keyword(tags=["verify"])
    @verifies(BurstResult, at_least, source="Find Maximum Burst")
    def verify_maximum_burst_above(self, result: BurstResult, bound: int) -> Verdict:
        """Passes if the longest burst without loss, averaged over the repetitions, is at least the bound.

        | ``bound`` | frames of each stream |

        INCONCLUSIVE if the burst is below the bound because of the tester, not because of the device.

        | `Verify Maximum Burst Above` | 1000 |
        """
        return result.verdict_above(bound)

    def _search(
        self, repetitions: int | None, rest: Duration | None, resolution: Ratio | None, longest: Duration
    ) -> BurstSearch:
        profile = self._suite.profile
        search = BurstSearch(
            repetitions=repetitions or profile.bursts,
            rest=rest or profile.rest,
            resolution=resolution or profile.burst_resolution,
            longest=longest,
        )
        search.validate()
        return search
