# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for how many connections a device opens each second (RFC 3511 §5.3)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from ...methodology.sessions import ConnectionResult, SessionResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.procedures.connection_trials import RateMeasurer, ValidatedRateMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import NO_TIME, measured_sessions, preparation
from .._verifies import verifies

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
        """Measures how many connections running clients establish each second (RFC 3511 §5.3).

        | ``name`` | the name of running clients, or of a running responder |
        | ``duration`` | how long it measures, such as ``10 s``; the profile decides by default |

        A measurement in which the tester itself fell short is repeated, at most three times in all. Returns a
        result: ``${result.trial.connection_rate}`` is the number per second, and
        ``${result.trial.statistics}`` has all counters of that time.

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

        | ``name`` | the name of clients that have been started; they start again at each rate |
        | ``lowest`` | the rate at which the search begins; it doubles from there |
        | ``highest`` | the rate above which the search does not go |
        | ``duration`` | the least time of each trial; the profile decides by default |
        | ``failures`` | the part of the connections that may fail |
        | ``resolution`` | how close the bounds are at the end, as a part of the rate |
        | ``rest`` | the pause before each trial, for a device that keeps connections for a while |
        | ``empty`` | True: the testbed's hook ``connections`` empties the device before each trial |
        | ``validate`` | True: connections are held and checked once more; `Start NAT Clients` only |

        A rate passes if it is reached within 1 %, and at most ``failures`` of the connections fail. At a low
        rate a trial lasts until 200 connections are due, so that one connection is within this 1 %. Give the
        clients enough ``connections`` to open others while some still end. With ``validate`` all connections
        of a trial are open at its end, and a rate passes if the device still has the entry of each
        (RFC 9693 §4.6).

        Returns a result: ``maximum`` (per second), ``failed_at``, ``limited_by`` (SEARCH, DEVICE, TESTER).

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
    @verifies(ConnectionResult, at_least, source="Measure Connection Rate or Find Maximum Connection Rate")
    def verify_connection_rate_above(self, result: ConnectionResult, bound: Frequency) -> Verdict:
        """Passes if at least this number of connections was established each second.

        | ``bound`` | the least rate, such as ``5000/s`` |

        | `Verify Connection Rate Above` | 5000/s |
        """
        return result.connection_rate_above(bound)
