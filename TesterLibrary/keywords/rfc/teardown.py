# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the connections that a device deletes each second (RFC 9693 §4.8)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.teardown import TeardownResult, measure_teardown
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.reset import connections_hook
from ...running.suite import Suite
from ...running.teardown import Teardown
from ...verdict import Verdict
from .._component import component

_FIVE_SECONDS = Duration(5 * 10**9)


@component
class ConnectionTeardown:
    """Connections that the device forgets when it is told to."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_connection_teardown_rate(
        self, name: str, connections: int, repetitions: int = 3, timeout: Duration = _FIVE_SECONDS
    ) -> TeardownResult:
        """Measures how many connections the device deletes each second (RFC 9693 §4.8).

        | =Argument= | =Meaning= |
        | ``name`` | the name of `Start NAT Clients` that run: they start again for each repetition |
        | ``connections`` | how many are opened, at the clients' rate, and held when they are deleted |
        | ``repetitions`` | how often, of which the median counts; RFC 9693 §6 asks for 10 |
        | ``timeout`` | for how long connections are watched that are still there after the hook |

        The testbed's hook ``connections`` deletes them; the time that it takes for an empty table is taken,
        too, and leaves open how fast the device is. The more connections, the less it leaves open: the RFC
        asks for several numbers. The responder goes on asking for connections, so those that are still there
        later are known.

        Returns a result: ``rate`` (each second, that the device reaches at least), ``measured``.

        | `Start NAT Responder` | outside | servers=198.19.1.10:9693 |
        | `Start NAT Clients` | inside | 198.19.1.10:9693 | rate=1000/s |
        | `Measure Connection Teardown Rate` | inside | connections=10000 |
        | `Verify Connection Teardown Rate Above` | 5000/s |
        """
        suite = self._suite
        hook = connections_hook(suite.open_testbed)
        suite.progress.begin(f"connection tear-down rate of {name}")
        measurer = Teardown(suite.tester, suite.connections, name, hook.run, timeout)
        return suite.found(measure_teardown(measurer, name, connections=connections, repetitions=repetitions))

    @keyword(tags=["verify"])
    def verify_connection_teardown_rate_above(
        self, bound: Frequency, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if at least so many connections were deleted each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least connections each second, such as ``5000/s`` |
        | ``measured`` | a result of `Measure Connection Teardown Rate`; the last one, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Connection Teardown Rate Above` | 5000/s |
        """
        result = self._suite.judged_as(
            TeardownResult, measured, about="deleted connections", source="Measure Connection Teardown Rate"
        )
        return self._suite.conclude(at_least(result.verdict_above, bound, within))
