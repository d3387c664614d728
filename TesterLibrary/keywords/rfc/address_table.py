# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the addresses that a bridge learns (RFC 2889 §5.7, §5.8)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.address_table import (
    AddressRateResult,
    CapacityResult,
    find_address_capacity,
    find_address_learning_rate,
)
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_least
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.addresses import AddressPorts, TableMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

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

        | =Argument= | =Meaning= |
        | ``learn`` | the port of the tester where the addresses are |
        | ``test`` | the port from which a frame is sent to each of them |
        | ``lowest`` | how many addresses the search begins with |
        | ``highest`` | how many it ends with, at most |
        | ``resolution`` | how close the bounds are at the end, in ``%`` of the capacity; 0: exactly |
        | ``rate`` | frames from which the bridge learns, sent per second |
        | ``probe_rate`` | frames to the addresses, sent per second |
        | ``ageing`` | the bridge's ageing time; longer than each check, and waited for after it |

        All other ports of the testbed are monitored: a frame that arrives there was flooded, so its address
        is not known. First frames to addresses that nobody has are sent, to see that the bridge floods them.
        A number counts as too high if none of three checks found all addresses known.

        The search ends early, and tells so, where more addresses at these rates would take ``ageing`` to be
        learned and probed: the bridge would have forgotten the first ones. With both rates of 1 k/s and 300 s
        it ends at 149,799 addresses; 10 k/s are enough for ten times as many. A check that took so long
        nevertheless fails no device.

        Raises an error if ``lowest`` addresses take ``ageing``; it says which rates would do.

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

        | =Argument= | =Meaning= |
        | ``addresses`` | how many it is to learn in each check; no more than its table holds |
        | ``learn`` | the port of the tester where the addresses are |
        | ``test`` | the port from which a frame is sent to each of them |
        | ``lowest`` | the rate with which the search begins |
        | ``highest`` | the rate with which it ends, at most |
        | ``resolution`` | how close the bounds are when the search ends, in ``%`` of the rate |
        | ``probe_rate`` | frames to the addresses, sent per second |
        | ``ageing`` | the bridge's ageing time; longer than each check, and waited for after it |

        Addresses that take ``ageing`` to be learned at the ``lowest`` rate and probed are refused with the
        rates that would do. Each check has addresses that were in no other one. After a rate that was too
        high the lowest rate is tried again: a bridge that does not learn then may have a table that is full,
        and is not judged.

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
    def verify_address_capacity_above(
        self, bound: int, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the bridge knew at least so many addresses at once.

        | =Argument= | =Meaning= |
        | ``bound`` | the least number of addresses, those of the tester's two ports included |
        | ``measured`` | a result of `Find Address Capacity`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Address Capacity Above` | 8192 |
        """
        judged = self._suite.judged_as(
            CapacityResult, measured, about="an address table", source="Find Address Capacity"
        )
        return self._suite.conclude(at_least(judged.verdict_above, bound, within))

    @keyword(tags=["rfc2889", "verify"])
    def verify_address_learning_rate_above(
        self, bound: Frequency, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the bridge learned at least so many addresses each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least rate, such as ``10 k/s`` |
        | ``measured`` | a result of `Find Address Learning Rate`; the last one of the test, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Address Learning Rate Above` | 10 k/s |
        """
        judged = self._suite.judged_as(
            AddressRateResult, measured, about="address learning", source="Find Address Learning Rate"
        )
        return self._suite.conclude(at_least(judged.verdict_above, bound, within))
