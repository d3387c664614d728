# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the connections that a device opens each second (RFC 3511 §5.3)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from ...methodology.result import Result
from ...methodology.sessions import SessionResult, connection_rate_above
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.connection_trials import RateMeasurer, ValidatedRateMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import NO_TIME, judged_sessions, measured_sessions, of_quantity, preparation

_NONE = Ratio.parse(0)
_TWO_PERCENT = Ratio.parse("2 %")
_SLOW = Frequency.parse("100/s")
_FAST = Frequency.parse("1 M/s")


@component
class ConnectionRate:
    """Connections that are established each second."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_connection_rate(self, name: str, duration: Duration | None = None) -> SessionResult:
        """Measures for a time how many connections running clients establish each second (RFC 3511 §5.3).

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients, or of a responder, that run |
        | ``duration`` | how long it measures, such as ``10 s``; as the profile says, if left out |

        A time in which the tester itself fell short is measured again, at most three times in all.
        Returns a result; ``${result.trial.connection_rate}`` is the number each second, and
        ``${result.trial.statistics}`` all that was counted in that time.

        | ${result} = | `Measure Connection Rate` | users | duration=10 s |
        | `Verify Connection Rate Above` | 5000/s |
        """
        return measured_sessions(self._suite, "connection rate", name, duration)

    @keyword(tags=["find"])
    def find_maximum_connection_rate(
        self,
        name: str,
        lowest: Frequency = _SLOW,
        highest: Frequency = _FAST,
        duration: Duration | None = None,
        failures: Ratio = _NONE,
        resolution: Ratio = _TWO_PERCENT,
        rest: Duration = NO_TIME,
        empty: bool = False,
        validate: bool = False,
    ) -> MaximumResult:
        """Searches the most connections that the device opens each second (RFC 3511 §5.3).

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients that have been started: they start again at each rate |
        | ``lowest`` | the rate at which the search begins, doubling it |
        | ``highest`` | the rate beyond which the search does not go |
        | ``duration`` | how long each trial measures at least; as the profile says, if it is left out |
        | ``failures`` | part of the connections that may fail |
        | ``resolution`` | how close the bounds of the rate are in the end, as a part of it |
        | ``rest`` | how long it waits before each trial, for a device that keeps connections for a while |
        | ``empty`` | whether the testbed's hook ``connections`` empties the device before each trial |
        | ``validate`` | whether what was opened is held and asked for once more; `Start NAT Clients` only |

        A rate passes if so many connections are established, within 1 %, and no more than ``failures`` fail.
        At a low rate a trial lasts until 200 connections are due, so that one more or less is within that.
        Give the clients enough ``connections`` to open others while some still end. With ``validate`` all
        that a trial opens are open at its end, and a rate passes if the device still has the entry of each
        then (RFC 9693 §4.6).

        Returns a result: ``maximum`` (each second), ``failed_at``, ``limited_by`` (SEARCH, DEVICE, TESTER).

        | ${result} = | `Find Maximum Connection Rate` | users | lowest=1000/s | duration=5 s |
        | `Verify Connection Rate Above` | 5000/s | ${result} |
        """
        search = MaximumSearch(
            quantity=Quantity.RATE,
            lowest=int(lowest.per_second),
            highest=int(highest.per_second),
            duration=duration or self._suite.profile.trial,
            failures=failures,
            resolution=resolution,
        )
        ends, prepare = self._suite.connections, preparation(self._suite, rest, empty=empty)
        measurer = (ValidatedRateMeasurer if validate else RateMeasurer)(ends, name, prepare)
        return self._suite.found(find_maximum(measurer, search))

    @keyword(tags=["verify"])
    def verify_connection_rate_above(
        self, bound: Frequency, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if at least so many connections were established each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least connections each second, such as ``5000/s`` |
        | ``measured`` | a result of `Measure Connection Rate` or a search; the last one, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Connection Rate Above` | 5000/s |
        """
        judged = judged_sessions(self._suite, measured)
        if isinstance(judged, MaximumResult):
            result = of_quantity(judged, Quantity.RATE)
            return self._suite.conclude(
                at_least(lambda bound: result.verdict_above(bound.per_second, str(bound)), bound, within)
            )
        trial = judged.trial
        return self._suite.conclude(
            at_least(lambda bound: connection_rate_above(trial, bound), bound, within)
        )
