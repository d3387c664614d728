# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the neighbours that a router learns by ARP and by neighbour discovery."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

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
from ...model.units.units import Duration
from ...running.procedures.announcement import Announcement, Neighbours
from ...running.procedures.neighbours import NeighbourMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._assertion import asserted
from .._component import component
from .._verifies import verifies

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
        """Announces addresses on one port while the other port sends UDP to them (norma §8).

        | ``addresses`` | ``198.18.64.0/22``: in the network of the port, and not yet known to the device |
        | ``announce`` | the port of the tester where the addresses are announced, again and again |
        | ``probe`` | the port from which UDP is sent to each address in turn |
        | ``rate`` | announcements per second; by default 10 k/s, or half of what a slower port carries |
        | ``probe_rate`` | UDP frames per second; the same by default |
        | ``kind`` | ``reply``, ``request``, ``gratuitous`` or ``answer``, see below |
        | ``mac`` | the MAC address that is announced; that of the port by default |

        | =Kind= | =IPv4= | =IPv6= |
        | ``reply`` | an unsolicited ARP reply | an unsolicited advertisement to the device |
        | ``request`` | a request for the device (RFC 826) | a solicitation (RFC 4861 §7.2.3) |
        | ``gratuitous`` | a gratuitous request (RFC 5227 §3) | an advertisement to all (RFC 9131) |
        | ``answer`` | nothing: the device asks, and is answered | the same (RFC 8161) |

        The tester does not answer the device's own questions for these addresses, except with ``answer`` or
        if a responder was started for them. If the device does not know the first address after it was
        announced, it does not learn from this kind of announcement, and the rate is 0. Addresses that were
        all probed before show nothing, because the device may have asked for them: the result is INCONCLUSIVE
        then. Otherwise an address is learned once a frame to it has arrived. Announcements end when all
        addresses are learned, or none was for a second and two rounds. Then the tester counts the addresses
        to which the device still forwards.

        Returns a result. ``${result.trial.learning_rate}`` is in entries per second, from the first
        announcement until the last address was reached. ``${result.trial.learned}`` addresses are known at
        once.

        If a device ignores unsolicited replies, use ``request``; most devices need it in IPv6. With
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

        | ``addresses`` | the addresses; the search announces the first of them, and never more than all |
        | ``announce`` | the port of the tester where the addresses are announced |
        | ``probe`` | the port from which the addresses are reached |
        | ``lowest`` | the number of addresses at which the search begins; it doubles from there |
        | ``rate`` | announcements per second; by default 10 k/s, or half of what a slower port carries |
        | ``probe_rate`` | UDP frames per second; the same by default |
        | ``kind`` | the kind of announcement, as in `Measure Neighbour Learning Rate` |
        | ``rest`` | the pause in which the device forgets failed entries; Linux needs 5 s |

        A number is too high if three checks in a row did not find all addresses learned. If the device does
        not know an address after its announcement and before any frame to it, it does not learn from this
        kind of announcement: the capacity is 0, whatever it learns from its own questions.
        ``${result.capacity}`` addresses were known at once, ``${result.failed_at}`` were not. Other
        entries of the device, such as the tester's own addresses, take room in its table as well.

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

        | ``addresses`` | IPv4 or IPv6 addresses in the network of the port |
        | ``announce`` | the port of the tester |
        | ``probe`` | another port of the tester, on which no announcement is expected |
        | ``rate`` | announcements per second; by default 10 k/s, or half of what a slower port carries |
        | ``kind`` | the kind of announcement, as in `Measure Neighbour Learning Rate` |
        | ``mac`` | the MAC address that is announced; that of the port by default |

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
        """Returns to how many addresses the device forwards now, and asserts if an operator is given.

        | ``addresses`` | IPv4 or IPv6 addresses; two UDP frames are sent to each |
        | ``assertion_expected`` | a number of addresses |
        | ``announce`` | the port of the tester where the addresses are |
        | ``probe`` | the port from which the addresses are reached |
        | ``probe_rate`` | UDP frames per second; by default 10 k/s, or half of what a slower port carries |

        It announces nothing. The tester answers the device's own questions for these addresses only if
        `Start ARP Responder` was called for them.

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
    @verifies(LearningResult, source="Measure Neighbour Learning Rate", only=True)
    def verify_all_learned(self, result: LearningResult) -> Verdict:
        """Passes if the device knew all announced addresses at once.

        | `Verify All Learned` |
        """
        return all_learned(result)

    @keyword(tags=["verify"])
    @verifies(LearningResult, at_least, source="Measure Neighbour Learning Rate", only=True)
    def verify_learning_rate_above(self, result: LearningResult, bound: Frequency) -> Verdict:
        """Passes if the device learned at least this number of addresses each second.

        | ``bound`` | the least learning rate, such as ``450 entries/s`` |

        | `Verify Learning Rate Above` | 450 entries/s |
        """
        return learning_rate_above(result, bound)

    @keyword(tags=["rfc8161", "verify"])
    @verifies(CacheResult, at_least, source="Find Neighbour Cache Capacity", only=True)
    def verify_neighbour_cache_capacity_above(self, result: CacheResult, bound: int) -> Verdict:
        """Passes if the device knew at least this number of neighbours at once.

        | ``bound`` | the least number of addresses, such as ``1000`` |

        | `Verify Neighbour Cache Capacity Above` | 1000 |
        """
        return capacity_above(result, bound)

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
        """Neighbours with default rates that their ports carry."""
        rates = self._rate(rate, announce), self._rate(probe_rate, probe)
        return Neighbours(addresses, announce, probe, *rates, kind, mac)

    def _rate(self, rate: Frequency | None, port: str) -> Frequency:
        """The rate, or the default of a port: half of what it carries, as it sends other frames as well."""
        if rate or port not in self._suite.tester.ports:  # an unknown port is refused later
            return rate or _TEN_THOUSAND
        half = self._suite.tester.ports[port].speed.frames_per_second(_LONGEST) / 2
        return min(_TEN_THOUSAND, Frequency(half), key=lambda frequency: frequency.per_second)
