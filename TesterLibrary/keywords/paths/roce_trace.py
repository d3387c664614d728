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
from ...measurement.traces.go_back_n_counts import GoBackN
from ...methodology.verdicts.congestion_notifications import notified_of_congestion
from ...methodology.verdicts.go_back_n import (
    goes_back_n,
    nak_latency_below,
    reaction_latency_below,
    requester_counted_alike,
    responder_counted_alike,
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
        """Finds where reliable connections of RoCEv2 went back N in a trace, and which rules they broke.

        | ``path`` | the name of the path; may be left out if one trace was stopped |
        | ``requester`` | the name of `Start RoCE Requester`; compares its counters with the trace |
        | ``responder`` | the name of `Start RoCE Responder`; compares its counters with the trace |

        Returns an object with ``packets`` (with data), ``retransmitted``, ``naks``, ``timeouts`` and
        ``lost``; with ``goings``, each with ``packet``, ``psn``, ``reason`` (nak or timeout),
        ``generation_ns``, ``reaction_ns`` and ``packets``; with ``violations``, ``recoveries`` and
        ``queue_pairs``. The log lists them. Packets that the path dropped or damaged have not arrived.

        Times are measured at the tester: each includes half a round trip. Both ends of a queue pair have to
        use the same number. With ``requester`` or ``responder`` this is a verdict: it fails if a counter
        differs from the trace.

        | ${found} = | `Analyse Go Back N` | wire | requester=compute | responder=storage |
        | Should Be Equal As Integers | ${found.retransmitted} | 5 |
        """
        analysis, ends = self._analysis(path), self._suite.connections
        logger.info("\n".join((str(analysis), *map(str, (*analysis.goings, *analysis.violations)))))
        for end, judge in ((requester, requester_counted_alike), (responder, responder_counted_alike)):
            if end is not None:
                self._suite.conclude(judge(analysis, end, ends.statistics(end)))
        return analysis

    @keyword(tags=["path", "trace", "roce", "verify"])
    def verify_go_back_n(self, path: str | None = None) -> Verdict:
        """Passes if no end of a trace broke the rules of go-back-N; the verdict says which rule, and where.

        | ``path`` | the name of the path; may be left out if one trace was stopped |

        A receiver takes packets in order, sends one NAK for the first missing packet, and acknowledges only
        packets that have arrived. A sender goes back to the packet that the NAK asks for, or after a timeout
        to the first packet that was not acknowledged, and sends everything from there on again. INCONCLUSIVE
        if nothing was sent again, or if packets are missing in the trace.

        | `Verify Go Back N` | wire |
        """
        return self._suite.conclude(goes_back_n(self._analysis(path)))

    @keyword(name="Verify NAK Latency Below", tags=["path", "trace", "roce", "verify"])
    def verify_nak_latency_below(self, path: str, bound: Duration, within: Ratio | None = None) -> Verdict:
        """Passes if each NAK came within the bound after the packet that showed that one is missing.

        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``50 us`` |

        The time is from the departure of that packet at the tester to the arrival of the NAK there: it
        includes a round trip between the tester and the receiver.

        | `Verify NAK Latency Below` | wire | 50 us |
        """
        analysis = self._analysis(path)
        return self._suite.conclude(at_most(lambda moved: nak_latency_below(analysis, moved), bound, within))

    @keyword(tags=["path", "trace", "roce", "verify"])
    def verify_reaction_latency_below(
        self, path: str, bound: Duration, within: Ratio | None = None
    ) -> Verdict:
        """Passes if each packet that a NAK asked for was sent again within the bound.

        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``200 us`` |

        The time is from the departure of the NAK at the tester to the arrival of that packet there: it
        includes a round trip between the tester and the sender.

        | `Verify Reaction Latency Below` | wire | 200 us |
        """
        analysis = self._analysis(path)
        return self._suite.conclude(
            at_most(lambda moved: reaction_latency_below(analysis, moved), bound, within)
        )

    @keyword(tags=["path", "trace", "roce"])
    def analyse_congestion_notifications(self, path: str | None = None) -> CongestionNotifications:
        """Finds ECN marks and congestion notifications (CNP) of RoCEv2 in a trace.

        | ``path`` | the name of the path; may be left out if one trace was stopped |

        Returns an object with ``marked``, ``cnps`` and ``unprompted``; with ``marks``, each with ``packet``,
        ``flow`` (queue pairs from 1) and ``notified_ns``; with ``notifications``; and with ``intervals``, the
        least time between notifications of each queue pair, pair of addresses, and direction of the port. No
        standard says which of them a NIC limits (Lumina, §6.4): the log shows all three.

        | ${found} = | `Analyse Congestion Notifications` | wire |
        | Should Be Equal As Integers | ${found.cnps} | 2 |
        """
        notifications = congestion_notifications(self._suite.paths.traces.one(path))
        logger.info("\n".join((str(notifications), *map(str, notifications.intervals))))
        return notifications

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

        | ``path`` | the name of the path; may be left out if one trace was stopped |
        | ``interval`` | the least time between two notifications of a scope |
        | ``scope`` | ``QUEUE_PAIR``, ``ADDRESS`` (a pair of them) or ``PORT`` |
        | ``answer`` | the longest time from a marked packet to its notification |
        | ``tolerance`` | how much closer together than sent the tester may see two packets |

        A mark needs no notification if its scope had one within the interval before. INCONCLUSIVE if two
        notifications are closer than the interval, but not by more than the tolerance, because frames of one
        burst share a time of arrival; and if no marked packet arrived.

        | `Verify Congestion Notifications` | wire | interval=1 ms | scope=PORT |
        """
        notifications = congestion_notifications(self._suite.paths.traces.one(path))
        return self._suite.conclude(notified_of_congestion(notifications, scope, interval, answer, tolerance))

    def _analysis(self, path: str | None) -> GoBackN:
        return go_back_n(self._suite.paths.traces.one(path))
