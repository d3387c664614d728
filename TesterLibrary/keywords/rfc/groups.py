# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for how many multicast groups a device holds, and how it forwards them (RFC 3918 §4.2, §7.1)."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...measurement.trial import Trial
from ...methodology.groups.group_capacity import GroupCapacityResult, find_group_capacity
from ...methodology.groups.group_forwarding import GroupMatrix, GroupMatrixResult, sweep_group_matrix
from ...methodology.groups.multicast_latency import MulticastLatencyResult, measure_multicast_latency
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_least
from ...model.endpoints import AddressRange
from ...model.membership import GroupProtocol
from ...model.multicast import groups_of
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, FrameSizes, Rate, Ratio
from ...running.groups import CapacityMeasurer, GroupPorts, MatrixTrials, MemberLatency
from ...running.reset import groups_hook
from ...running.suite import Suite
from ...verdict import Verdict
from .._burden import burden_of
from .._component import component

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

        | =Argument= | =Meaning= |
        | ``ports`` | the port that sends, then the members; all of the testbed, if none is given |
        | ``first`` | the first group; the others follow it |
        | ``lowest`` | the number of groups at which the search begins, doubling it |
        | ``highest`` | the number beyond which it does not go |
        | ``resolution`` | how close the bounds are at the end, in ``%`` of the capacity; 0: exactly |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1, if left out |
        | ``rate`` | reports and leaves of each member, sent per second |
        | ``probe_rate`` | frames to the groups, sent per second |
        | ``settle`` | how long nothing is sent between the reports and the frames |
        | ``rest`` | how long nothing is sent after each check, in which the device forgets the groups |
        | ``empty`` | whether the testbed's hook ``groups`` empties the device after each check |

        In each check every member joins so many groups, and two frames are sent to each. The device forwards
        a group if one of them reached every member, and none another port of the testbed. A number counts as
        too high if no check of three found all groups forwarded. After a number that was too high the
        capacity is checked again: a device that does not recover is judged by that number alone.

        Returns a result: ``capacity``, ``failed``, ``checks`` and ``recovers``.

        | ${result} = | `Find Multicast Group Capacity` | p1 | p2 | highest=4096 |
        | `Verify Multicast Group Capacity Above` | 1000 | ${result} |
        """
        suite = self._suite
        chosen = self._ports(ports, first, protocol, rate)
        hook = groups_hook(suite.open_testbed) if empty else None

        def recover() -> None:
            suite.tester.clock.sleep(rest.seconds)
            if hook is not None:
                hook.run()

        measurer = CapacityMeasurer(
            suite.tester,
            suite.memberships,
            chosen,
            most=highest,
            probe_rate=probe_rate,
            settle=settle,
            recover=recover,
        )
        suite.progress.begin(f"multicast group capacity of {chosen}")
        return suite.found(
            find_group_capacity(measurer, str(chosen), lowest=lowest, highest=highest, resolution=resolution)
        )

    @keyword(tags=["rfc3918", "verify"])
    def verify_multicast_group_capacity_above(
        self, bound: int, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device forwarded at least so many groups at once.

        | =Argument= | =Meaning= |
        | ``bound`` | the least number of groups |
        | ``measured`` | a result of `Find Multicast Group Capacity`; the last one of the test, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Multicast Group Capacity Above` | 1000 |
        """
        judged = self._suite.judged_as(
            GroupCapacityResult, measured, about="group capacity", source="Find Multicast Group Capacity"
        )
        return self._suite.conclude(at_least(judged.verdict_above, bound, within))

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

        | =Argument= | =Meaning= |
        | ``ports`` | the port that sends, then the members; all of the testbed, if none is given |
        | ``groups`` | the numbers of groups, rising, such as ``1,10,100`` |
        | ``first`` | the first group; the others follow it |
        | ``frame_size`` | bytes, FCS included, or a mix; 64, and 82 over IPv6, if left out |
        | ``load`` | the rate of all groups together, in ``%`` of the line rate of the port that sends |
        | ``duration`` | how long each trial sends; as the profile says for frame loss, if left out |
        | ``protocol`` | ``igmpv2``, ``igmpv3``, ``mldv1`` or ``mldv2``; igmpv2 or mldv1, if left out |
        | ``rate`` | reports and leaves of each member, sent per second |
        | ``settle`` | how long nothing is sent between the reports and the frames |

        Every member joins all groups of a trial, and leaves them after it. The rate is what a member
        receives, on average over the members.

        Returns a result: ``rates``, frames each second by numbers of groups, and ``trials``.

        | ${result} = | `Sweep Group Forwarding` | p1 | p2 | p3 | groups=1,10,100 |
        | `Verify Group Forwarding Rate Above` | 50 kpps | ${result} |
        """
        suite, profile = self._suite, self._suite.profile
        chosen = self._ports(ports, first, protocol, rate)
        matrix = GroupMatrix(tuple(groups), load, duration or profile.frame_loss)
        matrix.validate()
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
    def verify_group_forwarding_rate_above(
        self, bound: Rate, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if members received at least so much with every number of groups (RFC 3918 §4.2).

        | =Argument= | =Meaning= |
        | ``bound`` | the least rate that a member receives, such as ``5 kpps``; in ``%``, of line rate |
        | ``measured`` | a result of `Sweep Group Forwarding`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Group Forwarding Rate Above` | 5 kpps |
        """
        judged = self._suite.judged_as(
            GroupMatrixResult, measured, about="group forwarding", source="Sweep Group Forwarding"
        )
        return self._suite.conclude(at_least(judged.verdict_above, bound, within))

    @keyword(tags=["rfc3918", "measure"])
    def measure_multicast_latency(
        self,
        name: str,
        rate: Rate | None = None,
        duration: Duration | None = None,
        burden: str | None = None,
    ) -> MulticastLatencyResult:
        """Measures the latency of a multicast stream at every member in turn (RFC 3918 §5.1, §5.2, §8.1).

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream of `Create Multicast Stream`, whose members have joined |
        | ``rate`` | the rate of the stream, in place of its own; no more than its throughput |
        | ``duration`` | how long each trial sends; as the profile says, if left out |
        | ``burden`` | streams that are sent meanwhile at their own rates, by their names: ``north,south`` |

        Each member has a trial of its own, in which every frame that arrives there is timed. Of a burden
        nothing is judged, but verdicts say what of it was lost, and are INCONCLUSIVE where the tester did not
        send it as it should.

        Returns a result: ``latencies`` by member, and ``latency`` of all of them, whose ``min`` and ``max``
        are those of §5.2, in nanoseconds. `Verify Latency Below` judges the frames of all members.

        | `Measure Multicast Latency` | video | rate=30 % | duration=2 s |
        | `Verify Latency Below` | 5 ms |
        """
        suite = self._suite
        suite.refuse_without("multicast latency", [name], by_signature=True, needs=[Counter.LATENCY])
        described = suite.stream(name)
        groups_of(described)
        measurer = MemberLatency(
            suite.tester,
            described.at(rate) if rate else described,
            duration or suite.profile.trial,
            note=suite.remember,
            pauses=suite.pauses(),
            burden=burden_of(suite, burden, beside=name),
        )
        suite.progress.begin(f"multicast latency of {name}")
        found = measure_multicast_latency(measurer.at, name, measurer.members, measurer.duration)
        return suite.found(replace(found, burden=tuple(measurer.burden.trials)))

    def _ports(
        self, ports: tuple[str, ...], first: AddressRange, protocol: GroupProtocol | None, rate: Frequency
    ) -> GroupPorts:
        sender, *members = ports or tuple(sorted(self._suite.tester.ports))
        return GroupPorts(sender, tuple(members), first.first, protocol, rate)
