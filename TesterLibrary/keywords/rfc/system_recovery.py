# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the recovery from an overload (RFC 2544 §26.5)."""

from __future__ import annotations

from fractions import Fraction

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...measurement.trial import Trial
from ...methodology.prerequisite import load_of
from ...methodology.result import Result
from ...methodology.system_recovery import RecoveryMeasurement, RecoveryResult, measure_system_recovery
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


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

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``throughput`` | the result of `Find Throughput` for the same streams; searched first, if left out |
        | ``overload`` | its load in ``%`` of line rate; if left out, 110 % of the throughput, or line rate |
        | ``relief`` | the part of the overload that is sent then |
        | ``duration`` | how long the overload takes; as the profile says, if left out |
        | ``relief_duration`` | how long is sent after it: the longest recovery that can be seen |
        | ``repetitions`` | how often it is measured; as the profile says, if left out |

        First the lower load is sent alone, for as long: a device that loses frames there is not judged.

        Returns a result: ``recovery_ns`` (averaged over the repetitions), ``bounds_ns`` (with the error),
        ``stepped`` (how each stream left) and ``trials``.

        | ${result} = | `Measure System Recovery` | north |
        | `Verify System Recovery Below` | 10 ms | ${result} |
        """
        suite, profile = self._suite, self._suite.profile
        suite.refuse_without("system recovery", streams, by_signature=True, needs=[Counter.OUTAGES])
        suite.scopes.modifiers.refuse_beside("a change of the load")

        def after(found: Ratio) -> RecoveryMeasurement:
            return RecoveryMeasurement(
                throughput=found,
                overload=overload,
                relief=relief,
                overload_duration=duration or profile.overload,
                relief_duration=relief_duration or profile.relief,
                repetitions=repetitions or profile.recoveries,
            )

        possible = [Ratio(Fraction(1)), profile.search_lowest]
        if throughput is not None:
            possible = [Ratio(load_of(suite.prerequisite(streams, throughput), "system recovery"))]
        steps = [measurement.step for measurement in map(after, possible) if measurement.is_step]
        suite.measurer("system recovery", streams, goes_on=True).refuse_steps(steps)
        found = suite.prerequisite(streams, throughput)
        measurement = after(Ratio(load_of(found, "system recovery")))
        measurer = suite.measurer("system recovery", streams)
        return suite.found(
            measure_system_recovery(measurer, measurement, on_estimate=suite.progress.estimate)
        )

    @keyword(tags=["verify"])
    def verify_system_recovery_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device lost its last frame at most so long after the overload.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``10 ms`` |
        | ``measured`` | a result of `Measure System Recovery`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A device that lost nothing was not overloaded: INCONCLUSIVE.

        | `Verify System Recovery Below` | 10 ms |
        """
        judged = self._suite.judged_as(
            RecoveryResult, measured, about="recovery", source="Measure System Recovery"
        )
        return self._suite.conclude(at_most(judged.verdict_below, bound, within))
