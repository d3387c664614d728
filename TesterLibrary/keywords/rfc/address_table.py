# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the addresses that a bridge learns (RFC 2889 §5.7, §5.8)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.address_table import (
    AddressRateResult,
    CapacityResult,
    find_address_capacity,
    find_address_learning_rate,
)
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.procedures.addresses import AddressPorts, TableMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

_THOUSAND, _HUNDRED_THOUSAND = Frequency.parse("1 k/s"), Frequency.parse("100 k/s")
_FIVE_MINUTES = Duration(300 * 10**9)  # ageing time of IEEE 802.1D


@component
class AddressTable:
    """The addresses that a bridge learns from the frames that it forwards."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "find"])
    def find_address_capacity(
        self,
        learn: str = "p1",
        test: str = "p2",
        lowest: int = 16,
        highest: int = 1_048_576,
        resolution: Ratio = Ratio.parse("0 %"),
        rate: Frequency = _THOUSAND,
        probe_rate: Frequency = _THOUSAND,
        ageing: Duration = _FIVE_MINUTES,
    ) -> CapacityResult:
        """Searches the most addresses that a bridge knows at once (address caching capacity, RFC 2889 §5.7).

        | ``learn`` | the port of the tester where the addresses are |
        | ``test`` | the port from which a frame is sent to each address |
        | ``lowest`` | the number of addresses at which the search begins |
        | ``highest`` | the number of addresses above which the search does not go |
        | ``resolution`` | how close the bounds are at the end, in ``%`` of the capacity; 0: exactly |
        | ``rate`` | frames from which the bridge learns, sent per second |
        | ``probe_rate`` | frames to the addresses, sent per second |
        | ``ageing`` | the ageing time of the bridge; each check is shorter and is followed by this pause |

        The tester watches all other ports of the testbed. A frame that arrives there was flooded, so the
        bridge does not know its address. The first frames go to unused addresses, to see that the bridge
        floods them. A number is too high if none of three checks found all addresses known.

        The search ends early, and says so, if learning and probing more addresses at these rates takes longer
        than ``ageing``: the bridge would have forgotten the first ones. With both rates of 1 k/s and 300 s
        the limit is 149,799 addresses; with 10 k/s it is ten times that. A check that took too long says
        nothing about the device. Even ``lowest`` addresses may take longer than ``ageing``: then the keyword
        raises an error, which says which rates are enough.

        Returns a result: ``capacity`` (the addresses of both ports included), ``passed``, ``failed`` and
        ``checks``.

        | ${result} = | `Find Address Capacity` | highest=32768 | ageing=300 s |
        | `Verify Address Capacity Above` | 8192 | ${result} |
        """
        suite = self._suite
        measurer = TableMeasurer(suite.tester, AddressPorts(learn, test, probe_rate), rest=ageing)
        suite.progress.begin(f"address capacity of {learn}")
        return suite.found(
            find_address_capacity(
                measurer,
                f"port {learn}",
                lowest=lowest,
                highest=highest,
                rate=rate,
                resolution=resolution,
            )
        )

    @keyword(tags=["rfc2889", "find"])
    def find_address_learning_rate(
        self,
        addresses: int = 1000,
        learn: str = "p1",
        test: str = "p2",
        lowest: Frequency = _THOUSAND,
        highest: Frequency = _HUNDRED_THOUSAND,
        resolution: Ratio = Ratio.parse("2 %"),
        probe_rate: Frequency = _THOUSAND,
        ageing: Duration = _FIVE_MINUTES,
    ) -> AddressRateResult:
        """Searches the highest rate at which a bridge learns every address (RFC 2889 §5.8).

        | ``addresses`` | how many addresses each check has; no more than the table of the bridge holds |
        | ``learn`` | the port of the tester where the addresses are |
        | ``test`` | the port from which a frame is sent to each address |
        | ``lowest`` | the rate at which the search begins |
        | ``highest`` | the rate above which the search does not go |
        | ``resolution`` | how close the bounds are at the end, in ``%`` of the rate |
        | ``probe_rate`` | frames to the addresses, sent per second |
        | ``ageing`` | the ageing time of the bridge; each check is shorter and is followed by this pause |

        If learning at the ``lowest`` rate and probing take longer than ``ageing``, the keyword refuses the
        addresses and says which rates are enough. Each check has new addresses. After a rate that was too
        high the search tries the lowest rate again: if the bridge does not learn then, its table may be full,
        and the verdict is INCONCLUSIVE.

        Returns a result: ``passed`` (addresses per second), ``failed`` and ``checks``.

        | ${result} = | `Find Address Learning Rate` | addresses=4096 | ageing=300 s |
        | `Verify Address Learning Rate Above` | 10 k/s | ${result} |
        """
        suite = self._suite
        measurer = TableMeasurer(suite.tester, AddressPorts(learn, test, probe_rate), rest=ageing)
        suite.progress.begin(f"address learning rate of {learn}")
        return suite.found(
            find_address_learning_rate(
                measurer,
                f"port {learn}",
                addresses=addresses,
                lowest=int(lowest.per_second),
                highest=int(highest.per_second),
                resolution=resolution,
            )
        )

    @keyword(tags=["rfc2889", "verify"])
    @verifies(CapacityResult, at_least, source="Find Address Capacity")
    def verify_address_capacity_above(self, result: CapacityResult, bound: int) -> Verdict:
        """Passes if the bridge knew at least this number of addresses at once.

        | ``bound`` | the least number of addresses, those of the tester's two ports included |

        | `Verify Address Capacity Above` | 8192 |
        """
        return result.verdict_above(bound)

    @keyword(tags=["rfc2889", "verify"])
    @verifies(AddressRateResult, at_least, source="Find Address Learning Rate")
    def verify_address_learning_rate_above(self, result: AddressRateResult, bound: Frequency) -> Verdict:
        """Passes if the bridge learned at least this number of addresses each second.

        | ``bound`` | the least rate, such as ``10 k/s`` |

        | `Verify Address Learning Rate Above` | 10 k/s |
        """
        return result.verdict_above(bound)
