# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A port that joins a group and leaves it while the group is sent: the `GroupMeasurer` of its delays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil

from ...errors import PlanError, TargetError
from ...measurement.counter import Counter, not_counted
from ...measurement.multicast import GroupCycle, Reported
from ...measurement.snapshot import Snapshot, StreamCounters
from ...measurement.trial import Trial
from ...model.membership import GroupProtocol, Membership
from ...model.multicast import groups_of
from ...model.stream import Stream
from ...model.units.quantity import Frequency
from ...model.units.units import Duration
from ..memberships import Memberships
from ..observation import observe
from ..tester import Tester
from ..trial import StreamRun
from .burden import Burden

_ONE = Frequency.parse("1 k/s")  # one report is sent: the rate does not matter
_QUIET_FRAMES = 20  # a silence is not shorter


@dataclass(frozen=True)
class DelayTimes:
    """How long a cycle takes."""

    lead: Duration = Duration(500_000_000)  # of sending before the port joins
    hold: Duration = Duration(200_000_000)  # from the first frame to the leave
    timeout: Duration = Duration(10 * 10**9)  # for the first frame, and for the last one
    # Without a frame for so long no more is forwarded. A device asks for other members after a leave for a
    # shorter time: twice, a second apart (RFC 2236 §8.8, §8.9).
    silence: Duration = Duration(3 * 10**9)


@dataclass(frozen=True)
class _Cycle:
    """A cycle, and why it says nothing about the device."""

    cycle: GroupCycle
    objections: tuple[str, ...]


class DelayMeasurer:
    """Has one port join the one group of a stream."""

    def __init__(
        self,
        tester: Tester,
        memberships: Memberships,
        stream: Stream,
        port: str,
        *,
        protocol: GroupProtocol | None,
        times: DelayTimes,
        burden: Sequence[Stream] = (),
    ) -> None:
        """PlanError: no port besides the sender, no single group, a member already, a tester that cannot."""
        groups = groups_of(stream)
        if groups.count != 1:
            raise PlanError(f"stream {stream.name!r} is sent to {groups}; the delays are those of one group")
        if port not in tester.ports or port == stream.tx:
            others = ", ".join(name for name in tester.ports if name != stream.tx)
            raise PlanError(f"{port!r} cannot receive what {stream.tx!r} sends; give one of {others}")
        if missing := {Counter.MISROUTED, Counter.ARRIVAL_TIMES} - tester.capabilities.counts:
            raise PlanError(f"group delays cannot be measured: {not_counted(missing)}")
        self._tester, self._memberships, self._times = tester, memberships, times
        self._membership = Membership(port, groups, protocol)
        memberships.refuse_if_joined(self._membership)
        members = [name for name in memberships.members(groups) if name != stream.tx]
        self._stream = replace(stream, rx=port, copies=tuple(members), signature=True)
        self.burden = Burden(tester, burden)

    def cycle(self) -> tuple[GroupCycle, Trial]:
        """See GroupMeasurer. It is repeated while the tester did not do its part, if its rules allow it."""
        asked = self._membership, self._stream, self._times, self.burden.streams
        seen = observe(self._tester, _Cycle, self._cycle, *asked, prepare=self._forget)
        of_group = [trial for trial in seen.trials if trial.streams[0].name == self._stream.name]
        if seen.taken_over and self.burden.streams:
            self.burden.trials.append(next(trial for trial in reversed(seen.trials) if trial not in of_group))
        return seen.found.cycle, of_group[-1]

    def _forget(self) -> None:
        """Leaves the group, of which the port is a member if an interrupted attempt has not left it."""
        self._memberships.withdraw(self._membership, _ONE)
        self._tester.clock.sleep(self._times.timeout.seconds)

    def _cycle(self) -> _Cycle:
        tester = self._tester
        tester.evidence.next_trial()
        earlier = len(self.burden.trials)

        def is_final(found: tuple[GroupCycle, Trial]) -> bool:
            burdened = all(trial.valid for trial in self.burden.trials[-1:])
            return found[1].valid and not found[0].objections and burdened

        cycle, trial = tester.rules.repeated(self._burdened, is_final, tester.clock)
        self.burden.trials[earlier:] = burden = self.burden.trials[-1:]  # without those of attempts before
        objections = (*cycle.objections, *trial.objections, *(o for each in burden for o in each.objections))
        return _Cycle(cycle, objections)

    def _burdened(self, attempt: int) -> tuple[GroupCycle, Trial]:
        with self.burden.beside():
            return self._once(attempt)

    def _once(self, attempt: int) -> tuple[GroupCycle, Trial]:
        tester, times = self._tester, self._times
        with StreamRun(tester, f"group-{tester.evidence.trials}", [self._stream]).loaded() as run:
            run.start()
            tester.clock.sleep(times.lead.seconds)
            before = self._counted(run).rx_packets
            joined = self._memberships.report(self._membership, _ONE)
            try:
                first_ns = self._first(run)
                tester.clock.sleep(times.hold.seconds)
            except BaseException:
                with suppress(TargetError):
                    self._memberships.withdraw(self._membership, _ONE)
                raise
            left = self._memberships.withdraw(self._membership, _ONE)
            last_ns, ended = (0, False) if first_ns is None else self._last(run, left)
            tester.target.stop([run.name])
            trial = tester.evidence.record(replace(run.finish(members_change=True), attempt=attempt))
            gap_ns = ceil(1 / run.plan.streams[0].rate)
        cycle = GroupCycle(
            gap_ns=gap_ns,
            before=before,
            joined_ns=joined.first_ns,
            first_ns=first_ns,
            watched_ns=times.timeout.ns,
            left_ns=None if first_ns is None else left.first_ns,
            last_ns=None if first_ns is None else last_ns,
            ended=ended,
            silence_ns=self._quiet_ns(run),
            objections=tuple(dict.fromkeys((*joined.objections, *left.objections))),
        )
        return cycle, trial

    def _first(self, run: StreamRun) -> int | None:
        """When the first frame arrived; None if none did in time."""
        counters = self._tester.clock.reading(
            lambda: self._counted(run), lambda counters: counters.rx_packets, within=self._times.timeout
        )
        return counters.first_rx_ns if counters.rx_packets else None

    def _last(self, run: StreamRun, left: Reported) -> tuple[int, bool]:
        """When the last frame arrived, and whether none arrived any more.

        A frame that comes after some silence begins that anew. A silence that has begun when the timeout ends
        is watched all the same.
        """
        tester, quiet_ns = self._tester, self._quiet_ns(run)
        stream_id = run.plan.streams[0].id

        def is_quiet(snapshot: Snapshot) -> bool:
            since_ns = max(snapshot.stream(stream_id).last_rx_ns, left.first_ns)
            return snapshot.taken_at_ns - since_ns >= quiet_ns

        def is_late(snapshot: Snapshot) -> bool:
            return snapshot.stream(stream_id).last_rx_ns - left.first_ns >= self._times.timeout.ns

        snapshot = tester.clock.reading(
            lambda: tester.target.snapshot([run.name]), lambda now: is_quiet(now) or is_late(now)
        )
        return snapshot.stream(stream_id).last_rx_ns, is_quiet(snapshot)

    def _quiet_ns(self, run: StreamRun) -> int:
        return max(self._times.silence.ns, ceil(_QUIET_FRAMES / run.plan.streams[0].rate))

    def _counted(self, run: StreamRun) -> StreamCounters:
        return self._tester.target.snapshot([run.name]).stream(run.plan.streams[0].id)
