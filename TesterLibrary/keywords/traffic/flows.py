# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the flows of a stream, each counted by itself."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.flows import FlowMeasure, FlowResult, FlowStatistics, FlowSummary
from ...methodology.traffic import result_of
from ...methodology.verdicts.judging import doubt_of
from ...running.suite import Suite
from ...verdict import Between, Undecided, text_of
from .._assertion import asserted
from .._component import component

_RISING = ("received", "least_received", "most_received")  # with each frame that is under way


@dataclass(frozen=True)
class _Flows:
    """The flows of a stream, with the number of those that lost frames, and the doubts about it."""

    summary: FlowSummary
    lossy: Between | None = None
    doubt: str = ""
    unfinished: str = ""  # why more may arrive, and nobody knows how many flows lost frames

    def count(self, statistic: str) -> int:
        """A count by its name; of flows that lost frames the least. TesterLibraryError: no such count."""
        allowed = FlowStatistics.__dataclass_fields__
        if statistic not in allowed:
            raise TesterLibraryError(f"{statistic!r} is no count of flows; write one of {', '.join(allowed)}")
        if statistic == "lossy" and self.lossy:
            return int(self.lossy.least)
        return int(getattr(self.summary.statistics, statistic))

    def text(self, statistic: str) -> str:
        """A count as people read it."""
        if statistic == "lossy" and self.lossy:
            return _text(self.lossy)
        return text_of(self.count(statistic))

    def known(self, statistic: str) -> Between | None:
        """The bounds of a count that is not known exactly; None for others."""
        if statistic == "lossy":
            return self.lossy
        counted: int = getattr(self.summary.statistics, statistic)
        if not self.unfinished or statistic not in (*_RISING, "silent"):
            return None
        least, most = (counted, inf) if statistic in _RISING else (0, counted)
        return Undecided(least, most, self.unfinished)


@component
class Flows:
    """Counts of each flow."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["get"])
    def get_worst_flows(
        self, name: str, most: int = 10, by: FlowMeasure = FlowMeasure.LOSS
    ) -> tuple[FlowResult, ...]:
        """Returns the worst flows of a stream, the worst one first. All flows are counted, none is estimated.

        | ``name`` | the name of a stream with `Set Flow Counting` |
        | ``most`` | the most flows to return; a trial that is over keeps 10, by loss |
        | ``by`` | ``loss``, ``mean_latency`` or ``max_latency`` |

        While the stream is sending, these are the flows of this moment, otherwise those of the last trial.
        Attributes of each: ``index`` (frame k is of flow k modulo their number), ``sent``, ``received``,
        ``lost``, ``received_bytes``, ``loss`` (0 to 1), ``latency_mean_ns``, ``latency_min_ns``,
        ``latency_max_ns``; latencies are None on a tester that counts them by stream only.

        | @{worst} = | `Get Worst Flows` | north | 3 |
        | Log | ${worst[0].lost} |
        """
        if most < 1:
            raise TesterLibraryError(f"{most} flows are too few; at least 1")
        return self._flows(name, most, by).summary.worst[:most]

    @keyword(tags=["get"])
    def get_flow_statistics(
        self,
        name: str,
        statistic: str | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> FlowStatistics | int:
        """Returns the counts of all flows of a stream, or one of them; asserts if an operator is given.

        | ``name`` | the name of a stream with `Set Flow Counting` |
        | ``statistic`` | one of the attributes below; all of them by default |
        | ``assertion_expected`` | a number of flows or frames |

        While the stream is sending, these are the counts of this moment, otherwise those of the last trial.
        Attributes: ``flows``, ``silent`` (nothing arrived), ``lossy`` (lost a frame), ``sent``, ``received``,
        ``least_received``, ``most_received`` (frames of the flow with the fewest and the most).

        A frame that arrived twice counts twice, and hides one that its flow has lost. ``lossy`` of a trial
        takes its losses and duplicates into account: an assertion is INCONCLUSIVE if they leave the number
        open. While the stream is sending, frames are under way: ``lossy`` is then the number of flows with
        fewer arrivals than departures, and an assertion on it is INCONCLUSIVE. So is an assertion on
        ``silent`` or on arrivals that frames under way could change.

        | `Get Flow Statistics` | north | silent | == | 0 |
        | `Get Flow Statistics` | north | lossy | == | 0 |
        """
        flows = self._flows(name, 1, FlowMeasure.LOSS)
        if statistic is None:
            return flows.summary.statistics
        value = asserted(
            self._suite,
            flows.count(statistic),
            assertion_operator,
            assertion_expected,
            subject=f"{statistic.replace('_', ' ')} flows of {name}",
            text=lambda _: flows.text(statistic),
            known=flows.known(statistic),
            doubt=flows.doubt or (flows.unfinished if statistic == "lossy" else ""),
            message=message,
        )
        return int(value)

    def _flows(self, stream: str, most: int, by: FlowMeasure) -> _Flows:
        sending = self._suite.traffic.flows(stream, most, by)
        if sending:
            return _Flows(
                sending,
                unfinished=f"{stream} is sending, so frames that are missing may be under way, and those "
                "that came twice hide others; stop it first",
            )
        measured = result_of(self._suite.judged())
        trials = measured.trials
        if not trials:
            raise TesterLibraryError(f"the last measurement has no trial with flows: {measured}")
        try:
            result = trials[-1].stream(stream)
        except KeyError as error:
            raise TesterLibraryError(str(error.args[0])) from None
        kept, lossy = result.flows, result.lossy_flows
        if kept is None or lossy is None:
            raise TesterLibraryError(f"the flows of {stream!r} were not counted; call Set Flow Counting")
        if by is not FlowMeasure.LOSS or most > max(10, len(kept.worst)):
            raise TesterLibraryError(
                f"of a trial that is over the 10 worst flows by LOSS are kept, not {most} by {by.name}; "
                "ask while the stream is sending"
            )
        return _Flows(kept, Between(*lossy), doubt_of(trials[-1:]))


def _text(count: Between) -> str:
    least, most = text_of(count.least), text_of(count.most)
    return least if least == most else f"{least} to {most}"
