# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the flows of a stream, each counted by itself."""

from __future__ import annotations

from robot.api.deco import keyword

from ..errors import TesterLibraryError
from ..measurement.flows import Flow, FlowMeasure, FlowStatistics, FlowSummary
from ..measurement.trial import Trial
from ..session import Session
from ._component import component


@component
class Flows:
    """What became of each flow."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["get"])
    def get_worst_flows(
        self, stream: str, most: int = 10, by: FlowMeasure = FlowMeasure.LOSS
    ) -> tuple[Flow, ...]:
        """Returns the worst flows of a stream, the very worst first; none is estimated, all are counted.

        | =Argument= | =Meaning= |
        | ``stream`` | a stream with `Count Flows` |
        | ``most`` | so many at most; of a trial that is over 10 are kept, by loss |
        | ``by`` | ``LOSS``, ``MEAN_LATENCY`` or ``MAX_LATENCY`` |

        While the stream is sending they are those of this moment, otherwise those of the last trial.
        Attributes of each: ``index`` (frame k is of flow k modulo their number), ``sent``, ``received``,
        ``lost``, ``received_bytes``, ``loss`` (0 to 1), ``latency_mean_ns``, ``latency_min_ns``,
        ``latency_max_ns``.

        | @{worst} = | `Get Worst Flows` | north | 3 |
        | Log | ${worst[0].lost} |
        """
        if most < 1:
            raise TesterLibraryError(f"{most} flows are too few; at least 1")
        return self._summary(stream, most, by).worst[:most]

    @keyword(tags=["get"])
    def get_flow_statistics(self, stream: str) -> FlowStatistics:
        """Returns all flows of a stream at a glance.

        | =Argument= | =Meaning= |
        | ``stream`` | a stream with `Count Flows` |

        While the stream is sending they are those of this moment, otherwise those of the last trial.
        Attributes: ``flows``, ``silent`` (of which nothing arrived), ``lossy`` (that lost a frame), ``sent``,
        ``received``, ``least_received``, ``most_received`` (frames of the flow with the fewest and the most).

        | ${flows} = | `Get Flow Statistics` | north |
        | Should Be Equal As Integers | ${flows.silent} | 0 |
        """
        return self._summary(stream, 1, FlowMeasure.LOSS).statistics

    def _summary(self, stream: str, most: int, by: FlowMeasure) -> FlowSummary:
        sending = self._session.tester.traffic.flows(stream, most, by)
        if sending:
            return sending
        judged = self._session.judged()
        trial = judged if isinstance(judged, Trial) else judged.trials[-1]
        try:
            kept = trial.stream(stream).flows
        except KeyError as error:
            raise TesterLibraryError(str(error.args[0])) from None
        if kept is None:
            raise TesterLibraryError(f"the flows of {stream!r} were not counted; call Count Flows before")
        if by is not FlowMeasure.LOSS or most > max(10, len(kept.worst)):
            raise TesterLibraryError(
                f"of a trial that is over the 10 worst flows by LOSS are kept, not {most} by {by.name}; "
                "ask while the stream is sending"
            )
        return kept
