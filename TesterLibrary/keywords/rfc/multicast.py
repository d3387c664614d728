# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for multicast groups: hosts that join and leave them, and frames that are sent to them."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.groups.group_delay import GroupDelay, GroupDelayResult, measure_group_delays
from ...methodology.groups.group_leak import no_leak
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.endpoints import AddressRange
from ...model.headers import HeaderStack
from ...model.membership import GroupProtocol, Membership
from ...model.multicast import group_stream
from ...model.units.quantity import Frequency
from ...model.units.units import LINE_RATE, Duration, FrameSizes, Rate, Ratio
from ...running.group_delay import DelayMeasurer, DelayTimes
from ...running.memberships import JoinManner
from ...running.suite import Suite
from ...verdict import Verdict
from .._burden import burden_of
from .._component import component

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

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call the stream; one that exists is replaced |
        | ``ports`` | the port that sends, then the members; all of the testbed, if none is given |
        | ``groups`` | ``239.1.1.1-239.1.1.50``, or IPv6 ones; frames go to one after the other |
        | ``frame_size`` | bytes, FCS included, or a mix; 64, and 82 over IPv6, if left out |
        | ``rate`` | the rate of all groups together, as in `Create Stream` |
        | ``tunnel`` | headers in front of the IP header to the group; without it ``Ether`` alone |

        A frame is lost if it misses one of the members, so `Find Throughput` finds the aggregated multicast
        throughput (§4.3). Together with a unicast stream it finds that of both classes (§4.1). Latency, order
        and received rate are those of the first member. At the others frames are counted, over all of them
        together: a port that gets some twice hides that another one misses as many.

        Members receive nothing before `Join Group` was called for them: where frames are missing, verdicts
        are INCONCLUSIVE until each has joined each group. A device that floods is judged: nothing is missing.

        | `Create Multicast Stream` | video | p1 | p2 | p3 | groups=239.1.1.1-239.1.1.50 |
        | `Join Group` | p2 | 239.1.1.1-239.1.1.50 |
        | `Join Group` | p3 | 239.1.1.1-239.1.1.50 |
        | ${result} = | `Find Throughput` | video |
        | `Verify No Multicast Leak` | ${result} |

        Of a device that takes off the headers of a tunnel, `Find Throughput` of a stream with a ``tunnel`` is
        the decapsulation throughput (§4.4). A tunnel that carries frames ends in ``Ether``.

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

        | =Argument= | =Meaning= |
        | ``port`` | the port of the tester where the host is |
        | ``groups`` | groups, such as ``239.1.1.1``, ``239.1.1.1-239.1.1.50`` or ``ff0e::1`` |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1, if left out |
        | ``rate`` | reports sent each second |
        | ``robustness`` | how many times each group is reported, lest a report be lost (RFC 2236 §8.1) |
        | ``interval`` | the time between two reports of a group |
        | ``answer`` | whether the port answers queries, as a host does |

        The port answers queries of the device for these groups: general ones, and those for one group after
        another member has left. It answers within seven eighths of the time that the query allows, and not at
        all if it hears another host's report of the group meanwhile (versions 2 of IGMP and 1 of MLD). With
        ``igmpv3`` and ``mldv2`` it wants every source (RFC 3376, RFC 3810), and answers a querier of an older
        version in that version. With ``answer=False`` the device forgets the groups some time after their
        last report. A switch cannot answer: it refuses to join unless it is told not to.

        | `Join Group` | p2 | 239.1.1.1-239.1.1.50 | protocol=igmpv3 |
        """
        if not groups:
            raise PlanError("no group is given; give one or more, such as 239.1.1.1")
        manner = JoinManner(rate, robustness, interval, answer)
        for membership in [Membership(port, each, protocol) for each in groups]:
            self._suite.memberships.join(membership, manner)

    @keyword(tags=["rfc3918"])
    def leave_group(self, port: str, *groups: AddressRange, rate: Frequency = _THOUSAND) -> None:
        """Lets a port leave multicast groups that it has joined.

        | =Argument= | =Meaning= |
        | ``port`` | the port of the tester |
        | ``groups`` | groups as they were given to `Join Group`; all of the port, if none is given |
        | ``rate`` | leaves sent each second |

        A device asks whether another host wants the group, and forwards it until nobody has answered.

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream of `Create Multicast Stream` with one group |
        | ``port`` | the port that joins and leaves; the first member of the stream, if left out |
        | ``rate`` | the rate of the group, in place of its own; its gap is the resolution |
        | ``cycles`` | how often the port joins and leaves |
        | ``protocol`` | as in `Join Group` |
        | ``lead`` | how long the group is sent before each join: no frame of it may arrive then |
        | ``timeout`` | for how long the first frame, and the last one, are waited for |
        | ``silence`` | for how long no frame may arrive after a leave until the last one is taken for that |
        | ``burden`` | streams that are sent meanwhile (RFC 3918 §8.2), as in `Measure Multicast Latency` |

        The group is sent all the time. The join delay (§6.1) is that from the report to the first frame that
        arrives, the leave delay (§6.2) that from the leave to the last one, both by the tester's clock, the
        time in which the device forwards a frame included. Other ports that have joined the group stay
        members: of these the device need not forget the group. A device that forwards again after a silence
        that is shorter than ``silence`` has not forgotten it: the group is sent all that time.

        Returns a result: ``join_delay_ns`` and ``leave_delay_ns`` (the longest of the cycles; None where it
        is not known), ``resolution_ns``, ``cycles``.

        | `Create Multicast Stream` | video | p1 | p2 | groups=239.1.1.1 | rate=5 kpps |
        | ${result} = | `Measure Group Delays` | video |
        | `Verify Group Join Delay Below` | 10 ms | ${result} |
        | `Verify Group Leave Delay Below` | 2.1 s | ${result} |
        """
        suite = self._suite
        described = suite.stream(name)
        measurer = DelayMeasurer(
            suite.tester,
            suite.memberships,
            described.at(rate) if rate else described,
            port or described.rx,
            protocol=protocol,
            times=DelayTimes(lead=lead, timeout=timeout, silence=silence),
            burden=burden_of(suite, burden, beside=name),
        )
        suite.progress.begin(f"group delays of {name} at {port or described.rx}")
        title = f"{name} at {port or described.rx}"
        found = measure_group_delays(measurer, title, cycles)
        return suite.found(replace(found, burden=tuple(measurer.burden.trials)))

    @keyword(tags=["rfc3918", "verify"])
    def verify_group_join_delay_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the first frame of the group arrived soon enough after each join (RFC 3918 §6.1).

        | =Argument= | =Meaning= |
        | ``bound`` | the longest group join delay, such as ``10 ms`` |
        | ``measured`` | a result of `Measure Group Delays`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        INCONCLUSIVE where no frame arrived, or some did before the port had joined.

        | `Verify Group Join Delay Below` | 10 ms |
        """
        return self._judge(GroupDelay.JOIN, bound, measured, within)

    @keyword(tags=["rfc3918", "verify"])
    def verify_group_leave_delay_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the last frame of the group arrived soon enough after each leave (RFC 3918 §6.2).

        | =Argument= | =Meaning= |
        | ``bound`` | the longest group leave delay, such as ``2.1 s`` |
        | ``measured`` | a result of `Measure Group Delays`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A device that asks for other members forwards for as long as it waits for their answers: 2 s where it
        has the defaults of RFC 2236.

        | `Verify Group Leave Delay Below` | 2.1 s |
        """
        return self._judge(GroupDelay.LEAVE, bound, measured, within)

    @keyword(tags=["rfc3918", "verify"])
    def verify_no_multicast_leak(self, measured: Trial | Result | None = None) -> Verdict:
        """Passes if no frame arrived at a port that is no member of its group.

        | =Argument= | =Meaning= |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |

        It fails with the names of these ports. All ports of the testbed are watched in every trial. Frames
        that arrived at a port before it joined, as `Measure Group Delays` sees them, are a leak, too.

        | `Verify No Multicast Leak` | ${result} |
        """
        judged = self._suite.judged(measured)
        trials = (judged,) if isinstance(judged, Trial) else judged.trials
        early = judged.early if isinstance(judged, GroupDelayResult) else 0
        return self._suite.conclude(no_leak(trials, early=early))

    def _judge(
        self, delay: GroupDelay, bound: Duration, measured: Trial | Result | None, within: Ratio | None
    ) -> Verdict:
        judged = self._suite.judged_as(
            GroupDelayResult, measured, about="group delays", source="Measure Group Delays"
        )
        return self._suite.conclude(at_most(lambda b: judged.verdict_below(delay, b), bound, within))
