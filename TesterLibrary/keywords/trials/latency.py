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
from ...methodology.latency import LatencyMeasurement, LatencyResult, measure_latency
from ...methodology.prerequisite import check_prerequisite, load_of
from ...methodology.result import Result
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_most
from ...model.units.percentile import P99, Percentile
from ...model.units.units import Duration, Rate, RateUnit, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter
from .._verifies import verifies

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

        | ``throughput`` | a result of `Find Throughput` for the same streams; its load is sent |
        | ``part`` | the part of that throughput that is sent |
        | ``duration`` | how long each trial sends; the profile decides by default |
        | ``repetitions`` | the number of trials that are averaged; the profile decides by default |
        | ``kind`` | ``as_seen``, ``cut_through`` or ``store_and_forward`` |

        ``as_seen`` is the latency that the tester sees, minus the tester's own delay if it was calibrated.
        ``cut_through`` is measured from the first bit in to the first bit out, ``store_and_forward`` from the
        last bit in to the first bit out (RFC 1242 §3.8). On virtual ports bits take no time. INCONCLUSIVE if
        the throughput of the device is 0.

        Returns a result. ``${result.latency.p99}`` is in nanoseconds, over all frames of all trials.

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
            raise PlanError(f"rate={rate} and throughput={throughput} both set the rate; give one of them")
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
        """Returns a latency of the last measurement in nanoseconds, and asserts if an operator is given.

        | ``statistic`` | ``min``, ``mean``, ``max``, a percentile (``p99.9`` or ``99.9``), or one below |
        | ``assertion_expected`` | a time such as ``5 ms`` |

        ``pdv99.9`` is the difference between a percentile and the minimum. ``ipdv_mean``, ``ipdv_min`` and
        ``ipdv_max`` are of the differences from frame to frame (RFC 5481). ``jitter`` is the jitter of
        RFC 3550 at the end.

        | `Get Latency` | p99 | < | 5 ms |
        """
        return float(self._get.latency(statistic, assertion_operator, assertion_expected, message))

    @keyword(tags=["verify"])
    @verifies(Result, at_most)
    def verify_latency_below(self, result: Result, bound: Duration, percentile: Percentile = P99) -> Verdict:
        """Passes if a percentile of the latency, over all frames or stamped packets, is at most the bound.

        | ``bound`` | the longest time, such as ``5 ms`` |

        INCONCLUSIVE if there are too few frames for the percentile: 99.9 needs 1,000 frames.

        | `Verify Latency Below` | 5 ms | percentile=99.9 |
        """
        return result.latency_below(bound, percentile)
