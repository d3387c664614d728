# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The flows of a configuration on the tester: loaded, sending, ended, and counted to the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count

from ...errors import PlanError, TargetError
from ...measurement.delays.correction import DelayKind
from ...measurement.snapshot import Snapshot, StreamCounters
from ...model.plan.plan import PlannedStream
from ...model.stream import Stream
from ...planning.rate import check_sum
from ...running.tester import Tester
from ...running.trial import StreamRun, start_together
from .group import Group, listed, received, unique
from .history import Counts, History, port_counts
from .refusal import OtgError, OtgFailure
from .sending import Limit
from .settings import FlowSetting

_ALONE = 64  # flows that have a job each, so that each is started and stopped by itself; more share jobs
_POLL_S = 0.02
# In which a device passes on the frames that it learns from, so that ports do not count them.
_TAUGHT_NS = 50_000_000
_WITHOUT_LIMIT = Fraction(10**9)
_ADVICE = "delete them all, or set the configuration anew"
_BURST_NS = 10**9  # flows that take less time have too few frames for an exact rate


@dataclass(frozen=True)
class Prepared:
    """Flows that are planned, and not yet loaded."""

    flows: Mapping[str, FlowSetting]  # those whose gateway is missing, too
    groups: Sequence[Group]


@dataclass
class FlowCount:
    """The state of a flow at one instant."""

    setting: FlowSetting
    group: Group | None = None
    is_sending: bool = False  # its counters were not final
    counters: list[StreamCounters] = field(default_factory=list)
    streams: list[PlannedStream] = field(default_factory=list)


class Transmission:
    """All flows of a configuration."""

    def __init__(self, tester: Tester, jobs: Iterator[int] | None = None) -> None:
        self._tester = tester
        self._jobs = jobs or count(1)  # numbers of jobs
        self._groups: list[Group] = []
        self._settings: dict[str, FlowSetting] = {}
        self._loaded_ns = 0
        self._ports: Snapshot | None = None  # their counters when they were last cleared
        self.history = History()
        self._paces: dict[int, float] = {}  # of streams, by id: frames a second
        self._offsets: dict[int, int] = {}  # of streams, by id: each is of one flow, which has one kind
        self.totals: dict[Hashable, Counts] = {}  # of the last look
        self.warnings: list[str] = []  # what the tester has to say of flows that ended by themselves

    @property
    def settings(self) -> Mapping[str, FlowSetting]:
        """The flows by name."""
        return self._settings

    @property
    def is_sending(self) -> bool:
        """Whether a flow is sending, or its frames are still on their way."""
        return any(group.is_sending for group in self._groups)

    def prepare(self, flows: Iterable[FlowSetting]) -> Prepared:
        """Plans flows as the jobs that they will be. PlanError if one is refused; the tester is not asked."""
        known = {flow.name: flow for flow in flows}
        ready = [flow for flow in known.values() if not flow.unresolved]
        # What is loaded now will be gone, or has other names.
        on_air, self._tester.air.runs = self._tester.air.runs, []
        try:
            groups = [
                self._planned(limit, streams, names, known) for limit, streams, names in self._grouped(ready)
            ]
        finally:
            self._tester.air.runs = on_air
        return Prepared(known, groups)

    def add(self, prepared: Prepared) -> None:
        """Loads flows. PlanError if one is refused by the tester; then none is loaded."""
        loaded: list[Group] = []
        try:
            for group in prepared.groups:
                group.run.load()
                loaded.append(group)
        except BaseException:
            for group in loaded:
                group.run.unload()
            raise
        self._loaded_ns = self._tester.clock.now_ns()
        self._groups += loaded
        self._settings |= prepared.flows

    def _grouped(
        self, flows: Iterable[FlowSetting]
    ) -> Iterator[tuple[Limit, tuple[Stream, ...], tuple[str, ...]]]:
        flows = tuple(flows)
        alone = len(flows) <= _ALONE
        found: dict[tuple[str, Limit], list[tuple[str, Stream]]] = {}
        for flow in flows:
            for part in flow.parts:
                if part.limit.packets != 0:  # less packets than pairs of devices
                    found.setdefault((flow.name if alone else "", part.limit), []).append(
                        (flow.name, part.stream)
                    )
        for (_, limit), members in found.items():
            yield limit, tuple(stream for _, stream in members), tuple(name for name, _ in members)

    def _planned(
        self,
        limit: Limit,
        streams: tuple[Stream, ...],
        names: tuple[str, ...],
        flows: Mapping[str, FlowSetting],
    ) -> Group:
        run = StreamRun(self._tester, f"otg-{next(self._jobs)}", streams)
        any_port = frozenset(
            stream.id for stream, name in zip(run.plan.streams, names, strict=True) if flows[name].anywhere
        )
        return Group(run, limit, names, any_port, unexpected=all(not flows[name].rx for name in names))

    def remove(self, names: Collection[str]) -> None:
        """Takes flows off the tester. OtgError if others are loaded with them."""
        groups = self._within(names, _ADVICE)
        self._retire(groups)
        for group in groups:
            group.run.unload()
            self._groups.remove(group)
        for name in names:
            self._settings.pop(name, None)

    def _within(self, names: Collection[str], advice: str) -> list[Group]:
        """The groups of flows. OtgError if one of them has other flows, too."""
        wanted = set(names)
        found = [group for group in self._groups if not wanted.isdisjoint(group.flows)]
        for group in found:
            others = [name for name in group.flows if name not in wanted]
            if others:
                raise OtgError(
                    [
                        f"more than {_ALONE} flows with one duration are sent as one, and {others[0]!r} is "
                        f"among them; {advice}"
                    ]
                )
        return found

    def start(self, names: Collection[str]) -> None:
        """Starts flows together, with counters of 0; flows that are sending are started anew.

        Raises:
            OtgError: a part of flows that are sent as one, or one whose gateway is not known.
            PlanError: more than a port carries.
        """
        missing = [self._settings[name] for name in names if self._settings[name].unresolved]
        if missing:
            raise OtgError(
                [
                    f"{flow.place}: the gateway of {flow.unresolved!r} does not answer, so its MAC address "
                    "is not known; start the device, or give gateway_mac or ethernet.dst"
                    for flow in missing
                ]
            )
        groups = self._within(names, "start them all, or set a configuration of fewer flows")
        self._check_room(groups)
        self._retire(groups)
        clock = self._tester.clock
        clock.sleep(max(0, _TAUGHT_NS - (clock.now_ns() - self._loaded_ns)) / 1e9)
        before = self._tester.target.snapshot()
        if not self.is_sending:
            self._ports = before
        ports: dict[Hashable, Counts] = {port.name: port_counts(port) for port in before.ports}
        self.history.restart(
            before.taken_at_ns, {**(self._counts(before) if self.is_sending else {}), **ports}
        )
        for limit in dict.fromkeys(group.limit for group in groups):
            together = [group for group in groups if group.limit == limit]
            runs = [group.run for group in together]
            start_together(self._tester, runs, limit.duration, limit.packets)
            for group in together:
                group.started, group.final, group.settling, group.doubts = True, None, None, ()

    @property
    def sending(self) -> frozenset[str]:
        """The names of flows that were started and have not ended."""
        return frozenset(name for group in self._groups if group.is_sending for name in group.flows)

    def _check_room(self, groups: Sequence[Group]) -> None:
        """PlanError if flows, with those that are sending, ask for more than a port carries."""
        others = [group for group in self._groups if group.is_sending and group not in groups]
        self._check_sums([stream for group in (*others, *groups) for stream in group.run.streams])

    def _check_sums(self, streams: Sequence[Stream]) -> None:
        for port in {stream.tx for stream in streams}:
            check_sum(self._tester.ports[port], [stream for stream in streams if stream.tx == port])

    def stop(self, names: Collection[str]) -> None:
        """Stops flows, and waits for what is on its way. OtgError for a part of flows sent as one.

        Frames that are missing then may still come: as long as they are waited for the flows are sending.
        """
        self._end(self._within(names, "stop them all"), lambda group: group.is_quiet)

    def _end(self, groups: Iterable[Group], is_over: Callable[[Group], bool]) -> None:
        """Stops those of some groups that are sending, and looks until they are over."""
        sending = [group for group in groups if group.is_sending]
        if sending:
            self._tester.target.stop([group.run.name for group in sending])
        while not all(map(is_over, sending)):
            self.look()
            self._tester.clock.sleep(_POLL_S)

    def update(self, flows: Sequence[FlowSetting], *, rate_only: bool) -> None:
        """Changes flows, also while they are sending if only their rates change; all of them, or none.

        Raises:
            OtgError: the size of a flow that is sending, or a part of flows that are sent as one.
            PlanError: more than a port carries, or the tester refuses a flow.
        """
        self._check_update(flows, rate_only=rate_only)
        before: list[FlowSetting] = []
        try:
            for flow in flows:
                known = self._settings[flow.name]
                self._update(flow)
                before.append(known)
        except PlanError:
            for known in before:
                self._update(known)
            raise

    def _check_update(self, flows: Iterable[FlowSetting], *, rate_only: bool) -> None:
        """Refuses what `update` does, before anything has changed."""
        changed: dict[str, Stream] = {}
        for flow in flows:
            group = self._group_of(flow.name)
            if group is None or not group.is_sending:
                self._within([flow.name], _ADVICE)
                continue
            if not rate_only:
                raise OtgError([f"{flow.place}: its size cannot change while it is sending; stop it first"])
            changed |= {part.stream.name: part.stream for part in flow.parts}
        going = [stream for group in self._groups if group.is_sending for stream in group.run.streams]
        self._check_sums([changed.get(stream.name, stream) for stream in going])

    def _group_of(self, flow: str) -> Group | None:
        return next((group for group in self._groups if flow in group.flows), None)

    def _update(self, flow: FlowSetting) -> None:
        group = self._group_of(flow.name)
        known = self._settings[flow.name]
        self._paces.clear()
        self._offsets.clear()
        if group is not None and group.is_sending:
            for part in flow.parts:
                group.run.update(part.stream)
        else:
            prepared, before = self.prepare([flow]), self.prepare([known])
            self.remove([flow.name])
            try:
                self.add(prepared)
            except BaseException:
                self.add(before)
                raise
        self._settings[flow.name] = flow

    def look(self) -> Snapshot:
        """Reads the counters, and sees what has ended."""
        names = [group.run.name for group in self._groups]
        snapshot = self._tester.target.snapshot(names, buckets=False)
        counters = {stream.id: stream for stream in snapshot.streams}
        sending = [group for group in self._groups if group.is_sending]
        over = [group for group in sending if group.note(snapshot.taken_at_ns, counters, self._tester.rules)]
        if over:
            final = self._tester.target.snapshot([group.run.name for group in over])
            counters |= {stream.id: stream for stream in final.streams}
            for group in over:
                group.final = final
                self._judge(group, group.counters(counters))
        self.totals = self._counts(snapshot)
        self.history.note(snapshot.taken_at_ns, self.totals)
        return snapshot

    def _judge(self, group: Group, counters: Sequence[StreamCounters]) -> None:
        """Notes what the tester's own evidence says of a group that has ended."""
        evidence, limits = group.run.evidence_at(_final(group)), group.run.limits
        lost = any(
            (unique(counter, anywhere=counter.id in group.any_port) or 0) < counter.tx_packets
            for counter in counters
        )
        if lost and not group.unexpected:
            of_loss = replace(
                limits,
                max_shortfall=Fraction(1),
                max_rate_error=_WITHOUT_LIMIT,
                max_clock_drift=_WITHOUT_LIMIT,
            )
            group.doubts = tuple(evidence.objections(of_loss))
        span_ns = max(counter.last_tx_ns - counter.first_tx_ns for counter in counters)
        if evidence.missed_rate(
            limits.of_burst(Fraction(max(1, span_ns))) if span_ns < _BURST_NS else limits
        ):
            self.warnings.append(
                f"{listed(group.flows)}: tx limited by the tester: {evidence.offered_packets:,} of "
                f"{evidence.intended_packets:,} frames, at {100 * float(1 + evidence.rate_error):.1f} of "
                "100 % of the rate"
            )
        self.warnings += (f"{listed(group.flows)}: not to be trusted: {doubt}" for doubt in group.doubts)

    def pace(self, stream: PlannedStream) -> float:
        """Frames a second that a stream is to send."""
        if stream.id not in self._paces:
            self._paces[stream.id] = float(stream.frames_per_second)
        return self._paces[stream.id]

    def offset_ns(self, stream: PlannedStream, kind: DelayKind) -> int:
        """The time that is subtracted from the latencies of a stream."""
        if stream.id not in self._offsets:
            self._offsets[stream.id] = self._tester.correction(stream).total_ns(kind)
        return self._offsets[stream.id]

    @property
    def port_base(self) -> Snapshot:
        """The counters of ports when they were last cleared."""
        if self._ports is None:
            self._ports = self._tester.target.snapshot()
        return self._ports

    def flow_counts(self, snapshot: Snapshot, names: Iterable[str]) -> Iterator[FlowCount]:
        """Counters of flows; those that have ended keep the ones of their end."""
        found = {name: FlowCount(self._settings[name]) for name in names}
        by_id = {stream.id: stream for stream in snapshot.streams}
        for group in self._groups:
            counters = {stream.id: stream for stream in group.final.streams} if group.final else by_id
            for name, stream in zip(group.flows, group.streams, strict=True):
                if name in found:
                    flow = found[name]
                    flow.group, flow.is_sending = group, group.is_sending
                    flow.streams.append(stream)
                    if group.started:
                        flow.counters.append(counters[stream.id])
        yield from found.values()

    def _counts(self, snapshot: Snapshot) -> dict[Hashable, Counts]:
        """Frames and bytes of streams, by id, and of ports, by name."""
        any_port = frozenset[int]().union(*(group.any_port for group in self._groups))
        streams: dict[Hashable, Counts] = {
            s.id: (s.tx_packets, received(s, anywhere=s.id in any_port) or 0, s.tx_bytes, s.rx_bytes)
            for s in snapshot.streams
        }
        return {**streams, **{port.name: port_counts(port) for port in snapshot.ports}}

    def take_warnings(self) -> list[str]:
        """The warnings that have not been told yet."""
        told, self.warnings = self.warnings, []
        return told

    def close(self) -> None:
        """Takes all flows off the tester. Never raises: what was measured is recorded as far as it can be."""
        with suppress(TargetError):
            self._retire(self._groups)
        for group in self._groups:
            group.run.unload()
        self._groups.clear()
        self._settings.clear()

    def _retire(self, groups: Iterable[Group]) -> None:
        """Ends groups, and records the trials of those that were started: nothing measured is lost."""
        started = [group for group in groups if group.started]
        self._end(started, lambda group: group.final is not None)
        for group in started:
            trial = group.run.finish(settled=_final(group))
            group.started, group.final = False, None
            self._tester.evidence.next_trial()
            self._tester.evidence.record(trial)


def _final(group: Group) -> Snapshot:
    if group.final is None:
        names = [stream.name for stream in group.streams]
        raise OtgFailure([f"{listed(names)} has not ended; stop it first"])
    return group.final
