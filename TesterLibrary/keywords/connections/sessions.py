# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for what responders and clients did."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.sessions import failures_below, time_below
from ...methodology.verdicts.tolerance import at_most
from ...model.units.percentile import P99, Percentile
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._session_getter import SessionGetter
from .._sessions import judged_sessions


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

        | =Argument= | =Meaning= |
        | ``name`` | the name of the responder or clients, running or stopped |
        | ``statistic`` | one of those below; all of them as one object, if left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | a number, or with its unit: ``5 ms``, ``1 Gbps``, ``1 MB`` |
        | ``message`` | a text in place of the usual one if the assertion fails |

        Counts: ``attempted`` (connections), ``established``, ``completed`` (ended well), ``failed``,
        ``stopped`` (open when the end was stopped), ``transactions``, ``reset``, ``refused``, ``timed_out``,
        ``retransmitted``, ``concurrent``, ``most_concurrent``, ``bytes_received``, ``bytes_delivered``, and
        whatever else the tables count; ``tcp.refused`` is of one table. With ``/s`` behind, each second:
        ``established/s``. Payload each
        second, in bits: ``goodput`` (received in order), ``delivered`` (acknowledged by the other end). Times
        in nanoseconds: ``time_to_open`` (SYN to SYN-ACK), ``time_to_first_byte`` and ``time_to_last_byte``
        (from the request), with ``.min``, ``.mean``, ``.max`` or a percentile: ``time_to_first_byte.p99``.
        An assertion on ``failed`` is INCONCLUSIVE where connections that wait for an answer for longer than
        usual could change it, as it is by `Verify Failed Connections Below`; one on ``attempted``,
        ``established``, ``completed``, ``transactions`` or bytes, also of a responder, while clients with
        ``total`` are still to open some, and no device keeps them from it.

        | `Get Session Statistics` | users | reset | == | ${0} |
        | `Get Session Statistics` | users | time_to_first_byte.p99 | <= | 5 ms |
        | ${all} = | `Get Session Statistics` | users |
        """
        return self._get.statistic(name, statistic, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    def verify_time_to_first_byte_below(
        self,
        bound: Duration,
        measured: Trial | Result | None = None,
        percentile: Percentile = P99,
        within: Ratio | None = None,
    ) -> Verdict:
        """Passes if a percentile of the time from a request to the response's header is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``5 ms`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |
        | ``percentile`` | ``99``, ``p99`` or ``99.9``: above 0 up to 100, which is the maximum |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Time To First Byte Below` | 5 ms | percentile=99 |
        """
        return self._time_below("time_to_first_byte", bound, measured, percentile, within)

    @keyword(tags=["verify"])
    def verify_session_time_below(
        self,
        time: str,
        bound: Duration,
        measured: Trial | Result | None = None,
        percentile: Percentile = P99,
        within: Ratio | None = None,
    ) -> Verdict:
        """Passes if a percentile of a time of connections is at most the bound.

        | =Argument= | =Meaning= |
        | ``time`` | ``time_to_open``, ``time_to_first_byte``, ``time_to_last_byte``, or one of your tables |
        | ``bound`` | the longest time, such as ``5 ms`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |
        | ``percentile`` | ``99``, ``p99`` or ``99.9``: above 0 up to 100, which is the maximum |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Session Time Below` | time_to_open | 1 ms |
        """
        return self._time_below(time, bound, measured, percentile, within)

    @keyword(tags=["verify"])
    def verify_failed_connections_below(
        self, bound: Ratio, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if no greater part of the connections failed than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | the greatest part of the connections, such as ``0`` or ``0.1 %`` |
        | ``measured`` | a result of `Measure Goodput` and the like; the last one of the test, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A number of connections is asserted by `Get Session Statistics`, ``users  failed  <=  1``.

        | `Verify Failed Connections Below` | 0 |
        """
        trial = judged_sessions(self._suite, measured).trial
        return self._suite.conclude(at_most(lambda bound: failures_below([trial], bound), bound, within))

    def _time_below(
        self,
        time: str,
        bound: Duration,
        measured: Trial | Result | None,
        percentile: Percentile,
        within: Ratio | None,
    ) -> Verdict:
        trial = judged_sessions(self._suite, measured).trial
        return self._suite.conclude(
            at_most(lambda bound: time_below(trial, time, bound, percentile), bound, within)
        )
