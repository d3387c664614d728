# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for throughput (RFC 2544 §26.1)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.result import Result
from ...methodology.throughput import ThroughputResult, ThroughputSearch, find_throughput
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Rate, Ratio
from ...running.measurer import TrialMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


@component
class Throughput:
    """The highest load at which the device loses no frame."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2544", "find"])
    def find_throughput(
        self,
        *streams: str,
        loss: Ratio = Ratio.parse(0),
        resolution: Ratio = Ratio.parse("0.5 %"),
        duration: Duration | None = None,
        scout: Duration | None = None,
        lowest: Ratio = Ratio.parse("0.1 %"),
        highest: Ratio | None = None,
        sustained: bool = False,
        stability: Ratio | None = None,
        repeat: int = 1,
        timeout: Duration | None = None,
    ) -> ThroughputResult:
        """Searches the highest load at which at most ``loss`` of the frames is lost (RFC 2544 §26.1).

        | ``loss`` | the part of the frames that may be lost; the RFC allows none |
        | ``resolution`` | how close the bounds are when the search ends, in ``%`` of line rate |
        | ``duration`` | how long the trials send that the result rests on; the profile decides by default |
        | ``scout`` | how long the trials send that narrow the search; by default a fifth of ``duration`` |
        | ``lowest`` | the load, in ``%`` of line rate, below which the search gives up |
        | ``highest`` | the load, in ``%`` of line rate, at which the search starts; see below |
        | ``sustained`` | True: a load is too high if the delay grows all the time, as a queue fills |
        | ``stability`` | the load of a first trial, which must not lose frames; 0: no such trial |
        | ``repeat`` | how often the search runs; from 2 on the result has a confidence interval |
        | ``timeout`` | counts a frame that arrives later than this as lost, such as ``5 ms`` |

        A device is *unstable* if it loses frames at a low load, and forwards more at a higher one without
        losing a greater part: its loss does not come from the load. The search ends then, and a verdict is
        INCONCLUSIVE.

        A search without ``highest`` goes up to line rate, or to the rate that the tester sustains by its
        calibration (`Calibrate Tester`), if that is lower.

        The profile decides about ``duration``, ``scout`` and ``stability`` by default, but not about
        ``resolution``, ``lowest`` and ``sustained``. To use the profile's values for those, import the
        profile as ``Variables`` and write ``resolution=${PROFILE.throughput.resolution}``.

        ``sustained`` needs trials of 3.5 s or longer: the delay is read every half second.

        Returns a result: ``load`` (part of line rate), ``offered`` (the same, for ``rate=``), ``rate`` (pps),
        ``throughput_bps``, ``limited_by`` (LINE, SEARCH, DEVICE, TESTER or UNSTABLE) and ``trials``. If the
        device fails at ``lowest``, verdicts and texts say that it is below, and ``load``, ``rate`` and
        ``throughput_bps`` are ``${None}``. With several repetitions these values are those of the middle
        repetition; ``agreement.mean``, ``interval`` (95 %, parts of line rate) and ``variation`` (the
        coefficient of variation) are of all repetitions. A verdict judges the mean, and is INCONCLUSIVE if
        the bound lies in the interval.

        | ${result} = | `Find Throughput` | north | loss=0 |
        | `Verify Throughput Above` | 95 % | ${result} |
        """
        profile, measurer = self._suite.profile, self._suite.measurer("throughput", streams)
        highest, calibrated = measurer.highest(highest, lowest)
        search = ThroughputSearch(
            loss=loss,
            resolution=resolution,
            lowest=lowest,
            highest=highest,
            trial_duration=duration or profile.throughput,
            scout_duration=scout or (Duration(duration.ns // 5) if duration else profile.scout),
            sustained=sustained,
            calibrated=calibrated,
            timeout=timeout,
            stability=profile.stability if stability is None else stability,
            standard=self._suite.standard(streams),
        )
        return self._found(measurer, search, repeat)

    @keyword(tags=["verify"])
    @verifies(Result, at_least)
    def verify_throughput_above(self, result: Result, bound: Rate) -> Verdict:
        """Passes if the throughput is at least the bound.

        | ``bound`` | ``95 %`` of line rate, ``1 Gbps`` or ``100 kpps`` |

        INCONCLUSIVE if the throughput is below the bound because of the tester, unless the device itself
        failed at a load that is not above the bound.

        | `Verify Throughput Above` | 95 % | ${result} |
        """
        return result.frame_throughput_above(bound)

    def _found(self, measurer: TrialMeasurer, search: ThroughputSearch, repeat: int) -> ThroughputResult:
        search.validate()
        search.refuse_finer_than_a_frame(measurer.line_pps)
        measurer.leads = search.leads
        estimate = self._suite.progress.estimate
        return self._suite.found(find_throughput(measurer, search, repeat=repeat, on_estimate=estimate))
