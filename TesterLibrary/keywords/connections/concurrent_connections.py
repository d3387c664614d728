# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for how many connections a device holds at once (RFC 3511 §5.2)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from ...methodology.sessions import ConnectionResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Ratio
from ...running.procedures.connection_trials import ConcurrencyMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import NO_TIME, preparation
from .._verifies import verifies

_NONE = Ratio.parse(0)
_TWO_PERCENT = Ratio.parse("2 %")


@component
class ConcurrentConnections:
    """Connections that are open at the same time."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["find"])
    def find_maximum_concurrent_connections(
        self,
        name: str,
        lowest: int = 100,
        highest: int = 1_000_000,
        duration: Duration | None = None,
        failures: Ratio = _NONE,
        resolution: Ratio = _TWO_PERCENT,
        rest: Duration = NO_TIME,
        empty: bool = False,
    ) -> MaximumResult:
        """Searches how many connections the device holds at once (RFC 3511 §5.2).

        | ``name`` | the name of clients that have been started; they start again with each number |
        | ``lowest`` | the number of connections at which the search begins; it doubles from there |
        | ``highest`` | the number of connections above which the search does not go |
        | ``duration`` | how long connections are held, after the time to open all at the clients' rate |
        | ``failures`` | the part of the connections that may fail |
        | ``resolution`` | how close the bounds are at the end, as a part of the number |
        | ``rest`` | the pause before each trial, for a device that keeps connections for a while |
        | ``empty`` | True: the testbed's hook ``connections`` empties the device before each trial |

        Clients of `Start TCP Clients` hold the connections, whatever their ``hold`` is, and close them after
        each trial. So the device is empty before the next trial. They send nothing, unless
        `Start TCP Clients` has a ``flow_size``: then each connection sends it before it is held.

        | `Start TCP Clients` | users | 192.0.2.10:80 | rate=2000/s |
        | ${result} = | `Find Maximum Concurrent Connections` | users | lowest=1000 |
        | `Verify Concurrent Connections Above` | 50000 | ${result} |
        """
        search = MaximumSearch(
            quantity=Quantity.CONCURRENT,
            lowest=lowest,
            highest=highest,
            duration=duration or self._suite.profile.trial,
            failures=failures,
            resolution=resolution,
        )
        prepare = preparation(self._suite, rest, empty=empty)
        return self._suite.found(
            find_maximum(ConcurrencyMeasurer(self._suite.connections, name, prepare), search)
        )

    @keyword(tags=["verify"])
    @verifies(ConnectionResult, at_least, source="Find Maximum Concurrent Connections")
    def verify_concurrent_connections_above(self, result: ConnectionResult, bound: int) -> Verdict:
        """Passes if the device held at least this number of connections at once.

        | ``bound`` | the least number of connections, such as ``50000`` |

        | `Verify Concurrent Connections Above` | 50000 |
        """
        return result.concurrent_connections_above(bound)
