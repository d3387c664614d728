# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the connections that a device holds at once (RFC 3511 §5.2)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.trial import Trial
from ...methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Ratio
from ...running.connection_trials import ConcurrencyMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import NO_TIME, judged_sessions, of_quantity, preparation

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients that have been started: they start again with each number |
        | ``lowest`` | the number at which the search begins, doubling it |
        | ``highest`` | the number beyond which the search does not go |
        | ``duration`` | how long they are held, once there was time to open all at the clients' rate |
        | ``failures`` | part of the connections that may fail |
        | ``resolution`` | how close the bounds of the number are in the end, as a part of it |
        | ``rest`` | how long it waits before each trial, for a device that keeps connections for a while |
        | ``empty`` | whether the testbed's hook ``connections`` empties the device before each trial |

        Clients of `Start TCP Clients` hold the connections, whatever their ``hold`` is, and close them again
        after each trial; so the device is empty before the next one. They send nothing on them, unless
        `Start TCP Clients` was given a ``flow_size``: each connection sends so much before it is held.

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
        ends, prepare = self._suite.connections, preparation(self._suite, rest, empty=empty)
        return self._suite.found(find_maximum(ConcurrencyMeasurer(ends, name, prepare), search))

    @keyword(tags=["verify"])
    def verify_concurrent_connections_above(
        self, bound: int, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device held at least so many connections at once.

        | =Argument= | =Meaning= |
        | ``bound`` | the least number of connections, such as ``50000`` |
        | ``measured`` | a result of `Find Maximum Concurrent Connections`; the last one, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Concurrent Connections Above` | 50000 |
        """
        judged = judged_sessions(self._suite, measured)
        if not isinstance(judged, MaximumResult):
            raise TesterLibraryError("give a result of Find Maximum Concurrent Connections")
        result = of_quantity(judged, Quantity.CONCURRENT)
        return self._suite.conclude(
            at_least(lambda bound: result.verdict_above(bound, f"{bound:,}"), bound, within)
        )
