# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Announces neighbours on one port, and sees from another which of them a router knows (norma §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from ...errors import PlanError, TargetError
from ...measurement.flows import flows_of
from ...measurement.learning import LearningCheck, LearningTrial
from ...measurement.trial import Trial
from ...model.endpoints import AddressRange
from ...model.plan.plan import PlannedStream
from ...model.stream import Stream
from ...model.units.units import Duration
from ...reporting.record.machine import wall_clock
from ...targets.base import part_of
from ..observation import is_interrupted, observe
from ..running_end import Answering
from ..shot import Shot
from ..tester import Tester
from ..trial import StreamRun
from .announcement import ANNOUNCEMENTS, PROBES, Announcement, Neighbours

_PATIENCE_NS = 10**9  # a device that still learns has to reach one more address within this time
_CHECKS = 3  # most checks whether all are known; each after a new announcement
_RESOLVED_S = 0.2  # for the last answers
_ROUNDS = 2  # times that a check probes each address
_INTERRUPTED = (
    "the test was interrupted, and the device may know addresses that were announced before; run it from its "
    "begin, without --resume, when it has forgotten them"
)


@dataclass(frozen=True)
class _Witness:
    """An address that was announced before anything was sent to it."""

    known: bool  # the device took its announcement
    doubt: str  # why that says nothing


class NeighbourMeasurer:
    """Measures a router behind two ports; the `CacheMeasurer` of its neighbour table."""

    def __init__(
        self,
        tester: Tester,
        neighbours: Neighbours,
        *,
        rest: Duration = Duration(0),
    ) -> None:
        """`rest`: time in which a device forgets. PlanError if the neighbours cannot be announced there."""
        for name in (neighbours.announce, neighbours.probe):
            if name not in tester.ports:
                raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(tester.ports)}")
        neighbours.check(tester.ports[neighbours.announce])
        self._tester, self._neighbours, self._rest = tester, neighbours, rest
        self._witness: _Witness | None = None  # None: not tried
        self._taken_over = False  # the last check was

    def measure(self, addresses: int) -> LearningTrial:
        """Announces again and again until all are known or none is learned any more; then counts."""
        neighbours = self._neighbours.first(addresses)
        takes = neighbours.kind is Announcement.ANSWER or self._takes_announcements(neighbours)

        def measure() -> LearningTrial:
            trial = self._measure(neighbours) if takes else self._announced_only(neighbours)
            return (
                replace(trial, doubt=trial.doubt or _INTERRUPTED) if is_interrupted(self._tester) else trial
            )

        return observe(self._tester, LearningTrial, measure, neighbours, prepare=self._prepare).found

    def _measure(self, neighbours: Neighbours) -> LearningTrial:
        tester, addresses = self._tester, neighbours.addresses.count
        asks = neighbours.kind is Announcement.ANSWER
        streams = [neighbours.probes()]
        if not asks:
            streams.insert(0, neighbours.announcements(tester.ports[neighbours.announce]))
        started_at = wall_clock()
        shot = Shot(tester, "learning", streams)
        answering = self._answering(neighbours) if asks else nullcontext()
        with answering, shot.sent(until=lambda run: self._watch(run, addresses)) as run:
            trial = run.finish()
            announced = trial.stream(streams[0].name)
            reached, last_ns = self._reached(run, trial, neighbours)
        best = self._best_check(addresses)
        probing_ns = round(addresses * 10**9 / neighbours.probe_rate.per_second)
        if best.known > reached:  # the others were learned at some time after the run
            last_ns = tester.target.snapshot().taken_at_ns
            probing_ns = max(probing_ns, last_ns - trial.stream(PROBES).counters.last_tx_ns)
        return LearningTrial(
            addresses=addresses,
            learned=best.known,
            announced_rate=announced.achieved_rate,
            learning_ns=max(0, last_ns - announced.counters.first_tx_ns),
            probing_ns=probing_ns,
            objections=tuple(dict.fromkeys((*trial.objections, *(() if best.complete else best.objections)))),
            started_at=started_at,
            doubt=self._doubt,
        )

    def _takes_announcements(self, neighbours: Neighbours) -> bool:
        """Whether the device learns an address that was announced before anything was sent to it.

        A device that takes no announcement may ask who has the address of a frame, and would take the next
        announcement for the answer. So the address is one for which the device cannot have asked because of
        this tester; it is announced repeatedly lest one be lost. Where there is none the device is in doubt.
        """
        if self._witness is None:
            measure = partial(self._announced_witness, neighbours)
            seen = observe(self._tester, _Witness, measure, neighbours, prepare=self._prepare)
            self._witness = seen.found
        return self._witness.known

    def _announced_witness(self, neighbours: Neighbours) -> _Witness:
        fresh = self._not_asked(neighbours.addresses)
        doubt = (
            ""
            if fresh
            else f"all {neighbours.addresses.count:,} addresses were probed before they were announced, "
            "and the device may take an announcement for the answer to its own question; give "
            "addresses that were not probed before"
        )
        witness = replace(neighbours, addresses=AddressRange((fresh or neighbours.addresses).first))
        for _ in range(_CHECKS):
            self._announce(witness)
        return _Witness(self._counted(witness).known == 1, doubt)

    @property
    def _prepare(self) -> Callable[[], None] | None:
        """The pause in which a device forgets, if there is one."""
        return self._forget if self._rest.ns else None

    def _forget(self) -> None:
        self._tester.clock.sleep(self._rest.seconds)

    @property
    def _doubt(self) -> str:
        return self._witness.doubt if self._witness else ""

    def _announced_only(self, neighbours: Neighbours) -> LearningTrial:
        """The trial of a device that takes no announcement: each is announced once, none is sent before."""
        started_at = wall_clock()
        check, announced_rate = self._check_announced_only(neighbours)
        return LearningTrial(
            addresses=check.addresses,
            learned=check.known,
            announced_rate=announced_rate,
            learning_ns=0,
            probing_ns=round(check.addresses * 10**9 / neighbours.probe_rate.per_second),
            objections=check.objections,
            started_at=started_at,
        )

    def _check_announced_only(self, neighbours: Neighbours) -> tuple[LearningCheck, float]:
        """The addresses known after one announcement of each, and how many announcements left each second.

        Addresses for which it may have asked are known not to have been learned when they were announced.
        """
        count, fresh = neighbours.addresses.count, self._not_asked(neighbours.addresses)
        if fresh is None:
            return LearningCheck(count, 0), 0.0
        silent = replace(neighbours, addresses=fresh)
        stream = silent.announcements(self._tester.ports[neighbours.announce])
        with self._sent(stream, fresh.count) as run:
            trial = run.finish()
        counted = self._counted(silent)
        objections = tuple(dict.fromkeys((*trial.objections, *counted.objections)))
        return LearningCheck(count, counted.known, objections), trial.stream(ANNOUNCEMENTS).achieved_rate

    def _not_asked(self, addresses: AddressRange) -> AddressRange | None:
        """The longest row of these addresses that this tester gave the device no reason to ask for."""
        best, first, count = None, addresses.first, 0
        for address in addresses:
            if address in self._tester.air.asked:
                first, count = address + 1, 0
                continue
            count += 1
            if best is None or count > best.count:
                best = AddressRange(first, count)
        return best

    def announce(self) -> int:
        """Announces each address once. Returns how many announcements left."""
        return self._announce(self._neighbours).sent

    def _announce(self, neighbours: Neighbours) -> Trial:
        stream = neighbours.announcements(self._tester.ports[neighbours.announce])
        with self._sent(stream, neighbours.addresses.count) as run:
            return run.so_far()  # a router keeps them

    def known(self) -> int:
        """Addresses to which the device forwards now; nothing is announced."""
        return self.counted().known

    def counted(self) -> LearningCheck:
        """The same count with objections: a tester that lost frames counts too few."""
        return self._counted(self._neighbours)

    def check(self, addresses: int) -> LearningCheck:
        """Announces the first so many once, then counts those that are known."""
        neighbours = self._neighbours.first(addresses)
        if neighbours.kind is Announcement.ANSWER:
            check = self._check_resolved
        elif self._takes_announcements(neighbours):
            check = self._check_announced
        else:
            check = self._check_announced_once
        seen = observe(
            self._tester, LearningCheck, partial(check, neighbours), neighbours, prepare=self._prepare
        )
        self._taken_over = seen.taken_over
        return seen.found

    def _check_announced_once(self, neighbours: Neighbours) -> LearningCheck:
        return self._check_announced_only(neighbours)[0]

    def _check_announced(self, neighbours: Neighbours) -> LearningCheck:
        announced = self._announce(neighbours)
        counted = self._counted(neighbours)
        if not counted.complete:  # announcements of the tester may be among what it, or the machine, lost
            found = tuple(dict.fromkeys((*counted.objections, *announced.objections)))
            counted = replace(counted, objections=found)
        return replace(counted, doubt=self._doubt)

    def _check_resolved(self, neighbours: Neighbours) -> LearningCheck:
        """Has the device ask for each, then counts those that it knows when nobody answers any more."""
        packets = _ROUNDS * neighbours.addresses.count
        with self._answering(neighbours), self._sent(neighbours.probes(), packets):
            self._tester.clock.sleep(_RESOLVED_S)
        return self._counted(neighbours)

    @contextmanager
    def _answering(self, neighbours: Neighbours) -> Iterator[None]:
        end = Answering(self._tester, f"answers-{self._tester.evidence.trials}", neighbours.answers())
        try:
            yield
        finally:
            end.stop()

    def rest(self) -> None:
        """Sends nothing to the device for the time in which it forgets what a check has left in it."""
        if not self._taken_over:
            self._forget()

    def _counted(self, neighbours: Neighbours) -> LearningCheck:
        with self._sent(neighbours.probes(), _ROUNDS * neighbours.addresses.count) as run:
            trial = run.finish()
            flows = trial.stream(PROBES).flows
            if flows is None:
                raise TargetError("the tester has not counted the flows of its probes; use one that does")
            if flows.statistics.silent:
                found = flows_of(part_of(self._tester.target, "flows").read(run.name, self._probes(run).id))
                silent = (flow.index for flow in found if not flow.received)
                self._tester.air.asked.update(neighbours.addresses.first + index for index in silent)
        known = flows.statistics.flows - flows.statistics.silent
        return LearningCheck(neighbours.addresses.count, known, trial.objections)

    def _best_check(self, addresses: int) -> LearningCheck:
        neighbours = self._neighbours.first(addresses)
        asks = neighbours.kind is Announcement.ANSWER
        check = self._check_resolved if asks else self._check_announced
        best = check(neighbours)
        for _ in range(_CHECKS - 1):
            if best.complete:
                break
            best = max(best, check(neighbours), key=lambda found: found.known)
        return best

    def _reached(self, run: StreamRun, trial: Trial, neighbours: Neighbours) -> tuple[int, int]:
        """How many addresses were learned, and when a frame to the last of them was forwarded.

        By the tester's clock, an address was learned when its first frame arrived. Earlier frames to it were
        lost, or waited in the device; the longest latency of its frames is that of the first one. Where
        latency is not counted by flow, that of all frames is its upper bound, and the time is one, too.
        """
        probes = self._probes(run)
        counted = trial.stream(PROBES).counters
        begun, longest = counted.first_tx_ns, counted.latency.max_ns
        gap_ns = Fraction(10**9) / neighbours.probe_rate.per_second
        reached = last_ns = 0
        for flow in flows_of(part_of(self._tester.target, "flows").read(run.name, probes.id)):
            if flow.received:
                frames = flow.index + flow.lost * neighbours.addresses.count
                latency = longest if flow.latency_max_ns is None else flow.latency_max_ns
                reached, last_ns = reached + 1, max(last_ns, begun + round(frames * gap_ns) + latency)
        return reached, last_ns

    def _sent(self, stream: Stream, packets: int) -> AbstractContextManager[StreamRun]:
        """Frames of one stream, all of which have left when the block begins."""
        return Shot(self._tester, "neighbours", [stream]).sent(packets=packets)

    def _watch(self, run: StreamRun, addresses: int) -> None:
        """Waits until all addresses were reached, or no new one for so long that none will be."""
        neighbours, probes = self._neighbours, self._probes(run)
        rate = min(neighbours.rate.per_second, neighbours.probe_rate.per_second)
        patience_ns = _PATIENCE_NS + round(2 * addresses * 10**9 / rate)
        flows, clock = part_of(self._tester.target, "flows"), self._tester.clock
        reached, since_ns = 0, clock.now_ns()
        for chunks in clock.readings(lambda: flows.read(run.name, probes.id)):
            now = sum(packets > 0 for chunk in chunks for packets in chunk.rx_packets)
            if now > reached:
                reached, since_ns = now, clock.now_ns()
            if reached >= addresses or clock.now_ns() - since_ns >= patience_ns:
                return

    @staticmethod
    def _probes(run: StreamRun) -> PlannedStream:
        (probes,) = (stream for stream in run.plan.streams if stream.name == PROBES)
        return probes
