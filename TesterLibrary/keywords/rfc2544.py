# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the procedures of RFC 2544."""

from __future__ import annotations

from robot.api.deco import keyword

from ..methodology.frame_loss import FrameLossResult, FrameLossSweep, sweep_frame_loss
from ..methodology.throughput import ThroughputResult, ThroughputSearch, find_throughput
from ..model.units import Duration, Ratio
from ..session import Session
from ._component import component
from .measurement import ONE_SECOND


@component
class Rfc2544:
    """Searches and sweeps over trials."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["rfc2544", "find"])
    def find_throughput(
        self,
        *streams: str,
        loss: Ratio = Ratio.parse(0),
        resolution: Ratio = Ratio.parse("0.5 %"),
        duration: Duration = ONE_SECOND,
        scout: Duration | None = None,
        lowest: Ratio = Ratio.parse("0.1 %"),
        highest: Ratio = Ratio.parse("100 %"),
        sustained: bool = False,
    ) -> ThroughputResult:
        """Searches the highest load at which no more than ``loss`` of the frames is lost (RFC 2544 §26.1).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``loss`` | the part that may be lost; the RFC allows none |
        | ``resolution`` | of line rate: how close the bounds are when the search ends |
        | ``duration`` | of the trials on which the result rests; the RFC asks for 60 s |
        | ``scout`` | of the short trials that narrow the search; a fifth of ``duration``, if it is left out |
        | ``lowest`` | of line rate: where the search gives up |
        | ``highest`` | of line rate: where the search starts |
        | ``sustained`` | whether a load at which the delay grows all along, as a queue fills, is too high |

        How the delay grows is known of trials of 3.5 s and longer: it is read every half second.

        Returns a result: ``load`` (part of line rate), ``offered`` (the same, for ``rate=``), ``rate``
        (frames/s), ``throughput_bps``, ``limited_by`` (LINE, DEVICE or TESTER) and ``trials``.

        | ${result} = | `Find Throughput` | north | loss=0 |
        | `Verify Throughput Above` | 95 % | ${result} |
        """
        search = ThroughputSearch(
            loss=loss,
            resolution=resolution,
            lowest=lowest,
            highest=highest,
            trial_duration=duration,
            scout_duration=scout or Duration(duration.ns // 5),
            sustained=sustained,
        )
        measurer = self._session.measurer("throughput", streams)
        return self._session.found(
            find_throughput(measurer, search, on_estimate=self._session.progress.estimate)
        )

    @keyword(tags=["rfc2544", "sweep"])
    def sweep_frame_loss(
        self,
        *streams: str,
        step: Ratio = Ratio.parse("10 %"),
        duration: Duration = ONE_SECOND,
    ) -> FrameLossResult:
        """Measures the loss from line rate down, until two trials in a row lose nothing (RFC 2544 §26.3).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``step`` | of line rate between one trial and the next; the RFC allows at most 10 % |
        | ``duration`` | of each trial |

        | ${result} = | `Sweep Frame Loss` | north | step=10 % |
        """
        sweep = FrameLossSweep(step=step, trial_duration=duration)
        measurer = self._session.measurer("frame loss", streams)
        return self._session.found(
            sweep_frame_loss(measurer, sweep, on_estimate=self._session.progress.estimate)
        )
