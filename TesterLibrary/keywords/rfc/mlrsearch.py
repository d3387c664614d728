# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for MLRsearch (RFC 9971): loads that meet several goals, such as NDR and PDR, in one search."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.mlrsearch.controller import find_goals
from ...methodology.mlrsearch.goal import SearchGoal
from ...methodology.mlrsearch.result import MultipleLossRatioResult
from ...methodology.mlrsearch.search import MultipleLossRatioSearch
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


@component
class MlrSearch:
    """The highest loads at which the device meets goals of loss."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc9971", "find"])
    def find_ndr_and_pdr(
        self,
        *streams: str,
        pdr: Ratio | None = None,
        exceed: Ratio | None = None,
        initial: Duration | None = None,
        final: Duration | None = None,
        duration_sum: Duration | None = None,
        width: Ratio | None = None,
        lowest: Ratio | None = None,
        highest: Ratio | None = None,
        stability: Ratio | None = None,
    ) -> MultipleLossRatioResult:
        """Searches the non-drop rate and the partial-drop rate in one search (MLRsearch, RFC 9971).

        | ``pdr`` | the goal loss ratio of the PDR: the part of its frames that may be lost |
        | ``exceed`` | the goal exceed ratio: the part of a load's trials that may lose more; below 100 % |
        | ``initial`` | how long the shortest trials send, which lead to the result |
        | ``final`` | how long the trials send that the result rests on |
        | ``duration_sum`` | how long trials of a load send together, at most, until it is classified |
        | ``width`` | how close the bounds are when the search ends, as a part of the upper bound |
        | ``lowest`` | the load, in ``%`` of line rate, below which the search gives up |
        | ``highest`` | the highest load, in ``%`` of line rate; by default line rate or the calibrated rate |
        | ``stability`` | the load of a first trial, which must not lose frames; 0: no such trial |

        The profile decides about arguments that are left out. The goals have the names NDR and PDR.

        Returns a result. ``${result.goal("NDR")}`` has ``lower`` and ``upper`` (the relevant bounds, parts of
        line rate), ``conditional_throughput`` (the lower bound minus the loss there), ``offered`` (the lower
        bound, for ``rate=``) and ``regular``. ``${result.rate("NDR")}`` is the conditional throughput in
        frames/s. If a goal is missed at ``lowest``, both are ``${None}``, and texts say that it is below.

        | ${result} = | `Find NDR And PDR` | north | pdr=0.5 % |
        | `Verify Goal Above` | NDR | 90 % | ${result} |
        | `Verify Goal Above` | PDR | 95 % | ${result} |
        """
        shared = (exceed, initial, final, duration_sum, width)
        allowed = self._suite.profile.mlr_loss if pdr is None else pdr
        goals = (self._goal("NDR", Ratio.parse(0), *shared), self._goal("PDR", allowed, *shared))
        return self._find("NDR and PDR", streams, goals, lowest, highest, stability)

    @keyword(tags=["rfc9971", "find"])
    def find_goals(
        self,
        *streams: str,
        goals: list[SearchGoal],
        lowest: Ratio | None = None,
        highest: Ratio | None = None,
        stability: Ratio | None = None,
    ) -> MultipleLossRatioResult:
        """Searches the loads that meet goals of your own, all in one search (MLRsearch, RFC 9971).

        | ``goals`` | a list of goals, made by `Create Search Goal`; their order does not matter |
        | ``lowest`` | the load, in ``%`` of line rate, below which the search gives up |
        | ``highest`` | the highest load, in ``%`` of line rate; by default line rate or the calibrated rate |
        | ``stability`` | the load of a first trial, which must not lose frames; 0: no such trial |

        The profile decides about ``lowest`` and ``stability`` by default. Returns a result like that of
        `Find NDR And PDR`, with the names of your goals.

        | ${strict} = | `Create Search Goal` | strict | loss=0 | exceed=0 |
        | ${usual} = | `Create Search Goal` | usual | loss=0.1 % |
        | VAR | @{goals} | ${strict} | ${usual} |
        | ${result} = | `Find Goals` | north | goals=${goals} |
        | `Verify Goal Above` | usual | 95 % | ${result} |
        """
        return self._find("goals", streams, tuple(goals), lowest, highest, stability)

    @keyword(tags=["rfc9971"])
    def create_search_goal(
        self,
        name: str,
        *,
        loss: Ratio,
        exceed: Ratio | None = None,
        initial: Duration | None = None,
        final: Duration | None = None,
        duration_sum: Duration | None = None,
        width: Ratio | None = None,
    ) -> SearchGoal:
        """Describes a goal for `Find Goals` (RFC 9971 §4.6). Nothing is sent.

        | ``name`` | the name of the goal, for `Verify Goal Above` |
        | ``loss`` | the goal loss ratio: the part of the frames that a low-loss trial may lose |
        | ``exceed`` | the goal exceed ratio: the part of a load's trials that may lose more; below 100 % |
        | ``initial`` | the goal initial trial duration: how long the shortest trials send |
        | ``final`` | the goal final trial duration; goals of one search share it |
        | ``duration_sum`` | the goal duration sum: how long trials of a load send together, at most |
        | ``width`` | the goal width: how close the bounds are at the end, as a part of the upper bound |

        The profile decides about arguments that are left out.

        The throughput of RFC 2544 is the goal with 0 for ``loss`` and ``exceed``, and 60 s for ``final`` and
        ``duration_sum``.

        | ${goal} = | `Create Search Goal` | NDR | loss=0 | exceed=0 | final=60 s | duration_sum=60 s |
        """
        goal = self._goal(name, loss, exceed, initial, final, duration_sum, width)
        goal.validate()
        return goal

    @keyword(tags=["verify"])
    @verifies(MultipleLossRatioResult, at_least, source="Find NDR And PDR or Find Goals")
    def verify_goal_above(self, result: MultipleLossRatioResult, name: str, bound: Rate) -> Verdict:
        """Passes if the conditional throughput of a goal is at least the bound.

        | ``name`` | the name of the goal, such as ``NDR`` |
        | ``bound`` | ``95 %`` of line rate, ``1 Gbps`` or ``100 kpps`` |

        An irregular result (RFC 9971 §4.8.4) never fails. It passes if its lower bound reaches the bound, for
        example because the highest load meets the goal. Otherwise it is INCONCLUSIVE.

        | `Verify Goal Above` | NDR | 95 % | ${result} |
        """
        return result.verdict_above(name, bound)

    def _goal(
        self,
        name: str,
        loss: Ratio,
        exceed: Ratio | None,
        initial: Duration | None,
        final: Duration | None,
        duration_sum: Duration | None,
        width: Ratio | None,
    ) -> SearchGoal:
        profile = self._suite.profile
        return SearchGoal(
            name=name,
            loss=loss,
            exceed=profile.mlr_exceed if exceed is None else exceed,
            initial_duration=profile.mlr_initial if initial is None else initial,
            final_duration=profile.mlr_final if final is None else final,
            duration_sum=profile.mlr_sum if duration_sum is None else duration_sum,
            width=profile.mlr_width if width is None else width,
        )

    def _find(
        self,
        title: str,
        streams: tuple[str, ...],
        goals: tuple[SearchGoal, ...],
        lowest: Ratio | None,
        highest: Ratio | None,
        stability: Ratio | None,
    ) -> MultipleLossRatioResult:
        profile = self._suite.profile
        lowest = profile.mlr_lowest if lowest is None else lowest
        measurer = self._suite.measurer(title, streams)
        search = MultipleLossRatioSearch(
            goals,
            lowest,
            measurer.highest(highest, lowest)[0],
            profile.stability if stability is None else stability,
        )
        return self._suite.found(find_goals(measurer, search, line_pps=measurer.line_pps))
