# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that judge."""

from __future__ import annotations

from robot.api.deco import keyword

from ..errors import TesterLibraryError
from ..measurement.trial import Trial
from ..methodology.frame_loss import FrameLossResult
from ..methodology.judging import latency_below, loss_below, throughput_above
from ..methodology.latency import LatencyResult
from ..methodology.result import Result
from ..methodology.throughput import ThroughputResult
from ..model.units import Duration, Rate, Ratio
from ..session import Session
from ..verdict import Verdict
from ._component import component


@component
class Verdicts:
    """Each judges a trial or a result, records the verdict, and ends the test unless it is PASS."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["verify"])
    def verify_throughput_above(self, bound: Rate, measured: Trial | Result | None = None) -> Verdict:
        """Passes if the throughput is at least the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``95 %`` of line rate, ``1 Gbps`` or ``100 kpps`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |

        A throughput below the bound that was limited by the tester, not by the device, is INCONCLUSIVE.

        | `Verify Throughput Above` | 95 % | ${result} |
        """
        return self._session.conclude(_throughput(self._session.judged(measured), bound))

    @keyword(tags=["verify"])
    def verify_loss_below(
        self, bound: Ratio, measured: Trial | Result | None = None, at: Ratio | None = None
    ) -> Verdict:
        """Passes if no trial lost a greater part of its frames than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``at`` | of a sweep, only the trials up to this part of line rate |

        | `Verify Loss Below` | 0.001 % |
        """
        judged = self._session.judged(measured)
        if isinstance(judged, FrameLossResult):
            return self._session.conclude(judged.verdict_below(bound, at=at))
        trials = [t for t in _trials(judged) if at is None or t.load <= at.value]
        return self._session.conclude(loss_below(trials, bound))

    @keyword(tags=["verify"])
    def verify_latency_below(
        self, bound: Duration, measured: Trial | Result | None = None, percentile: float = 99
    ) -> Verdict:
        """Passes if a percentile of the latency, over all frames, is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | a time such as ``5 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``percentile`` | above 0 up to 100; 100 is the maximum |

        | `Verify Latency Below` | 5 ms | percentile=99.9 |
        """
        judged = self._session.judged(measured)
        if isinstance(judged, LatencyResult):
            return self._session.conclude(judged.verdict_below(bound, percentile=percentile))
        return self._session.conclude(latency_below(_trials(judged), bound, percentile))


def _trials(measured: Trial | Result) -> tuple[Trial, ...]:
    return (measured,) if isinstance(measured, Trial) else measured.judged


def _throughput(measured: Trial | Result, bound: Rate) -> Verdict:
    if isinstance(measured, ThroughputResult):
        return measured.verdict_above(bound)
    if isinstance(measured, Trial):
        return throughput_above(measured, bound)
    raise TesterLibraryError(
        f"this says nothing about throughput; give a trial or a result of Find Throughput: {measured}"
    )
