# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the time after which a device forgets an address."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.ageing import AgeingResult, measure_ageing
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_least, at_most
from ...model.endpoints import AddressRange
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.ageing import BridgeAgeing, NeighbourAgeing, neighbours_of
from ...running.announcement import Announcement
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_HUNDRED = Frequency.parse("100/s")
_SEVEN_MINUTES = Duration(420 * 10**9)


@component
class Ageing:
    """Addresses that are learned once, and then forgotten."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["measure"])
    def measure_ageing_time(
        self,
        addresses: AddressRange | None = None,
        learn: str = "p1",
        test: str = "p2",
        watch: str | None = None,
        cycles: int = 1,
        rate: Frequency = _HUNDRED,
        timeout: Duration = _SEVEN_MINUTES,
        kind: Announcement = Announcement.REPLY,
    ) -> AgeingResult:
        """Measures after how long a bridge forgets a MAC address, or a router a neighbour.

        | =Argument= | =Meaning= |
        | ``addresses`` | neighbours, one for each cycle, in the network of the port; left out for a bridge |
        | ``learn`` | the port of the tester where the address is |
        | ``test`` | the port from which frames are sent to it |
        | ``watch`` | a third port, at which frames arrive that a bridge floods; the first one, if left out |
        | ``cycles`` | how many addresses are learned and forgotten, one after the other |
        | ``rate`` | frames to the address each second: the gap between two of them is the resolution |
        | ``timeout`` | for how long an address is watched at most; a bridge usually forgets after 5 minutes |
        | ``kind`` | how a neighbour is announced, as in `Measure Neighbour Learning Rate` |

        A bridge learns an address from one frame, and has forgotten it when frames to it are flooded. A
        neighbour is announced once and never answers; it is forgotten when the router no longer forwards
        frames to it. The frames make a router use the entry, so that it asks: the time is that of an address
        that is in use.

        Returns a result: ``shortest_ns``, ``longest_ns`` (None if it was not forgotten), ``measured``.

        | `Measure Ageing Time` | watch=p3 |
        | `Verify Ageing Time Below` | 310 s |

        | `Measure Ageing Time` | 198.18.64.1-198.18.64.3 | cycles=3 |
        | `Verify Ageing Time Above` | 30 s |
        """
        suite = self._suite
        if addresses is None:
            bridge = BridgeAgeing(suite.tester, learn, test, watch, rate)
            suite.progress.begin(f"ageing of an address at {learn}")
            found = measure_ageing(bridge, f"at {learn}", cycles=cycles, timeout=timeout)
        else:
            router = NeighbourAgeing(suite.tester, neighbours_of(addresses, learn, test, rate, kind))
            suite.progress.begin(f"ageing of {addresses}")
            found = measure_ageing(router, f"for {addresses}", cycles=cycles, timeout=timeout)
        return suite.found(found)

    @keyword(tags=["verify"])
    def verify_ageing_time_above(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if each address was known for at least so long.

        | =Argument= | =Meaning= |
        | ``bound`` | the least ageing time, such as ``30 s`` |
        | ``measured`` | a result of `Measure Ageing Time`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Ageing Time Above` | 30 s |
        """
        return self._suite.conclude(at_least(self._judged(measured).verdict_above, bound, within))

    @keyword(tags=["verify"])
    def verify_ageing_time_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if each address was forgotten after at most so long.

        | =Argument= | =Meaning= |
        | ``bound`` | the greatest ageing time, such as ``310 s`` |
        | ``measured`` | a result of `Measure Ageing Time`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Ageing Time Below` | 310 s | within=2 % |
        """
        return self._suite.conclude(at_most(self._judged(measured).verdict_below, bound, within))

    def _judged(self, measured: Trial | Result | None) -> AgeingResult:
        return self._suite.judged_as(AgeingResult, measured, about="ageing", source="Measure Ageing Time")
