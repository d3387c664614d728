# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for multicast groups: hosts that join and leave them, and frames that are sent to them."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...errors import PlanError
from ...methodology.groups.group_delay import GroupDelay, GroupDelayResult, measure_group_delays
from ...methodology.groups.group_leak import multicast_leak
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.endpoints import AddressRange
from ...model.headers import HeaderStack
from ...model.membership import GroupProtocol, Membership
from ...model.multicast import group_stream
from ...model.units.quantity import Frequency
from ...model.units.units import LINE_RATE, Duration, FrameSizes, Rate
from ...running.memberships import JoinManner
from ...running.procedures.group_delay import DelayMeasurer, DelayTimes
from ...running.suite import Suite
from ...verdict import Verdict
from .._burden import burden_of
from .._component import component
from .._verifies import verifies

_GROUP = AddressRange.parse("239.1.1.1")
_THOUSAND = Frequency.parse("1 k/s")
_SECOND = Duration(10**9)
_TEN_SECONDS = Duration(10 * 10**9)
_THREE_SECONDS = Duration(3 * 10**9)
_HALF_A_SECOND = Duration(500_000_000)


@component
class Multicast:
    """Groups that ports of the tester join, as hosts do by IGMP and MLD, and frames to these groups."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc3918", "stream"])
    def create_multicast_stream(
        self,
        name: str,
        *ports: str,
        groups: AddressRange = _GROUP,
        frame_size: FrameSizes | None = None,
        rate: Rate = LINE_RATE,
        tunnel: HeaderStack | None = None,
    ) -> str:
        """Describes a stream to multicast groups with several members (RFC 3918 §4). Returns its name.

        | ``name`` | the name of the stream; an existing stream of this name is replaced |
        | ``ports`` | the port that sends, then the members; all ports of the testbed by default |
        | ``groups`` | ``239.1.1.1-239.1.1.50``, or IPv6 groups; frames go to one after the other |
        | ``frame_size`` | bytes, FCS included, or a mix; by default 64, and 82 over IPv6 |
        | ``rate`` | the rate of all groups together, as in `Create Stream` |
        | ``tunnel`` | headers in front of the IP header to the group; ``Ether`` alone by default |

        A frame is lost if it misses one of the members, so `Find Throughput` finds the aggregated multicast
        throughput (§4.3). Together with a unicast stream it finds the throughput of both classes (§4.1).
        Latency, order and received rate are measured at the first member. At the other members the frames are
        counted together: a port that gets frames twice hides that another port misses as many.

        Members receive nothing before `Join Group` was called for them. Until each member has joined each
        group, verdicts on missing frames are INCONCLUSIVE. A device that floods is judged, because no frame
        is missing.

        | `Create Multicast Stream` | video | p1 | p2 | p3 | groups=239.1.1.1-239.1.1.50 |
        | `Join Group` | p2 | 239.1.1.1-239.1.1.50 |
        | `Join Group` | p3 | 239.1.1.1-239.1.1.50 |
        | ${result} = | `Find Throughput` | video |
        | `Verify No Multicast Leak` | ${result} |

        If the device removes the headers of a ``tunnel``, `Find Throughput` finds the decapsulation
        throughput (§4.4). A tunnel that carries frames ends in ``Ether``.

        | `Create Multicast Stream` | out | p2 | p1 | tunnel=Ether / IP(dst=198.19.2.1) / GRE / Ether |
        """
        sender, *members = ports or tuple(sorted(self._suite.tester.ports))
        stream = group_stream(name, sender, members, groups, frame_size=frame_size, rate=rate, tunnel=tunnel)
        self._suite.put(stream)
        return name

    @keyword(tags=["rfc3918"])
    def join_group(
        self,
        port: str,
        *groups: AddressRange,
        protocol: GroupProtocol | None = None,
        rate: Frequency = _THOUSAND,
        robustness: int = 2,
        interval: Duration = _SECOND,
        answer: bool = True,
    ) -> None:
        """Lets a port of the tester join multicast groups, until `Leave Group` or the end of the test.

        | ``port`` | the port of the tester where the host is |
        | ``groups`` | groups, such as ``239.1.1.1``, ``239.1.1.1-239.1.1.50`` or ``ff0e::1`` |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1 by default |
        | ``rate`` | reports sent per second |
        | ``robustness`` | how many times each group is reported, in case a report is lost (RFC 2236 §8.1) |
        | ``interval`` | the time between two reports of a group |
        | ``answer`` | True: the port answers queries, as a host does |

        The port answers the device's queries for these groups: general queries, and queries for one group
        after another member has left. It answers within seven eighths of the time that the query allows. With
        IGMPv2 and MLDv1 it does not answer if it hears another host's report of the group meanwhile. With
        ``igmpv3`` and ``mldv2`` it joins for all sources (RFC 3376, RFC 3810), and answers a querier of an
        older version in that version. With ``answer=False`` the device forgets the groups some time after
        their last report. A switch cannot answer, so on a switch ``answer=False`` is required.

        | `Join Group` | p2 | 239.1.1.1-239.1.1.50 | protocol=igmpv3 |
        """
        if not groups:
            raise PlanError("no group is given; give one or more, such as 239.1.1.1")
        manner = JoinManner(rate, robustness, interval, answer)
        for membership in [Membership(port, group, protocol) for group in groups]:
            self._suite.memberships.join(membership, manner)

    @keyword(tags=["rfc3918"])
    def leave_group(self, port: str, *groups: AddressRange, rate: Frequency = _THOUSAND) -> None:
        """Lets a port leave multicast groups that it has joined.

        | ``port`` | the port of the tester |
        | ``groups`` | groups as they were given to `Join Group`; all groups of the port by default |
        | ``rate`` | leaves sent per second |

        The device asks whether another host wants the group. It forwards the group until the time for an
        answer is over.

        | `Leave Group` | p2 | 239.1.1.1-239.1.1.50 |
        """
        self._suite.memberships.leave(port, groups, rate)

    @keyword(tags=["rfc3918", "measure"])
    def measure_group_delays(
        self,
        name: str,
        port: str | None = None,
        rate: Rate | None = None,
        cycles: int = 3,
        protocol: GroupProtocol | None = None,
        lead: Duration = _HALF_A_SECOND,
        timeout: Duration = _TEN_SECONDS,
        silence: Duration = _THREE_SECONDS,
        burden: str | None = None,
    ) -> GroupDelayResult:
        """Measures how long a device takes to forward a group after a join, and after a leave (RFC 3918 §6).

        | ``name`` | the name of a stream of `Create Multicast Stream` with one group |
        | ``port`` | the port that joins and leaves; the first member of the stream by default |
        | ``rate`` | the rate of the group, in place of its own; the gap between frames is the resolution |
        | ``cycles`` | how often the port joins and leaves |
        | ``protocol`` | as in `Join Group` |
        | ``lead`` | how long the group is sent before each join; no frame of it may arrive then |
        | ``timeout`` | the longest wait for the first frame, and for the last one |
        | ``silence`` | the time without a frame after which the last frame counts as the last |
        | ``burden`` | streams that are sent meanwhile (RFC 3918 §8.2), as in `Measure Multicast Latency` |

        The group is sent all the time. The join delay (§6.1) is the time from the report to the first frame
        that arrives. The leave delay (§6.2) is the time from the leave to the last frame. Both are by the
        tester's clock and include the time in which the device forwards a frame. Other ports that have joined
        the group stay members; the device need not forget the group for them. A device that forwards again
        after less than ``silence`` has not forgotten the group.

        Returns a result: ``join_delay_ns`` and ``leave_delay_ns`` (the longest of the cycles; None if it is
        not known), ``resolution_ns``, ``cycles``.

        | `Create Multicast Stream` | video | p1 | p2 | groups=239.1.1.1 | rate=5 kpps |
        | ${result} = | `Measure Group Delays` | video |
        | `Verify Group Join Delay Below` | 10 ms | ${result} |
        | `Verify Group Leave Delay Below` | 2.1 s | ${result} |
        """
        suite, stream = self._suite, self._suite.stream(name)
        measurer = DelayMeasurer(
            suite.tester,
            suite.memberships,
            stream.at(rate) if rate else stream,
            port or stream.rx,
            protocol=protocol,
            times=DelayTimes(lead=lead, timeout=timeout, silence=silence),
            burden=burden_of(suite, burden, beside=name),
        )
        title = f"{name} at {port or stream.rx}"
        suite.progress.begin(f"group delays of {title}")
        result = measure_group_delays(measurer, title, cycles)
        return suite.found(replace(result, burden=tuple(measurer.burden.trials)))

    @keyword(tags=["rfc3918", "verify"])
    @verifies(GroupDelayResult, at_most, source="Measure Group Delays")
    def verify_group_join_delay_below(self, result: GroupDelayResult, bound: Duration) -> Verdict:
        """Passes if the first frame of the group arrived within the bound after each join (RFC 3918 §6.1).

        | ``bound`` | the longest group join delay, such as ``10 ms`` |

        INCONCLUSIVE if no frame arrived, or a frame arrived before the port had joined.

        | `Verify Group Join Delay Below` | 10 ms |
        """
        return result.verdict_below(GroupDelay.JOIN, bound)

    @keyword(tags=["rfc3918", "verify"])
    @verifies(GroupDelayResult, at_most, source="Measure Group Delays")
    def verify_group_leave_delay_below(self, result: GroupDelayResult, bound: Duration) -> Verdict:
        """Passes if the last frame of the group arrived within the bound after each leave (RFC 3918 §6.2).

        | ``bound`` | the longest group leave delay, such as ``2.1 s`` |

        A device that asks for other members forwards while it waits for their answers: for 2 s with the
        defaults of RFC 2236.

        | `Verify Group Leave Delay Below` | 2.1 s |
        """
        return result.verdict_below(GroupDelay.LEAVE, bound)

    @keyword(tags=["rfc3918", "verify"])
    @verifies(Result)
    def verify_no_multicast_leak(self, result: Result) -> Verdict:
        """Passes if no frame arrived at a port that is not a member of its group.

        It fails with the names of these ports. All ports of the testbed are watched in every trial. Frames
        that arrived at a port before it joined, as in `Measure Group Delays`, are a leak as well.

        | `Verify No Multicast Leak` | ${result} |
        """
        return multicast_leak(result)
