# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the time after which a device forgets an address."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.ageing import AgeingResult, measure_ageing
from ...methodology.verdicts.tolerance import at_least, at_most
from ...model.endpoints import AddressRange
from ...model.units.quantity import Frequency
from ...model.units.units import Duration
from ...running.procedures.ageing import BridgeAgeing, NeighbourAgeing, neighbours_of
from ...running.procedures.announcement import Announcement
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

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

        | ``addresses`` | neighbours, one for each cycle, in the network of the port; left out for a bridge |
        | ``learn`` | the port of the tester where the address is |
        | ``test`` | the port from which frames are sent to the address |
        | ``watch`` | a third port, to which a bridge floods; by default the first free one |
        | ``cycles`` | how many addresses are learned and forgotten, one after the other |
        | ``rate`` | frames to the address each second; the gap between two frames is the resolution |
        | ``timeout`` | the longest time for which an address is watched; bridges often take 5 minutes |
        | ``kind`` | how a neighbour is announced, as in `Measure Neighbour Learning Rate` |

        A bridge learns an address from one frame. It has forgotten the address when it floods frames to it.
        A neighbour is announced once and does not answer later. The router has forgotten it when it no longer
        forwards frames to it. The frames use the entry, so the router asks for the neighbour: the time is
        that of an address in use.

        Returns a result: ``shortest_ns``, ``longest_ns`` (None if the address was not forgotten) and
        ``measured``.

        | `Measure Ageing Time` | watch=p3 |
        | `Verify Ageing Time Below` | 310 s |

        | `Measure Ageing Time` | 198.18.64.1-198.18.64.3 | cycles=3 |
        | `Verify Ageing Time Above` | 30 s |
        """
        tester = self._suite.tester
        if addresses is None:
            bridge = BridgeAgeing(tester, learn, test, watch, rate)
            return self._measured(bridge, f"an address at {learn}", f"at {learn}", cycles, timeout)
        router = NeighbourAgeing(tester, neighbours_of(addresses, learn, test, rate, kind))
        return self._measured(router, str(addresses), f"for {addresses}", cycles, timeout)

    @keyword(tags=["verify"])
    @verifies(AgeingResult, at_least, source="Measure Ageing Time")
    def verify_ageing_time_above(self, result: AgeingResult, bound: Duration) -> Verdict:
        """Passes if the device knew each address for at least this time.

        | ``bound`` | the least ageing time, such as ``30 s`` |

        | `Verify Ageing Time Above` | 30 s |
        """
        return result.verdict_above(bound)

    @keyword(tags=["verify"])
    @verifies(AgeingResult, at_most, source="Measure Ageing Time")
    def verify_ageing_time_below(self, result: AgeingResult, bound: Duration) -> Verdict:
        """Passes if the device forgot each address after at most this time.

        | ``bound`` | the greatest ageing time, such as ``310 s`` |

        | `Verify Ageing Time Below` | 310 s | within=2 % |
        """
        return result.verdict_below(bound)

    def _measured(
        self,
        device: BridgeAgeing | NeighbourAgeing,
        subject: str,
        title: str,
        cycles: int,
        timeout: Duration,
    ) -> AgeingResult:
        self._suite.progress.begin(f"ageing of {subject}")
        return self._suite.found(measure_ageing(device, title, cycles=cycles, timeout=timeout))
