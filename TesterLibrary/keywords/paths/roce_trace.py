# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that judge RoCEv2 in the trace of a path."""

from __future__ import annotations

from robot.api import logger
from robot.api.deco import keyword

from ...measurement.traces.congestion_notifications import (
    CongestionNotifications,
    Scope,
    congestion_notifications,
)
from ...measurement.traces.go_back_n import go_back_n
from ...measurement.traces.going_back import GoBackN
from ...methodology.verdicts.congestion_notifications import notified_of_congestion
from ...methodology.verdicts.go_back_n import (
    end_counted_alike,
    goes_back_n,
    nak_latency_below,
    reaction_latency_below,
)
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

FOUR_MICROSECONDS = Duration(4_000)
TEN_MILLISECONDS = Duration(10_000_000)
HUNDRED_MICROSECONDS = Duration(100_000)


@component
class RoceTraces:
    """Keywords that judge what RoCEv2 did on a path."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "trace", "roce"])
    def analyse_go_back_n(
        self, path: str | None = None, requester: str | None = None, responder: str | None = None
    ) -> GoBackN:
        """Finds where reliable connections of RoCEv2 went back N in a trace, and what was wrong with it.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out where one trace was stopped |
        | ``requester`` | the name of `Start RoCE Requester`, whose counters have to say the same |
        | ``responder`` | the name of `Start RoCE Responder`, whose counters have to say the same |

        Returns an object with ``packets`` (with data), ``retransmitted``, ``naks``, ``timeouts``
        and ``lost``; with ``goings``, each with ``packet``, ``psn``, ``reason`` (nak or timeout),
        ``generation_ns``, ``reaction_ns`` and ``packets``; with ``violations``, ``recoveries`` and
        ``queue_pairs``. The log lists them. Packets that the path dropped or damaged have not arrived.

        Times are those at the tester: half a round trip is in each of them. Both ends of a queue pair have to
        call it by the same number. With an end this is a verdict: counters that say something else than the
        wire are FAIL.

        | ${found} = | `Analyse Go Back N` | wire | requester=compute | responder=storage |
        | Should Be Equal As Integers | ${found.retransmitted} | 5 |
        """
        found = go_back_n(self._suite.paths.traces.one(path))
        logger.info("\n".join((str(found), *map(str, (*found.goings, *found.violations)))))
        ends = self._suite.connections
        if requester is not None:
            counted = ends.statistics(requester)
            of_requests = {
                "retransmitted": (counted.count("retransmitted"), found.requests_again),
                "naks": (counted.count("naks"), found.naks_arrived),
            }
            self._suite.conclude(end_counted_alike(found, requester, of_requests))
        if responder is not None:
            counted = ends.statistics(responder)
            of_answers = {
                "naks": (counted.count("naks"), found.naks),
                "malformed": (counted.malformed, found.damaged_requests),
            }
            self._suite.conclude(end_counted_alike(found, responder, of_answers))
        return found

    @keyword(tags=["path", "trace", "roce", "verify"])
    def verify_go_back_n(self, path: str | None = None) -> Verdict:
        """Passes if no end of a trace broke the rules of go-back-N; the verdict says which, and where.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out where one trace was stopped |

        A receiver takes packets in order, asks once for the first one that is missing, and acknowledges
        nothing that has not come. A sender goes back to the packet that it was asked for, or after a timeout
        to the first one that was not acknowledged, and sends everything from there on again. INCONCLUSIVE
        where nothing was sent again, and where the trace has a hole.

        | `Verify Go Back N` | wire |
        """
        return self._suite.conclude(goes_back_n(self._found(path)))

    @keyword(name="Verify NAK Latency Below", tags=["path", "trace", "roce", "verify"])
    def verify_nak_latency_below(self, path: str, bound: Duration, within: Ratio | None = None) -> Verdict:
        """Passes if each NAK came soon enough after the packet that told its sender that one is missing.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``50 us`` |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        The time is from when that packet has left the tester until the NAK arrives there: a round trip
        between the tester and the receiver is in it.

        | `Verify NAK Latency Below` | wire | 50 us |
        """
        found = self._found(path)
        return self._suite.conclude(at_most(lambda bound: nak_latency_below(found, bound), bound, within))

    @keyword(tags=["path", "trace", "roce", "verify"])
    def verify_reaction_latency_below(
        self, path: str, bound: Duration, within: Ratio | None = None
    ) -> Verdict:
        """Passes if each packet that a NAK asked for was sent again soon enough.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``200 us`` |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        The time is from when the NAK has left the tester until that packet arrives there: a round trip
        between the tester and the sender is in it.

        | `Verify Reaction Latency Below` | wire | 200 us |
        """
        found = self._found(path)
        return self._suite.conclude(
            at_most(lambda bound: reaction_latency_below(found, bound), bound, within)
        )

    @keyword(tags=["path", "trace", "roce"])
    def analyse_congestion_notifications(self, path: str | None = None) -> CongestionNotifications:
        """Finds ECN marks and congestion notifications (CNP) of RoCEv2 in a trace.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out where one trace was stopped |

        Returns an object with ``marked``, ``cnps`` and ``unprompted``; with ``marks``, each with ``packet``,
        ``flow`` (queue pairs from 1) and ``notified_ns``; with ``notifications``; and with ``intervals``, the
        least time between notifications of each queue pair, pair of addresses, and direction of the port.
        Which of them a NIC keeps to is not written anywhere (Lumina, §6.4): the log shows all three.

        | ${found} = | `Analyse Congestion Notifications` | wire |
        | Should Be Equal As Integers | ${found.cnps} | 2 |
        """
        found = congestion_notifications(self._suite.paths.traces.one(path))
        logger.info("\n".join((str(found), *map(str, found.intervals))))
        return found

    @keyword(tags=["path", "trace", "roce", "verify"])
    def verify_congestion_notifications(
        self,
        path: str | None = None,
        interval: Duration = FOUR_MICROSECONDS,
        scope: Scope = Scope.QUEUE_PAIR,
        answer: Duration = TEN_MILLISECONDS,
        tolerance: Duration = HUNDRED_MICROSECONDS,
    ) -> Verdict:
        """Passes if marked packets led to notifications in time, and these kept their least interval.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out where one trace was stopped |
        | ``interval`` | the least time between two notifications of a scope |
        | ``scope`` | ``QUEUE_PAIR``, ``ADDRESS`` (a pair of them) or ``PORT`` |
        | ``answer`` | the longest time from a marked packet to its notification |
        | ``tolerance`` | how much closer to each other the tester may see two packets than they were sent |

        A mark needs no notification where another one of its scope was sent within the interval before. Two
        that are closer than the interval, but not by more than the tolerance, are INCONCLUSIVE: frames of one
        burst share a time of arrival. So is a trace in which nothing arrived marked.

        | `Verify Congestion Notifications` | wire | interval=1 ms | scope=PORT |
        """
        found = congestion_notifications(self._suite.paths.traces.one(path))
        return self._suite.conclude(notified_of_congestion(found, scope, interval, answer, tolerance))

    def _found(self, path: str | None) -> GoBackN:
        return go_back_n(self._suite.paths.traces.one(path))
