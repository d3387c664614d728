# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Members that join more and more groups: the measurers of forwarding matrices and of group capacity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

from ...errors import PlanError
from ...measurement.counter import Counter, not_counted
from ...measurement.group_check import GroupCheck
from ...measurement.multicast import Leak, Reported
from ...measurement.trial import Trial
from ...methodology.verdicts.unsigned import unsigned
from ...model.endpoints import AddressRange
from ...model.membership import GroupProtocol, Membership
from ...model.multicast import check_groups, group_stream
from ...model.ports import Address
from ...model.stream import Stream
from ...model.units.number import counted
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, FrameSizes, Rate, RateUnit
from ...reporting.record.machine import wall_clock
from ..hooks.reset import Hook
from ..measurer import Pauses, TrialMeasurer
from ..memberships import Memberships
from ..observation import observe
from ..shot import Shot
from ..tester import Tester
from .burden import Burden

_ROUNDS = 2  # frames to each group in a check: one of them is enough (RFC 3918 §7.1)


@dataclass(frozen=True)
class GroupPorts:
    """Who sends, who joins, and how."""

    sender: str
    members: tuple[str, ...]
    first: Address  # group
    protocol: GroupProtocol | None  # None: as Membership has it
    rate: Frequency  # of reports and leaves

    def groups(self, count: int) -> AddressRange:
        """The first so many groups. PlanError if they are none that can be joined."""
        found = AddressRange(self.first, count)
        check_groups(found)
        return found

    def __str__(self) -> str:
        return f"{self.first} … from {self.sender} to {', '.join(self.members)}"


def check_ports(tester: Tester, memberships: Memberships, ports: GroupPorts, most: int) -> None:
    """PlanError unless ports exist, are different, and have joined none of so many groups."""
    chosen = (ports.sender, *ports.members)
    for name in chosen:
        if name not in tester.ports:
            raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(tester.ports)}")
    if len(set(chosen)) < len(chosen) or not ports.members:
        raise PlanError(f"groups go from one port to others; given was {', '.join(chosen)}")
    groups = ports.groups(most)
    for name in ports.members:
        memberships.refuse_if_joined(Membership(name, groups, ports.protocol))


class _Joined:
    """Groups that members have joined for a while."""

    def __init__(self, memberships: Memberships, ports: GroupPorts) -> None:
        self._memberships, self._ports = memberships, ports

    @contextmanager
    def groups(self, groups: AddressRange) -> Iterator[tuple[Reported, ...]]:
        """Every member joins them, and leaves them whatever happens."""
        ports, wanted = self._ports, self._memberships
        each = [Membership(name, groups, ports.protocol) for name in ports.members]
        joined = tuple(wanted.report(one, ports.rate) for one in each)
        try:
            yield joined
        finally:
            self.leave(groups)

    def leave(self, groups: AddressRange) -> None:
        """Every member leaves them."""
        for name in self._ports.members:
            self._memberships.withdraw(Membership(name, groups, self._ports.protocol), self._ports.rate)


@dataclass(frozen=True)
class GroupReset:
    """Lets a device forget its groups: by a pause, and by the hook of the testbed if there is one."""

    tester: Tester
    rest: Duration
    hook: Hook | None

    def run(self) -> None:
        """Waits, then runs the hook. Inconclusive: the hook failed."""
        self.tester.clock.sleep(self.rest.seconds)
        if self.hook is not None:
            self.hook.run()


class CapacityMeasurer:
    """The `GroupTableMeasurer` of a device."""

    def __init__(
        self,
        tester: Tester,
        memberships: Memberships,
        ports: GroupPorts,
        *,
        most: int,
        probe_rate: Frequency,
        settle: Duration,
        recover: Callable[[], None],
    ) -> None:
        """`settle`: between the joins and the frames. `recover`: lets the device forget the groups.

        Raises:
            PlanError: ports or groups that cannot be, or a tester that does not count what is needed.
        """
        check_ports(tester, memberships, ports, most)
        if missing := {Counter.MISROUTED, Counter.FLOWS} - tester.capabilities.counts:
            raise PlanError(f"group capacity cannot be measured: {not_counted(missing)}")
        self._tester, self._ports, self._probe_rate = tester, ports, probe_rate
        self._settle, self._recover, self._taken_over = settle, recover, False
        self._joined = _Joined(memberships, ports)

    def check(self, groups: int) -> GroupCheck:
        """See GroupTableMeasurer."""
        wanted = self._ports.groups(groups)

        def forget() -> None:
            self._joined.leave(wanted)
            self._recover()

        seen = observe(
            self._tester,
            GroupCheck,
            lambda: self._check(groups, wanted),
            self._ports,
            groups,
            self._probe_rate,
            self._settle,
            prepare=forget,
        )
        self._taken_over = seen.taken_over
        return seen.found

    def _check(self, groups: int, wanted: AddressRange) -> GroupCheck:
        tester, ports = self._tester, self._ports
        started_at = wall_clock()
        stream = group_stream(
            "groups",
            ports.sender,
            ports.members,
            wanted,
            rate=Rate(self._probe_rate.per_second, RateUnit.PPS),
            count_flows=groups > 1,
        )
        with self._joined.groups(wanted) as joined:
            tester.clock.sleep(self._settle.seconds)
            shot = Shot(tester, "groups", [stream])
            trial = shot.send(packets=_ROUNDS * groups, settle=tester.rules.settle)  # copies may come later
        (found,) = trial.streams
        flows = found.flows
        silent = flows.statistics.silent if flows else int(not found.counters.rx_packets)
        leak = Leak.of([trial])
        objections = (*(text for one in joined for text in one.objections), *trial.objections)
        return GroupCheck(
            groups=groups,
            silent=silent,
            missing=found.broadcast.missing if found.broadcast.by_port is not None else None,
            leaked=leak.frames,
            ports=leak.ports,
            unclear=leak.doubt or unsigned(trial, trial.elsewhere),
            objections=tuple(dict.fromkeys(objections)),
            started_at=started_at,
        )

    def rest(self) -> None:
        """See GroupTableMeasurer. A check that is taken over has left nothing in the device."""
        if not self._taken_over:
            self._recover()


class MatrixTrials:
    """The `MatrixMeasurer` of a device."""

    def __init__(
        self,
        tester: Tester,
        memberships: Memberships,
        ports: GroupPorts,
        *,
        counts: Sequence[int],
        frame_size: FrameSizes | None = None,
        settle: Duration,
        note: Callable[[Trial], None],
        pauses: Pauses,
    ) -> None:
        """`settle`: between the joins and the trial. PlanError: ports or groups that cannot be."""
        check_ports(tester, memberships, ports, max(counts, default=1))
        if len(ports.members) > 1 and Counter.MISROUTED not in tester.capabilities.counts:
            raise PlanError(
                f"several members cannot be measured: {not_counted({Counter.MISROUTED})}; give one member"
            )
        self._tester, self._ports, self._size = tester, ports, frame_size
        self._settle, self._note, self._pauses = settle, note, pauses
        self._joined = _Joined(memberships, ports)

    def measure(self, groups: int, load: Fraction, duration: Duration) -> Trial:
        """See MatrixMeasurer."""
        ports, wanted = self._ports, self._ports.groups(groups)
        stream = group_stream(
            counted(groups, "group"), ports.sender, ports.members, wanted, frame_size=self._size
        )
        with self._joined.groups(wanted):
            self._tester.clock.sleep(self._settle.seconds)
            measurer = TrialMeasurer(self._tester, [stream], note=self._note, pauses=self._pauses)
            return measurer.measure(load, duration)


class MemberLatency:
    """Trials of a stream, each of which times its frames at another member."""

    def __init__(
        self,
        tester: Tester,
        stream: Stream,
        duration: Duration,
        *,
        note: Callable[[Trial], None],
        pauses: Pauses,
        burden: Sequence[Stream] = (),
    ) -> None:
        """`burden`: streams that are sent beside each trial."""
        self._tester, self._stream, self.duration = tester, stream, duration
        self._note, self._pauses = note, pauses
        self.burden = Burden(tester, burden)

    @property
    def members(self) -> tuple[str, ...]:
        """The ports at which frames are timed."""
        return (self._stream.rx, *self._stream.copies)

    def at(self, member: str) -> Trial:
        """A trial with the times of this member."""
        others = tuple(name for name in self.members if name != member)
        stream = replace(self._stream, rx=member, copies=others)
        measurer = TrialMeasurer(self._tester, [stream], note=self._note, pauses=self._pauses)
        with self.burden.beside():
            return measurer.measure(measurer.load, self.duration)
