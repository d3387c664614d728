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
from ...measurement.trial import Trial
from ...methodology.verdicts.judging import doubt_of
from ...running.suite import Suite
from ...verdict import Between, Undecided, text_of
from .._assertion import asserted
from .._component import component

_RISING = ("received", "least_received", "most_received")  # with each frame that is under way


@dataclass(frozen=True)
class _Found:
    """The flows of a stream, and of a trial how many of them lost frames, and why it is not to be trusted."""

    summary: FlowSummary
    lossy: Between | None = None
    doubt: str = ""
    unfinished: str = ""  # why more may arrive, and nobody knows how many flows lost frames

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
        """Returns the worst flows of a stream, the very worst first; none is estimated, all are counted.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream with `Set Flow Counting` |
        | ``most`` | how many flows at most; of a trial that is over 10 are kept, by loss |
        | ``by`` | ``loss``, ``mean_latency`` or ``max_latency`` |

        While the stream is sending they are those of this moment, otherwise those of the last trial.
        Attributes of each: ``index`` (frame k is of flow k modulo their number), ``sent``, ``received``,
        ``lost``, ``received_bytes``, ``loss`` (0 to 1), ``latency_mean_ns``, ``latency_min_ns``,
        ``latency_max_ns``; latencies are None on a tester that counts them by stream only.

        | @{worst} = | `Get Worst Flows` | north | 3 |
        | Log | ${worst[0].lost} |
        """
        if most < 1:
            raise TesterLibraryError(f"{most} flows are too few; at least 1")
        return self._found(name, most, by).summary.worst[:most]

    @keyword(tags=["get"])
    def get_flow_statistics(
        self,
        name: str,
        statistic: str | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> FlowStatistics | int:
        """Returns all flows of a stream at a glance, or one count of them; asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream with `Set Flow Counting` |
        | ``statistic`` | one of the attributes below; all of them, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many flows or frames |
        | ``message`` | a text in place of the usual one if the assertion fails |

        While the stream is sending they are those of this moment, otherwise those of the last trial.
        Attributes: ``flows``, ``silent`` (of which nothing arrived), ``lossy`` (that lost a frame), ``sent``,
        ``received``, ``least_received``, ``most_received`` (frames of the flow with the fewest and the most).
        A frame that came twice counts twice, and hides one that its flow has lost. ``lossy`` of a trial goes
        by its losses and duplicates, too: an assertion is INCONCLUSIVE if they leave open how many flows lost
        frames. While the stream is sending, frames that are under way are missing, too: ``lossy`` is the
        number of flows with fewer arrivals than departures then, and an assertion on it is INCONCLUSIVE, as
        one on ``silent`` or arrivals is if frames that are under way could change it.

        | `Get Flow Statistics` | north | silent | == | 0 |
        | `Get Flow Statistics` | north | lossy | == | 0 |
        """
        found = self._found(name, 1, FlowMeasure.LOSS)
        if statistic is None:
            return found.summary.statistics
        allowed = FlowStatistics.__dataclass_fields__
        if statistic not in allowed:
            raise TesterLibraryError(f"{statistic!r} is no count of flows; write one of {', '.join(allowed)}")
        lossy = found.lossy if statistic == "lossy" else None
        return int(
            asserted(
                self._suite,
                lossy.least if lossy else getattr(found.summary.statistics, statistic),
                assertion_operator,
                assertion_expected,
                subject=f"{statistic.replace('_', ' ')} flows of {name}",
                text=lambda value: text_of(value) if lossy is None else _text(lossy),
                known=found.known(statistic),
                doubt=found.doubt or (found.unfinished if statistic == "lossy" else ""),
                message=message,
            )
        )

    def _found(self, stream: str, most: int, by: FlowMeasure) -> _Found:
        sending = self._suite.traffic.flows(stream, most, by)
        if sending:
            return _Found(
                sending,
                unfinished=f"{stream} is sending, so frames that are missing may be under way, and those "
                "that came twice hide others; stop it first",
            )
        judged = self._suite.judged()
        trials = (judged,) if isinstance(judged, Trial) else judged.trials
        if not trials:
            raise TesterLibraryError(f"no trial of what was measured last has flows: {judged}")
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
        return _Found(kept, Between(*lossy), doubt_of(trials[-1:]))


def _text(count: Between) -> str:
    least, most = text_of(count.least), text_of(count.most)
    return least if least == most else f"{least} to {most}"
