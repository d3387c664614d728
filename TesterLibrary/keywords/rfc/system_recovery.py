# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the recovery from an overload (RFC 2544 §26.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...methodology.prerequisite import load_of
from ...methodology.system_recovery import RecoveryMeasurement, RecoveryResult, measure_system_recovery
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

_TITLE = "system recovery"


@component
class SystemRecovery:
    """How long a device goes on losing frames after an overload."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2544", "measure"])
    def measure_system_recovery(
        self,
        *streams: str,
        throughput: ThroughputResult | None = None,
        overload: Ratio | None = None,
        relief: Ratio = Ratio.parse("50 %"),
        duration: Duration | None = None,
        relief_duration: Duration | None = None,
        repetitions: int | None = None,
    ) -> RecoveryResult:
        """Overloads the device, halves the load, and returns when it lost its last frame (RFC 2544 §26.5).

        | ``throughput`` | a result of `Find Throughput` for these streams; by default it is searched first |
        | ``overload`` | the load in ``%`` of line rate; by default 110 % of the throughput, or line rate |
        | ``relief`` | the part of the overload that is sent after it |
        | ``duration`` | how long the overload lasts |
        | ``relief_duration`` | how long the streams send after it: the longest recovery that can be seen |
        | ``repetitions`` | how often the recovery is measured |

        The profile decides about ``duration``, ``relief_duration`` and ``repetitions`` by default. The lower
        load is sent alone first, for the same time: a device that loses frames there is not judged.

        Returns a result: ``recovery_ns`` (averaged over the repetitions), ``bounds_ns`` (with the error),
        ``stepped`` (how each stream left) and ``trials``.

        | ${result} = | `Measure System Recovery` | north |
        | `Verify System Recovery Below` | 10 ms | ${result} |
        """
        suite = self._suite
        suite.refuse_without(_TITLE, streams, by_signature=True, needs=[Counter.OUTAGES])
        measurement = self._measurement(overload, relief, duration, relief_duration, repetitions)
        load = self._throughput(streams, throughput, measurement)
        measurer = suite.measurer(_TITLE, streams)
        return suite.found(
            measure_system_recovery(measurer, measurement(load), on_estimate=suite.progress.estimate)
        )

    @keyword(tags=["verify"])
    @verifies(RecoveryResult, at_most, source="Measure System Recovery")
    def verify_system_recovery_below(self, result: RecoveryResult, bound: Duration) -> Verdict:
        """Passes if the device lost its last frame within the bound after the overload.

        | ``bound`` | the longest time, such as ``10 ms`` |

        INCONCLUSIVE if the device lost nothing: then it was not overloaded.

        | `Verify System Recovery Below` | 10 ms |
        """
        return result.verdict_below(bound)

    def _measurement(
        self,
        overload: Ratio | None,
        relief: Ratio,
        duration: Duration | None,
        relief_duration: Duration | None,
        repetitions: int | None,
    ) -> Callable[[Ratio], RecoveryMeasurement]:
        """The measurement after a throughput."""
        profile = self._suite.profile
        return lambda throughput: RecoveryMeasurement(
            throughput=throughput,
            overload=overload,
            relief=relief,
            overload_duration=duration or profile.overload,
            relief_duration=relief_duration or profile.relief,
            repetitions=repetitions or profile.recoveries,
        )

    def _throughput(
        self,
        streams: Sequence[str],
        throughput: ThroughputResult | None,
        measurement: Callable[[Ratio], RecoveryMeasurement],
    ) -> Ratio:
        """The given throughput, or the result of a search.

        Steps of the load that the tester cannot send are refused first, for the greatest and the least
        throughput that the search may find.
        """
        suite = self._suite
        suite.scopes.modifiers.refuse_beside("a change of the load")
        possible = [Ratio(Fraction(1)), suite.profile.search_lowest]
        if throughput is not None:
            possible = [Ratio(load_of(suite.prerequisite(streams, throughput), _TITLE))]
        steps = [step.step for step in map(measurement, possible) if step.is_step]
        suite.measurer(_TITLE, streams, goes_on=True).refuse_steps(steps)
        return Ratio(load_of(suite.prerequisite(streams, throughput), _TITLE))
