# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the connections that a device deletes each second (RFC 9693 §4.8)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.teardown import TeardownResult, measure_teardown
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration
from ...running.hooks.reset import connections_hook
from ...running.procedures.teardown import Teardown
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

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

        | ``name`` | the name of running `Start NAT Clients`; they start again for each repetition |
        | ``connections`` | how many connections are opened, at the clients' rate, and held until deletion |
        | ``repetitions`` | the number of repetitions; their median counts. RFC 9693 §6 asks for 10 |
        | ``timeout`` | how long connections that survived the hook are watched |

        The testbed's hook ``connections`` deletes them. The time that the hook takes with an empty table is
        measured as well; it limits how exact the rate is. More connections make the rate more exact: the RFC
        asks for several numbers. The responder goes on asking for connections, so the tester knows which
        connections are still there later.

        Returns a result: ``rate`` (per second, which the device reaches at least), ``measured``.

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
    @verifies(TeardownResult, at_least, source="Measure Connection Teardown Rate")
    def verify_connection_teardown_rate_above(self, result: TeardownResult, bound: Frequency) -> Verdict:
        """Passes if the device deleted at least this number of connections each second.

        | ``bound`` | the least rate, such as ``5000/s`` |

        | `Verify Connection Teardown Rate Above` | 5000/s |
        """
        return result.verdict_above(bound)
