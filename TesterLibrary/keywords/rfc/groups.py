# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for how many multicast groups a device holds, and how it forwards them (RFC 3918 §4.2, §7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...methodology.groups.group_capacity import GroupCapacityResult, find_group_capacity
from ...methodology.groups.group_forwarding import GroupMatrix, GroupMatrixResult, sweep_group_matrix
from ...methodology.groups.multicast_latency import MulticastLatencyResult, measure_multicast_latency
from ...methodology.verdicts.tolerance import at_least
from ...model.endpoints import AddressRange
from ...model.membership import GroupProtocol
from ...model.multicast import groups_of
from ...model.stream import Stream
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, FrameSizes, Rate, Ratio
from ...running.hooks.reset import groups_hook
from ...running.procedures.groups import CapacityMeasurer, GroupPorts, GroupReset, MatrixTrials, MemberLatency
from ...running.suite import Suite
from ...verdict import Verdict
from .._burden import burden_of
from .._component import component
from .._verifies import verifies

_GROUP = AddressRange.parse("239.1.1.1")
_THOUSAND = Frequency.parse("1 k/s")
_SETTLE = Duration(100_000_000)
_FORGOTTEN = Duration(2_500_000_000)  # two queries a second apart (RFC 2236 §8.8), and half a second


@component
class Groups:
    """Many multicast groups at once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc3918", "find"])
    def find_multicast_group_capacity(
        self,
        *ports: str,
        first: AddressRange = _GROUP,
        lowest: int = 16,
        highest: int = 65_536,
        resolution: Ratio = Ratio.parse("0 %"),
        protocol: GroupProtocol | None = None,
        rate: Frequency = _THOUSAND,
        probe_rate: Frequency = _THOUSAND,
        settle: Duration = _SETTLE,
        rest: Duration = _FORGOTTEN,
        empty: bool = False,
    ) -> GroupCapacityResult:
        """Searches the most multicast groups that a device forwards at once (RFC 3918 §7.1).

        | ``ports`` | the port that sends, then the members; all ports of the testbed by default |
        | ``first`` | the first group; the other groups follow it |
        | ``lowest`` | the number of groups at which the search begins; it doubles from there |
        | ``highest`` | the number of groups above which the search does not go |
        | ``resolution`` | how close the bounds are at the end, in ``%`` of the capacity; 0: exactly |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1 by default |
        | ``rate`` | reports and leaves of each member, sent per second |
        | ``probe_rate`` | frames to the groups, sent per second |
        | ``settle`` | the pause between the reports and the frames |
        | ``rest`` | the pause after each check, in which the device forgets the groups |
        | ``empty`` | True: the testbed's hook ``groups`` empties the device after each check |

        In each check every member joins all groups, and two frames are sent to each group. The device
        forwards a group if one of the two frames reached every member, and none reached another port of the
        testbed. A number is too high if none of three checks found all groups forwarded. After a number that
        was too high, the search checks the capacity again. If the device does not recover, the verdict rests
        on the number that was too high.

        Returns a result: ``capacity``, ``failed``, ``checks`` and ``recovers``.

        | ${result} = | `Find Multicast Group Capacity` | p1 | p2 | highest=4096 |
        | `Verify Multicast Group Capacity Above` | 1000 | ${result} |
        """
        suite = self._suite
        chosen = self._ports(ports, first, protocol, rate)
        recover = GroupReset(suite.tester, rest, groups_hook(suite.open_testbed) if empty else None)
        measurer = CapacityMeasurer(
            suite.tester,
            suite.memberships,
            chosen,
            most=highest,
            probe_rate=probe_rate,
            settle=settle,
            recover=recover.run,
        )
        suite.progress.begin(f"multicast group capacity of {chosen}")
        return suite.found(
            find_group_capacity(measurer, str(chosen), lowest=lowest, highest=highest, resolution=resolution)
        )

    @keyword(tags=["rfc3918", "verify"])
    @verifies(GroupCapacityResult, at_least, source="Find Multicast Group Capacity")
    def verify_multicast_group_capacity_above(self, result: GroupCapacityResult, bound: int) -> Verdict:
        """Passes if the device forwarded at least this number of groups at once.

        | ``bound`` | the least number of groups |

        | `Verify Multicast Group Capacity Above` | 1000 |
        """
        return result.verdict_above(bound)

    @keyword(tags=["rfc3918", "sweep"])
    def sweep_group_forwarding(
        self,
        *ports: str,
        groups: list[int],
        first: AddressRange = _GROUP,
        frame_size: FrameSizes | None = None,
        load: Ratio = Ratio.parse("100 %"),
        duration: Duration | None = None,
        protocol: GroupProtocol | None = None,
        rate: Frequency = _THOUSAND,
        settle: Duration = _SETTLE,
    ) -> GroupMatrixResult:
        """Measures the forwarding rate with more and more groups (scaled group forwarding matrix, §4.2).

        | ``ports`` | the port that sends, then the members; all ports of the testbed by default |
        | ``groups`` | the numbers of groups, rising, such as ``1,10,100`` |
        | ``first`` | the first group; the other groups follow it |
        | ``frame_size`` | bytes, FCS included, or a mix; by default 64, and 82 over IPv6 |
        | ``load`` | the rate of all groups together, in ``%`` of the line rate of the port that sends |
        | ``duration`` | how long each trial sends; the profile decides by default, as for frame loss |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1 by default |
        | ``rate`` | reports and leaves of each member, sent per second |
        | ``settle`` | the pause between the reports and the frames |

        Every member joins all groups of a trial, and leaves them after it. The rate is the rate at which a
        member receives, averaged over the members.

        Returns a result: ``rates``, frames each second by number of groups, and ``trials``.

        | ${result} = | `Sweep Group Forwarding` | p1 | p2 | p3 | groups=1,10,100 |
        | `Verify Group Forwarding Rate Above` | 50 kpps | ${result} |
        """
        suite = self._suite
        chosen = self._ports(ports, first, protocol, rate)
        matrix = GroupMatrix.of(groups, load, duration or suite.profile.frame_loss)
        measurer = MatrixTrials(
            suite.tester,
            suite.memberships,
            chosen,
            counts=groups,
            frame_size=frame_size,
            settle=settle,
            note=suite.remember,
            pauses=suite.pauses(),
        )
        suite.progress.begin(f"group forwarding of {chosen}")
        return suite.found(sweep_group_matrix(measurer, str(chosen), matrix))

    @keyword(tags=["rfc3918", "verify"])
    @verifies(GroupMatrixResult, at_least, source="Sweep Group Forwarding")
    def verify_group_forwarding_rate_above(self, result: GroupMatrixResult, bound: Rate) -> Verdict:
        """Passes if members received at least the bound with every number of groups (RFC 3918 §4.2).

        | ``bound`` | the least rate at which a member receives, such as ``5 kpps``; in ``%``, of line rate |

        | `Verify Group Forwarding Rate Above` | 5 kpps |
        """
        return result.verdict_above(bound)

    @keyword(tags=["rfc3918", "measure"])
    def measure_multicast_latency(
        self,
        name: str,
        rate: Rate | None = None,
        duration: Duration | None = None,
        burden: str | None = None,
    ) -> MulticastLatencyResult:
        """Measures the latency of a multicast stream at each member in turn (RFC 3918 §5.1, §5.2, §8.1).

        | ``name`` | the name of a stream of `Create Multicast Stream`, whose members have joined |
        | ``rate`` | the rate of the stream, in place of its own; no more than its throughput |
        | ``duration`` | how long each trial sends; the profile decides by default |
        | ``burden`` | names of streams that are sent meanwhile at their own rates: ``north,south`` |

        Each member has a trial of its own, in which every frame that arrives there is timed. The burden is
        not judged, but verdicts say what it lost. They are INCONCLUSIVE if the tester did not send the burden
        as it should.

        Returns a result: ``latencies`` by member, and ``latency`` of all members, in nanoseconds; its ``min``
        and ``max`` are those of §5.2. `Verify Latency Below` judges the frames of all members.

        | `Measure Multicast Latency` | video | rate=30 % | duration=2 s |
        | `Verify Latency Below` | 5 ms |
        """
        suite = self._suite
        suite.refuse_without("multicast latency", [name], by_signature=True, needs=[Counter.LATENCY])
        measurer = self._member_latency(suite.stream(name), rate, duration, burden)
        suite.progress.begin(f"multicast latency of {name}")
        result = measure_multicast_latency(measurer.at, name, measurer.members, measurer.duration)
        return suite.found(replace(result, burden=tuple(measurer.burden.trials)))

    def _member_latency(
        self, stream: Stream, rate: Rate | None, duration: Duration | None, burden: str | None
    ) -> MemberLatency:
        groups_of(stream)
        return MemberLatency(
            self._suite.tester,
            stream.at(rate) if rate else stream,
            duration or self._suite.profile.trial,
            note=self._suite.remember,
            pauses=self._suite.pauses(),
            burden=burden_of(self._suite, burden, beside=stream.name),
        )

    def _ports(
        self,
        ports: Sequence[str],
        first: AddressRange,
        protocol: GroupProtocol | None,
        rate: Frequency,
    ) -> GroupPorts:
        sender, *members = ports or sorted(self._suite.tester.ports)
        return GroupPorts(sender, tuple(members), first.first, protocol, rate)
