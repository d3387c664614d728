# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the neighbours that a router learns by ARP and by neighbour discovery."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...methodology.learning import (
    CacheResult,
    LearningResult,
    all_learned,
    capacity_above,
    find_capacity,
    learning_rate_above,
)
from ...methodology.verdicts.tolerance import at_least
from ...model.endpoints import AddressRange
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Ratio
from ...running.announcement import Announcement, Neighbours
from ...running.neighbours import NeighbourMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._assertion import asserted
from .._component import component

_SIX_SECONDS = Duration(6 * 10**9)
_TEN_THOUSAND = Frequency.parse("10 k/s")
_LONGEST = Fraction(90)  # bytes of an announcement; that of IPv6


@component
class Learning:
    """Neighbours that are announced on one port, and reached from another."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc8161", "measure"])
    def measure_neighbour_learning_rate(
        self,
        addresses: AddressRange,
        announce: str = "p1",
        probe: str = "p2",
        rate: Frequency | None = None,
        probe_rate: Frequency | None = None,
        kind: Announcement = Announcement.REPLY,
        mac: str | None = None,
    ) -> LearningResult:
        """Announces addresses on one port while UDP to them comes from the other (norma §8).

        | =Argument= | =Meaning= |
        | ``addresses`` | ``198.18.64.0/22``: in the network of the port, unknown to the device so far |
        | ``announce`` | the port of the tester where they are announced, again and again |
        | ``probe`` | the port from which UDP is sent to each of them in turn |
        | ``rate`` | announcements a second; 10 k/s, or half of what a slower port carries, if left out |
        | ``probe_rate`` | UDP frames a second; the same, if left out |
        | ``kind`` | ``reply``, ``request``, ``gratuitous`` or ``answer``, as the table below says |
        | ``mac`` | the MAC address that is announced; that of the port, if left out |

        | =Kind= | =IPv4= | =IPv6= |
        | ``reply`` | an ARP reply that nobody has asked for | such an advertisement to the device |
        | ``request`` | a question for the device (RFC 826) | a solicitation (RFC 4861 §7.2.3) |
        | ``gratuitous`` | a gratuitous request (RFC 5227 §3) | an advertisement to all (RFC 9131) |
        | ``answer`` | nothing: the device asks, and is answered | the same (RFC 8161) |

        Except with ``answer`` the tester does not answer when the device asks who has one of them, unless a
        responder was started for it. A device that does not know the first address after it was announced
        learns from no announcement of this kind: the rate is 0. Of addresses that were all probed before,
        none can tell: the device may have asked for them, and all that it then learned is INCONCLUSIVE.
        Otherwise an address is learned once a frame to it has arrived. When all are, or none was for a second
        and two rounds, announcements end, and those to which the device still forwards are counted.

        Returns a result: ``${result.trial.learning_rate}`` is in entries each second, from the first
        announcement until the last address was reached; ``${result.trial.learned}`` are known at once.

        A device that takes no unsolicited replies learns from ``request``, as most do in IPv6. With
        ``answer`` the rate is that of resolution: from the first frame until one has arrived at each address.

        | ${result} = | `Measure Neighbour Learning Rate` | 198.18.64.0/22 | announce=p1 | probe=p2 |
        | `Verify Learning Rate Above` | 450 entries/s |
        | `Verify All Learned` |
        """
        neighbours = self._neighbours(addresses, announce, probe, rate, probe_rate, kind, mac)
        measurer = NeighbourMeasurer(self._suite.tester, neighbours)
        self._suite.progress.begin(f"learning of {addresses}")
        trial = measurer.measure(addresses.count)
        return self._suite.found(LearningResult(title=str(addresses), trials=(), trial=trial))

    @keyword(tags=["rfc8161", "find"])
    def find_neighbour_cache_capacity(
        self,
        addresses: AddressRange,
        announce: str = "p1",
        probe: str = "p2",
        lowest: int = 128,
        rate: Frequency | None = None,
        probe_rate: Frequency | None = None,
        kind: Announcement = Announcement.REPLY,
        rest: Duration = _SIX_SECONDS,
    ) -> CacheResult:
        """Searches how many neighbours the device knows at once, exactly (RFC 8161, RFC 2889 §5.7).

        | =Argument= | =Meaning= |
        | ``addresses`` | addresses, the first ones of which are announced; no more are tried |
        | ``announce`` | the port of the tester where they are announced |
        | ``probe`` | the port from which they are reached |
        | ``lowest`` | the number at which the search begins, doubling it |
        | ``rate`` | announcements a second; 10 k/s, or half of what a slower port carries, if left out |
        | ``probe_rate`` | UDP frames a second; the same, if left out |
        | ``kind`` | the kind of announcement, as in `Measure Neighbour Learning Rate` |
        | ``rest`` | the pause in which the device can forget what it could not learn; Linux needs 5 s |

        A number that is not all learned is announced and counted three times before it counts as too many.
        A device that does not know an address after it was announced, before anything was sent to it, learns
        from no announcement of this kind: it holds none, whatever it learns from questions of its own.
        ``${result.capacity}`` addresses were known at once, ``${result.failed_at}`` were not. What else the
        device knows, such as the tester's own addresses, takes room of its table too.

        | ${result} = | `Find Neighbour Cache Capacity` | 198.18.64.0/20 |
        | `Verify Neighbour Cache Capacity Above` | 1000 |
        """
        neighbours = self._neighbours(addresses, announce, probe, rate, probe_rate, kind)
        measurer = NeighbourMeasurer(self._suite.tester, neighbours, rest=rest)
        self._suite.progress.begin(f"neighbour cache of {addresses}")
        return self._suite.found(find_capacity(measurer, str(addresses), lowest, addresses.count))

    @keyword(tags=["send"])
    def send_neighbour_announcements(
        self,
        addresses: AddressRange,
        announce: str = "p1",
        probe: str = "p2",
        rate: Frequency | None = None,
        kind: Announcement = Announcement.REPLY,
        mac: str | None = None,
    ) -> int:
        """Announces each address once. Returns how many announcements left.

        | =Argument= | =Meaning= |
        | ``addresses`` | IPv4 or IPv6 addresses in the network of the port |
        | ``announce`` | the port of the tester |
        | ``probe`` | another port of the tester, on which nothing of them is expected |
        | ``rate`` | announcements a second; 10 k/s, or half of what a slower port carries, if left out |
        | ``kind`` | the kind of announcement, as in `Measure Neighbour Learning Rate` |
        | ``mac`` | the MAC address that is announced; that of the port, if left out |

        | `Send Neighbour Announcements` | 198.18.64.0/24 | kind=gratuitous | mac=02:00:00:00:aa:01 |
        """
        neighbours = self._neighbours(addresses, announce, probe, rate, rate, kind, mac)
        return NeighbourMeasurer(self._suite.tester, neighbours).announce()

    @keyword(tags=["get"])
    def get_known_neighbours(
        self,
        addresses: AddressRange,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
        announce: str = "p1",
        probe: str = "p2",
        probe_rate: Frequency | None = None,
    ) -> int:
        """Returns to how many of these addresses the device forwards now, and asserts if asked to.

        | =Argument= | =Meaning= |
        | ``addresses`` | IPv4 or IPv6 addresses; two UDP frames are sent to each |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many addresses |
        | ``message`` | a text in place of the usual one if the assertion fails |
        | ``announce`` | the port of the tester where the addresses are |
        | ``probe`` | the port from which they are reached |
        | ``probe_rate`` | UDP frames a second; 10 k/s, or half of what a slower port carries, if left out |

        Nothing is announced for it, and the tester does not answer the device's own questions for these
        addresses unless `Start ARP Responder` was called for them.

        | `Get Known Neighbours` | 198.18.64.0/24 | == | 254 |
        """
        neighbours = self._neighbours(addresses, announce, probe, probe_rate, probe_rate)
        counted = NeighbourMeasurer(self._suite.tester, neighbours).counted()
        return int(
            asserted(
                self._suite,
                counted.known,
                assertion_operator,
                assertion_expected,
                subject=f"known neighbours of {addresses}",
                doubt="; ".join(counted.objections),
                message=message,
            )
        )

    @keyword(tags=["verify"])
    def verify_all_learned(self, measured: LearningResult | None = None) -> Verdict:
        """Passes if the device knew every address that was announced, all of them at once.

        | =Argument= | =Meaning= |
        | ``measured`` | a result of `Measure Neighbour Learning Rate`; the last one, if left out |

        | `Verify All Learned` |
        """
        return self._suite.conclude(all_learned(self._judged(measured, LearningResult)))

    @keyword(tags=["verify"])
    def verify_learning_rate_above(
        self, bound: Frequency, measured: LearningResult | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device learned at least so many addresses each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least learning rate, such as ``450 entries/s`` |
        | ``measured`` | a result of `Measure Neighbour Learning Rate`; the last one, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Learning Rate Above` | 450 entries/s |
        """
        result = self._judged(measured, LearningResult)
        return self._suite.conclude(at_least(lambda bound: learning_rate_above(result, bound), bound, within))

    @keyword(tags=["rfc8161", "verify"])
    def verify_neighbour_cache_capacity_above(
        self, bound: int, measured: CacheResult | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device knew at least so many neighbours at once.

        | =Argument= | =Meaning= |
        | ``bound`` | the least number of addresses, such as ``1000`` |
        | ``measured`` | a result of `Find Neighbour Cache Capacity`; the last one of the test, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Neighbour Cache Capacity Above` | 1000 |
        """
        result = self._judged(measured, CacheResult)
        return self._suite.conclude(at_least(lambda bound: capacity_above(result, bound), bound, within))

    def _neighbours(
        self,
        addresses: AddressRange,
        announce: str,
        probe: str,
        rate: Frequency | None,
        probe_rate: Frequency | None,
        kind: Announcement = Announcement.REPLY,
        mac: str | None = None,
    ) -> Neighbours:
        """Neighbours with rates that their ports carry, where none is given."""
        rates = self._rate(rate, announce), self._rate(probe_rate, probe)
        return Neighbours(addresses, announce, probe, *rates, kind, mac)

    def _rate(self, asked: Frequency | None, port: str) -> Frequency:
        """The rate that was asked for, or that of a port: it leaves room for what else is sent there."""
        if asked or port not in self._suite.tester.ports:  # which is refused later
            return asked or _TEN_THOUSAND
        half = self._suite.tester.ports[port].speed.frames_per_second(_LONGEST) / 2
        return min(_TEN_THOUSAND, Frequency(half), key=lambda rate: rate.per_second)

    def _judged(self, measured: Any, kind: Any) -> Any:
        judged = self._suite.judged(measured)
        if isinstance(judged, kind):
            return judged
        raise TesterLibraryError(f"this says nothing about learning of that kind; measure it first: {judged}")
