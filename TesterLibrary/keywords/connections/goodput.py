# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for goodput (RFC 2647 §3.7)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.sessions import ConnectionResult, SessionResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Bandwidth, Duration
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import measured_sessions
from .._verifies import verifies


@component
class Goodput:
    """Payload of connections, each byte once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_goodput(self, name: str, duration: Duration | None = None) -> SessionResult:
        """Measures the payload that arrives in order at running clients (RFC 2647 §3.7).

        | ``name`` | the name of running clients or of a running responder: the side that receives |
        | ``duration`` | how long it measures, such as ``10 s``; the profile decides by default |

        Returns a result; ``${result.trial.goodput_bps}`` is in bits per second.

        | ${result} = | `Measure Goodput` | users | duration=30 s |
        | `Verify Goodput Above` | 4 Gbps |
        """
        return measured_sessions(self._suite, "goodput", name, duration)

    @keyword(tags=["verify"])
    @verifies(ConnectionResult, at_least, source="Measure Goodput")
    def verify_goodput_above(self, result: ConnectionResult, bound: Bandwidth) -> Verdict:
        """Passes if at least this rate of payload arrived in order.

        | ``bound`` | the least goodput, such as ``4 Gbps`` |

        | `Verify Goodput Above` | 4 Gbps |
        """
        return result.goodput_above(bound)
