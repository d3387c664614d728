# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the latency of frames."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.delays.correction import DelayKind
from ...measurement.trial import Trial
from ...methodology.groups.multicast_latency import MulticastLatencyResult
from ...methodology.latency import LatencyMeasurement, LatencyResult, measure_latency
from ...methodology.prerequisite import check_prerequisite, load_of
from ...methodology.result import Result, trials_of
from ...methodology.stamps import StampResult
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.judging import latency_below
from ...methodology.verdicts.tolerance import at_most
from ...model.units.percentile import P99, Percentile
from ...model.units.units import Duration, Rate, RateUnit, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter

_ALL = Ratio(Fraction(1))


@component
class FrameLatency:
    """Times that frames take through the device."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._get = Getter(suite)

    @keyword(tags=["measure"])
    def measure_latency(
        self,
        *streams: str,
        rate: Rate | None = None,
        throughput: ThroughputResult | None = None,
        part: Ratio = _ALL,
        duration: Duration | None = None,
        repetitions: int | None = None,
        kind: DelayKind = DelayKind.AS_SEEN,
    ) -> LatencyResult:
        """Measures the latency of every frame at the device's throughput, or below it (RFC 2544 §26.2).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own |
        | ``throughput`` | a result of `Find Throughput` for the same streams, which is their rate |
        | ``part`` | the part of that throughput that is sent |
        | ``duration`` | how long each trial sends; as the profile says, if left out |
        | ``repetitions`` | how many trials over which values are averaged; as the profile says, if left out |
        | ``kind`` | ``as_seen``, ``cut_through`` or ``store_and_forward`` |

        As seen by the tester it is less its own delay, if that was calibrated. A cut-through latency is from
        the first bit in to the first bit out, one of store and forward from the last bit in to the first bit
        out (RFC 1242 §3.8); on virtual ports bits take no time. Of a device without any throughput it is
        INCONCLUSIVE.

        Returns a result; ``${result.latency.p99}`` is nanoseconds, over all frames of all trials.

        | `Measure Latency` | north | rate=10 % | duration=2 s |
        | `Verify Latency Below` | 5 ms | percentile=99 |

        | ${throughput} = | `Find Throughput` | north |
        | `Measure Latency` | north | throughput=${throughput} | part=90 % |
        """
        if throughput is not None:
            rate = self._part_of(throughput, part, streams, rate)
        measurer = self._suite.measurer("latency", streams, rate, by_signature=True)
        profile = self._suite.profile
        measurement = LatencyMeasurement(
            load=Ratio(measurer.load),
            trial_duration=duration or profile.latency,
            repetitions=profile.repetitions if repetitions is None else repetitions,
            kind=kind,
            part=part if throughput is not None else None,
        )
        return self._suite.found(
            measure_latency(measurer, measurement, on_estimate=self._suite.progress.estimate)
        )

    def _part_of(
        self, throughput: ThroughputResult, part: Ratio, streams: Sequence[str], rate: Rate | None
    ) -> Rate:
        if rate is not None:
            raise PlanError(f"give rate or throughput, not both; given were rate={rate} and {throughput}")
        check_prerequisite(throughput, self._suite.chosen(streams))
        return Rate(load_of(throughput, "latency") * part.value, RateUnit.LINE)

    @keyword(tags=["get"])
    def get_latency(
        self,
        statistic: str = "mean",
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> float:
        """Returns a latency measured last, in nanoseconds, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``statistic`` | ``min``, ``mean``, ``max``, a percentile (``p99.9`` or ``99.9``), or one below |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | a time such as ``5 ms`` |
        | ``message`` | a text in place of the usual one if the assertion fails |

        ``pdv99.9`` is how far a percentile is from the minimum; ``ipdv_mean``, ``ipdv_min``, ``ipdv_max`` are
        of the differences from frame to frame (RFC 5481), ``jitter`` is that of RFC 3550 at the end.

        | `Get Latency` | p99 | < | 5 ms |
        """
        return float(self._get.latency(statistic, assertion_operator, assertion_expected, message))

    @keyword(tags=["verify"])
    def verify_latency_below(
        self,
        bound: Duration,
        measured: Trial | Result | None = None,
        percentile: Percentile = P99,
        within: Ratio | None = None,
    ) -> Verdict:
        """Passes if a percentile of the latency, over all frames or stamped packets, is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``5 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``percentile`` | ``99``, ``p99`` or ``99.9``: above 0 up to 100, which is the maximum |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        It is INCONCLUSIVE if there are too few frames for the percentile: 99.9 needs 1,000 of them.

        | `Verify Latency Below` | 5 ms | percentile=99.9 |
        """
        judged = self._suite.judged(measured)

        def judge(bound: Duration) -> Verdict:
            if isinstance(judged, LatencyResult | MulticastLatencyResult):
                return judged.verdict_below(bound, percentile=percentile)
            if isinstance(judged, StampResult):
                return judged.delay_below(bound, percentile)
            return latency_below(trials_of(judged), bound, percentile)

        return self._suite.conclude(at_most(judge, bound, within))
