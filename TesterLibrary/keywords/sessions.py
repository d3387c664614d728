# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure and judge connections of responders and clients."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..ends import ConcurrencyMeasurer, RateMeasurer
from ..errors import TesterLibraryError
from ..measurement.trial import Trial
from ..methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from ..methodology.result import Result
from ..methodology.sessions import (
    SessionResult,
    connection_rate_above,
    failures_below,
    goodput_above,
    session_result,
    time_below,
)
from ..model.quantity import Frequency
from ..model.units import Bandwidth, Duration, Ratio
from ..session import Session
from ..verdict import Verdict
from ._component import component
from ._session_getter import SessionGetter

ONE_SECOND = Duration(10**9)
_NONE = Ratio.parse(0)
_TWO_PERCENT = Ratio.parse("2 %")
_SLOW = Frequency.parse("100/s")
_FAST = Frequency.parse("1 M/s")


@component
class Sessions:
    """What responders and clients did."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._get = SessionGetter(session)

    @keyword(tags=["get"])
    def get_session_statistics(
        self,
        name: str,
        statistic: str | None = None,
        operator: AssertionOperator | None = None,
        expected: Any = None,
        message: str | None = None,
    ) -> Any:
        """Returns what a responder or clients have done since their start, also while they run.

        | =Argument= | =Meaning= |
        | ``name`` | of the responder or clients, running or stopped |
        | ``statistic`` | one of those below; all of them as one object, if left out |
        | ``operator`` | ``==``, ``<=`` … asserts the value |
        | ``expected`` | a number; of a time, ``5 ms``; of ``goodput`` and ``delivered``, ``1 Gbps`` |
        | ``message`` | of a failed assertion |

        Counts: ``attempted`` (connections), ``established``, ``completed`` (ended well), ``failed``,
        ``transactions``, ``reset``, ``refused``, ``timed_out``, ``retransmitted``, ``concurrent``,
        ``most_concurrent``, ``bytes_received``, ``bytes_delivered``, and whatever else the tables count;
        ``tcp.refused`` is of one table. With ``/s`` behind, each second: ``established/s``. Payload each
        second, in bits: ``goodput`` (received in order), ``delivered`` (acknowledged by the other end). Times
        in nanoseconds: ``time_to_open`` (SYN to SYN-ACK), ``time_to_first_byte`` and ``time_to_last_byte``
        (from the request), with ``.min``, ``.mean``, ``.max`` or a percentile: ``time_to_first_byte.p99``.

        | `Get Session Statistics` | users | reset | == | ${0} |
        | `Get Session Statistics` | users | time_to_first_byte.p99 | <= | 5 ms |
        | ${all} = | `Get Session Statistics` | users |
        """
        return self._get.statistic(name, statistic, operator, expected, message)

    @keyword(tags=["measure"])
    def measure_connection_rate(self, name: str, duration: Duration = ONE_SECOND) -> SessionResult:
        """Measures for a time how many connections running clients establish each second (RFC 3511 §5.3).

        | =Argument= | =Meaning= |
        | ``name`` | of clients, or of a responder, that run |
        | ``duration`` | of measuring |

        A time in which the tester itself fell short is measured again, at most three times in all.
        Returns a result; ``${result.trial.connection_rate}`` is the number each second, and
        ``${result.trial.statistics}`` all that was counted in that time.

        | ${result} = | `Measure Connection Rate` | users | duration=10 s |
        | `Verify Connection Rate Above` | 5000/s |
        """
        return self._measured("connection rate", name, duration)

    @keyword(tags=["measure"])
    def measure_goodput(self, name: str, duration: Duration = ONE_SECOND) -> SessionResult:
        """Measures for a time the payload that arrives in order at running clients (RFC 2647 §3.7).

        | =Argument= | =Meaning= |
        | ``name`` | of clients, or of a responder, that run: whoever receives |
        | ``duration`` | of measuring |

        Returns a result; ``${result.trial.goodput_bps}`` is in bits each second.

        | ${result} = | `Measure Goodput` | users | duration=30 s |
        | `Verify Goodput Above` | 4 Gbps |
        """
        return self._measured("goodput", name, duration)

    @keyword(tags=["find"])
    def find_maximum_connection_rate(
        self,
        name: str,
        lowest: Frequency = _SLOW,
        highest: Frequency = _FAST,
        duration: Duration = ONE_SECOND,
        failures: Ratio = _NONE,
        resolution: Ratio = _TWO_PERCENT,
    ) -> MaximumResult:
        """Searches the most connections that the device opens each second (RFC 3511 §5.3).

        | =Argument= | =Meaning= |
        | ``name`` | of clients that have been started: they start again at each rate |
        | ``lowest`` | rate at which the search begins, doubling it |
        | ``highest`` | rate beyond which it does not go |
        | ``duration`` | of each trial |
        | ``failures`` | part of the connections that may fail |
        | ``resolution`` | how far apart, of the rate, its bounds are in the end at most |

        A rate passes if so many connections are established, within 1 %, and no more than ``failures`` fail.
        Give the clients enough ``connections`` to open others while some still end.

        Returns a result: ``maximum`` (each second), ``failed_at``, ``limited_by`` (SEARCH, DEVICE, TESTER).

        | ${result} = | `Find Maximum Connection Rate` | users | lowest=1000/s | duration=5 s |
        | `Verify Connection Rate Above` | 5000/s | ${result} |
        """
        search = MaximumSearch(
            quantity=Quantity.RATE,
            lowest=int(lowest.per_second),
            highest=int(highest.per_second),
            duration=duration,
            failures=failures,
            resolution=resolution,
        )
        ends = self._session.tester.ends
        return self._session.found(find_maximum(RateMeasurer(ends, name), search))

    @keyword(tags=["find"])
    def find_maximum_concurrent_connections(
        self,
        name: str,
        lowest: int = 100,
        highest: int = 1_000_000,
        duration: Duration = ONE_SECOND,
        failures: Ratio = _NONE,
        resolution: Ratio = _TWO_PERCENT,
    ) -> MaximumResult:
        """Searches how many connections the device holds at once (RFC 3511 §5.2).

        | =Argument= | =Meaning= |
        | ``name`` | of clients that have been started: they start again with each number |
        | ``lowest`` | number at which the search begins, doubling it |
        | ``highest`` | number beyond which it does not go |
        | ``duration`` | for which they are held, once there was time to open all at the clients' rate |
        | ``failures`` | part of the connections that may fail |
        | ``resolution`` | how far apart, of the number, its bounds are in the end at most; 0.001 % is exact |

        Clients of `Start TCP Clients` hold the connections, whatever their ``hold`` is, and close them again
        after each trial; so the device is empty before the next one.

        | `Start TCP Clients` | users | 192.0.2.10:80 | flow_size=0 | rate=2000/s |
        | ${result} = | `Find Maximum Concurrent Connections` | users | lowest=1000 |
        | `Verify Concurrent Connections Above` | 50000 | ${result} |
        """
        search = MaximumSearch(
            quantity=Quantity.CONCURRENT,
            lowest=lowest,
            highest=highest,
            duration=duration,
            failures=failures,
            resolution=resolution,
        )
        ends = self._session.tester.ends
        return self._session.found(find_maximum(ConcurrencyMeasurer(ends, name), search))

    @keyword(tags=["verify"])
    def verify_connection_rate_above(
        self, bound: Frequency, measured: Trial | Result | None = None
    ) -> Verdict:
        """Passes if at least so many connections were established each second.

        | =Argument= | =Meaning= |
        | ``bound`` | ``5000/s`` |
        | ``measured`` | a result of `Measure Connection Rate` or a search; the last one, if it is left out |

        | `Verify Connection Rate Above` | 5000/s |
        """
        judged = self._judged(measured)
        if isinstance(judged, MaximumResult):
            return self._maximum(judged, Quantity.RATE, bound.per_second, str(bound))
        return self._session.conclude(connection_rate_above(judged.trial, bound))

    @keyword(tags=["verify"])
    def verify_concurrent_connections_above(
        self, bound: int, measured: Trial | Result | None = None
    ) -> Verdict:
        """Passes if the device held at least so many connections at once.

        | =Argument= | =Meaning= |
        | ``bound`` | ``50000`` |
        | ``measured`` | a result of `Find Maximum Concurrent Connections`; the last one, if it is left out |

        | `Verify Concurrent Connections Above` | 50000 |
        """
        judged = self._judged(measured)
        if not isinstance(judged, MaximumResult):
            raise TesterLibraryError("give a result of Find Maximum Concurrent Connections")
        return self._maximum(judged, Quantity.CONCURRENT, bound, f"{bound:,}")

    @keyword(tags=["verify"])
    def verify_goodput_above(self, bound: Bandwidth, measured: Trial | Result | None = None) -> Verdict:
        """Passes if at least so many bits of payload arrived in order each second.

        | =Argument= | =Meaning= |
        | ``bound`` | ``4 Gbps`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |

        | `Verify Goodput Above` | 4 Gbps |
        """
        return self._session.conclude(goodput_above(self._judged(measured).trial, bound))

    @keyword(tags=["verify"])
    def verify_time_to_first_byte_below(
        self, bound: Duration, measured: Trial | Result | None = None, percentile: float = 99
    ) -> Verdict:
        """Passes if a percentile of the time from a request to the response's header is at most the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | a time such as ``5 ms`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |
        | ``percentile`` | above 0 up to 100; 100 is the maximum |

        | `Verify Time To First Byte Below` | 5 ms | percentile=99 |
        """
        trial = self._judged(measured).trial
        return self._session.conclude(time_below(trial, "time_to_first_byte", bound, percentile))

    @keyword(tags=["verify"])
    def verify_session_time_below(
        self, time: str, bound: Duration, measured: Trial | Result | None = None, percentile: float = 99
    ) -> Verdict:
        """Passes if a percentile of a time of connections is at most the bound.

        | =Argument= | =Meaning= |
        | ``time`` | ``time_to_open``, ``time_to_first_byte``, ``time_to_last_byte``, or one of your tables |
        | ``bound`` | a time such as ``5 ms`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |
        | ``percentile`` | above 0 up to 100; 100 is the maximum |

        | `Verify Session Time Below` | time_to_open | 1 ms |
        """
        return self._session.conclude(time_below(self._judged(measured).trial, time, bound, percentile))

    @keyword(tags=["verify"])
    def verify_failed_connections_below(
        self, bound: Ratio, measured: Trial | Result | None = None
    ) -> Verdict:
        """Passes if no greater part of the connections failed than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.1 %`` |
        | ``measured`` | a result of `Measure Goodput` and the like; the last one of the test, if left out |

        | `Verify Failed Connections Below` | 0 |
        """
        return self._session.conclude(failures_below([self._judged(measured).trial], bound))

    def _measured(self, title: str, name: str, duration: Duration) -> SessionResult:
        self._session.progress.begin(f"{title} of {name}")
        return self._session.found(session_result(self._session.tester.ends.measure_well(name, duration)))

    def _judged(self, measured: Trial | Result | None) -> SessionResult | MaximumResult:
        judged = self._session.judged(measured)
        if isinstance(judged, SessionResult | MaximumResult):
            return judged
        raise TesterLibraryError(f"this says nothing about connections; measure them first: {judged}")

    def _maximum(self, judged: MaximumResult, quantity: Quantity, bound: Any, text: str) -> Verdict:
        if judged.search.quantity is not quantity:
            raise TesterLibraryError(f"this is not about the {quantity.value}: {judged}")
        return self._session.conclude(judged.verdict_above(bound, text))
