# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the statistics of responders and clients."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...methodology.sessions import ConnectionResult, shares_of
from ...methodology.verdicts.tolerance import at_most
from ...model.units.percentile import P99, Percentile
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._session_getter import SessionGetter
from .._verifies import verifies

_TWENTY_PERCENT = Ratio.parse("20 %")


@component
class Sessions:
    """Connections of responders and clients: their counts and times."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._get = SessionGetter(suite)

    @keyword(tags=["get"])
    def get_session_statistics(
        self,
        name: str,
        statistic: str | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> Any:
        """Returns what a responder or clients have done since their start, also while they run.

        | ``name`` | the name of the responder or clients, running or stopped |
        | ``statistic`` | one of those below; by default all of them as one object |
        | ``assertion_expected`` | a number, or a number with a unit: ``5 ms``, ``1 Gbps``, ``1 MB`` |

        | =Statistic= | =Meaning= |
        | ``attempted``, ``established`` | connections that were tried, and that were opened |
        | ``completed``, ``failed`` | connections that ended well, and that did not |
        | ``stopped`` | connections that were open when the responder or the clients were stopped |
        | ``reset``, ``refused``, ``timed_out`` | how connections failed |
        | ``concurrent``, ``most_concurrent`` | connections that are open now, and the most so far |
        | ``transactions`` | requests that were answered |
        | ``retransmitted`` | packets that were sent again |
        | ``bytes_received``, ``bytes_delivered`` | payload that arrived in order, and that was acknowledged |
        | ``goodput``, ``delivered`` | the same in bits per second |
        | ``time_to_open`` | nanoseconds from SYN to SYN-ACK |
        | ``time_to_first_byte``, ``time_to_last_byte`` | nanoseconds from the request |

        Other counters are those of the protocol's tables; ``tcp.refused`` is a counter of one table. ``/s``
        gives the rate of a count: ``established/s``. A time needs ``.min``, ``.mean``, ``.max`` or a
        percentile: ``time_to_first_byte.p99``.

        An assertion on ``failed`` is INCONCLUSIVE if connections that wait for an answer for longer than
        usual could change it, as for `Verify Failed Connections Below`. An assertion on ``attempted``,
        ``established``, ``completed``, ``transactions`` or bytes, also of a responder, is INCONCLUSIVE while
        clients with ``total`` still have connections to open and the device does not prevent it.

        | `Get Session Statistics` | users | reset | == | ${0} |
        | `Get Session Statistics` | users | time_to_first_byte.p99 | <= | 5 ms |
        | ${all} = | `Get Session Statistics` | users |
        """
        return self._get.statistic(name, statistic, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    @verifies(ConnectionResult, at_most, source="Measure Goodput")
    def verify_time_to_first_byte_below(
        self, result: ConnectionResult, bound: Duration, percentile: Percentile = P99
    ) -> Verdict:
        """Passes if a percentile of the time from a request to the response's header is at most the bound.

        | ``bound`` | the longest time, such as ``5 ms`` |

        | `Verify Time To First Byte Below` | 5 ms | percentile=99 |
        """
        return result.time_below("time_to_first_byte", bound, percentile)

    @keyword(tags=["verify"])
    @verifies(ConnectionResult, at_most, source="Measure Goodput")
    def verify_session_time_below(
        self, result: ConnectionResult, time: str, bound: Duration, percentile: Percentile = P99
    ) -> Verdict:
        """Passes if a percentile of a time of connections is at most the bound.

        | ``time`` | ``time_to_open``, ``time_to_first_byte``, ``time_to_last_byte``, or one of your tables |
        | ``bound`` | the longest time, such as ``5 ms`` |

        | `Verify Session Time Below` | time_to_open | 1 ms |
        """
        return result.time_below(time, bound, percentile)

    @keyword(tags=["verify"])
    @verifies(ConnectionResult, at_most, source="Measure Goodput")
    def verify_failed_connections_below(self, result: ConnectionResult, bound: Ratio) -> Verdict:
        """Passes if the part of the connections that failed is at most the bound.

        | ``bound`` | the greatest part of the connections, such as ``0`` or ``0.1 %`` |

        To assert a number of connections, use `Get Session Statistics`: ``users  failed  <=  1``.

        | `Verify Failed Connections Below` | 0 |
        """
        return result.failures_below(bound)

    @keyword(tags=["verify"])
    def verify_even_shares(self, *responders: str, within: Ratio = _TWENTY_PERCENT) -> Verdict:
        """Passes if each of several responders has served an equal share of the transactions.

        | ``responders`` | names of two or more responders, running or stopped |
        | ``within`` | the part of an even share by which a responder may differ from it |

        Transactions count from the start of each responder.

        | `Verify Even Shares` | server1 | server2 | within=10 % |
        """
        trials = {name: self._suite.connections.so_far(name) for name in responders}
        return self._suite.conclude(shares_of(trials, within))
