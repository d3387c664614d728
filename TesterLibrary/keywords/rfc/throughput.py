# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for throughput (RFC 2544 §26.1)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.throughput import ThroughputResult, ThroughputSearch, find_throughput
from ...methodology.verdicts.judging import throughput_above
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


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
        """Searches the highest load at which no more than ``loss`` of the frames is lost (RFC 2544 §26.1).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``loss`` | the part of the frames that may be lost; the RFC allows none |
        | ``resolution`` | how close the bounds are when the search ends, in ``%`` of line rate |
        | ``duration`` | how long the trials send that the result rests on; as the profile says, if left out |
        | ``scout`` | how long the trials that narrow the search send; if left out, a fifth of ``duration`` |
        | ``lowest`` | the load, in ``%`` of line rate, below which the search gives up |
        | ``highest`` | the load, in ``%`` of line rate, at which the search starts; see below |
        | ``sustained`` | whether a load at which the delay grows all along, as a queue fills, is too high |
        | ``repeat`` | how often it is searched; from 2 on the result has an interval of confidence |
        | ``timeout`` | a frame that arrives later than this is lost, such as ``5 ms``; none, if left out |
        | ``stability`` | the load of a first trial, which must not lose; as the profile says; 0 for none |

        A device is *unstable* if it loses frames at a low load, and forwards more at a higher one, where it
        loses no greater part: its loss does not come from the load. The search ends then, and a verdict is
        INCONCLUSIVE.

        A search without ``highest`` goes up to line rate, or to the rate that the tester sustains by its
        calibration (`Calibrate Tester`), if that is lower.

        ``resolution``, ``lowest`` and ``sustained`` do not follow the profile; a suite that wants its values
        writes ``resolution=${PROFILE.throughput.resolution}`` after importing the profile as ``Variables``.

        How the delay grows is known of trials of 3.5 s and longer: it is read every half second.

        Returns a result: ``load`` (part of line rate), ``offered`` (the same, for ``rate=``), ``rate`` (pps),
        ``throughput_bps``, ``limited_by`` (LINE, SEARCH, DEVICE, TESTER or UNSTABLE) and ``trials``. A
        device that fails at ``lowest`` is below that: verdicts and texts say so, and ``load``, ``rate`` and
        ``throughput_bps`` are ``${None}``. Of
        several repetitions these are of the one in the middle; ``agreement.mean``, ``interval`` (95 %, parts
        of line rate) and ``variation`` (the coefficient of variation) are of all, and verdicts on the mean
        are INCONCLUSIVE where the bound lies in the interval.

        | ${result} = | `Find Throughput` | north | loss=0 |
        | `Verify Throughput Above` | 95 % | ${result} |
        """
        profile = self._suite.profile
        measurer = self._suite.measurer("throughput", streams)
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
        search.validate()
        search.refuse_finer_than_a_frame(measurer.line_pps)
        measurer.leads = search.leads
        estimate = self._suite.progress.estimate
        return self._suite.found(find_throughput(measurer, search, repeat=repeat, on_estimate=estimate))

    @keyword(tags=["verify"])
    def verify_throughput_above(
        self, bound: Rate, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the throughput is at least the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``95 %`` of line rate, ``1 Gbps`` or ``100 kpps`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A throughput below the bound that was limited by the tester is INCONCLUSIVE, unless the device itself
        failed at a load that is not above the bound.

        | `Verify Throughput Above` | 95 % | ${result} |
        """
        judged = self._suite.judged(measured)
        return self._suite.conclude(at_least(lambda bound: _throughput(judged, bound), bound, within))


def _throughput(measured: Trial | Result, bound: Rate) -> Verdict:
    if isinstance(measured, ThroughputResult):
        return measured.verdict_above(bound)
    if isinstance(measured, Trial):
        return throughput_above(measured, bound)
    raise TesterLibraryError(
        f"this says nothing about throughput; give a trial or a result of Find Throughput: {measured}"
    )
