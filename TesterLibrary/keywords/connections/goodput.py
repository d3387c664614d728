# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for goodput: payload that arrives in order (RFC 2647 §3.7)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.sessions import SessionResult, goodput_above
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Bandwidth, Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._sessions import judged_sessions, measured_sessions


@component
class Goodput:
    """Payload of connections, each byte once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_goodput(self, name: str, duration: Duration | None = None) -> SessionResult:
        """Measures for a time the payload that arrives in order at running clients (RFC 2647 §3.7).

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients, or of a responder, that run: whoever receives |
        | ``duration`` | how long it measures, such as ``10 s``; as the profile says, if left out |

        Returns a result; ``${result.trial.goodput_bps}`` is in bits each second.

        | ${result} = | `Measure Goodput` | users | duration=30 s |
        | `Verify Goodput Above` | 4 Gbps |
        """
        return measured_sessions(self._suite, "goodput", name, duration)

    @keyword(tags=["verify"])
    def verify_goodput_above(
        self, bound: Bandwidth, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if at least so many bits of payload arrived in order each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least goodput, such as ``4 Gbps`` |
        | ``measured`` | a result of `Measure Goodput`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Goodput Above` | 4 Gbps |
        """
        trial = judged_sessions(self._suite, measured).trial
        return self._suite.conclude(at_least(lambda bound: goodput_above(trial, bound), bound, within))
