# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for one trial, and for what it found."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..measurement.correction import DelayKind
from ..measurement.trial import Trial
from ..methodology.latency import LatencyMeasurement, LatencyResult, measure_latency
from ..model.units import Duration, Rate, Ratio
from ..session import Session
from ._component import component
from ._getter import Getter

ONE_SECOND = Duration(10**9)


@component
class Measurement:
    """One trial at a given load and time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._get = Getter(session)

    @keyword(tags=["measure"])
    def measure_throughput(
        self, *streams: str, rate: Rate | None = None, duration: Duration = ONE_SECOND
    ) -> Trial:
        """Sends streams for a time and returns the trial; ``${trial.throughput_bps}`` is what arrived.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own |
        | ``duration`` | of sending, such as ``2 s`` |

        A trial in which the tester itself fell short is repeated, at most three times in all; the last one is
        returned. Attributes of a trial: ``sent``, ``received``, ``lost`` (frames), ``loss_ratio`` (0 to 1),
        ``offered_rate``, ``received_rate`` (frames/s), ``throughput_bps`` (L2), ``latency`` (``min``,
        ``mean``, ``max``, ``p50``, ``p99`` in ns), ``evidence``, ``valid``, ``objections``.

        | ${trial} = | `Measure Throughput` | north | rate=50 % | duration=5 s |
        """
        measurer = self._session.measurer("throughput", streams, rate)
        return measurer.measure(measurer.load, duration)

    @keyword(tags=["measure"])
    def measure_loss(self, *streams: str, rate: Rate | None = None, duration: Duration = ONE_SECOND) -> Trial:
        """Sends streams for a time and returns the trial, with ``${trial.lost}`` and ``${trial.loss_ratio}``.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own |
        | ``duration`` | of sending, such as ``2 s`` |

        | `Measure Loss` | north | rate=64 kpps | duration=10 s |
        | `Verify Loss Below` | 0.001 % |
        """
        measurer = self._session.measurer("loss", streams, rate)
        return measurer.measure(measurer.load, duration)

    @keyword(tags=["measure"])
    def measure_latency(
        self,
        *streams: str,
        rate: Rate | None = None,
        duration: Duration = ONE_SECOND,
        repetitions: int = 1,
        kind: DelayKind = DelayKind.AS_SEEN,
    ) -> LatencyResult:
        """Measures the latency of every frame at a load below the device's throughput (RFC 2544 §26.2).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own |
        | ``duration`` | of sending; the RFC asks for 120 s |
        | ``repetitions`` | trials over which the values are averaged; the RFC asks for 20 |
        | ``kind`` | ``AS_SEEN``, ``CUT_THROUGH`` or ``STORE_AND_FORWARD`` |

        As seen by the tester it is less its own delay, if that was calibrated. A cut-through latency is from
        the first bit in to the first bit out, one of store and forward from the last bit in to the first bit
        out (RFC 1242 §3.8); on virtual ports bits take no time.

        Returns a result; ``${result.latency.p99}`` is nanoseconds, over all frames of all trials.

        | `Measure Latency` | north | rate=10 % | duration=2 s |
        | `Verify Latency Below` | 5 ms | percentile=99 |
        """
        measurer = self._session.measurer("latency", streams, rate, by_signature=True)
        measurement = LatencyMeasurement(Ratio(measurer.load), duration, repetitions, kind)
        return self._session.found(
            measure_latency(measurer, measurement, on_estimate=self._session.progress.estimate)
        )

    @keyword(tags=["get"])
    def get_frame_loss(
        self,
        stream: str | None = None,
        assertion_operator: Any = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> int | None:
        """Returns the frames that the last trial lost, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``stream`` | one stream of the trial; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | frames |
        | ``message`` | in place of the usual one if the assertion fails |

        | `Get Frame Loss` | <= | 0 |
        """
        return self._get.loss(stream, assertion_operator, assertion_expected, message)

    @keyword(tags=["get"])
    def get_loss_ratio(
        self,
        stream: str | None = None,
        assertion_operator: Any = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> float | None:
        """Returns the frame loss rate of the last trial, 0 to 1, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``stream`` | one stream of the trial; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | ``0``, ``0.001 %`` or ``10 ppm`` |
        | ``message`` | in place of the usual one if the assertion fails |

        | `Get Loss Ratio` | north | <= | 0.001 % |
        """
        return self._get.loss_ratio(stream, assertion_operator, assertion_expected, message)

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
        | ``statistic`` | ``min``, ``mean``, ``max``, a percentile such as ``p99.9``, or one of those below |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | a time such as ``5 ms`` |
        | ``message`` | in place of the usual one if the assertion fails |

        ``pdv99.9`` is how far a percentile is from the minimum; ``ipdv_mean``, ``ipdv_min``, ``ipdv_max`` are
        of the differences from frame to frame (RFC 5481), ``jitter`` is that of RFC 3550 at the end.

        | `Get Latency` | p99 | < | 5 ms |
        """
        return float(self._get.latency(statistic, assertion_operator, assertion_expected, message))
