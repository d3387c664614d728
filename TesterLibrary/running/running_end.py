# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients that run on a tester, and what is counted of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..errors import TargetError
from ..measurement.end_content import ContentSource, EndContent
from ..measurement.openings import Openings, State, Unfinished
from ..measurement.session_trial import SessionTrial, awaited, left_waiting, objections
from ..measurement.sessions import SessionStatistics
from ..measurement.snapshot import EndCounters, Snapshot
from ..model.job import Job
from ..model.plan.plan import Plan
from ..model.plan.planned_end import PlannedEnd
from ..model.protocol import Protocol
from ..model.responder import Clients, End, Responder
from ..model.units.units import Duration
from ..reporting.record.machine import wall_clock
from .gateways import moved_next_hop
from .tester import Tester

_FIRST_REPEAT = Duration(1_500_000_000)  # a segment is repeated after 1 s first (RFC 6298 section 2.1)


@dataclass
class RunningEnd:
    """An end that is loaded and started."""

    end: End
    plan: Plan
    tester: Tester
    started: Snapshot
    backlog: int = 0  # drops by this machine's kernel before the start
    missed: bool = False  # trials that were taken over from an interrupted attempt, which it has not seen
    start: int = 1  # how often an end of its name was started
    shared: bool = False  # whether other clients that may send content ran meanwhile
    # Changed bytes of responders by name and start, when it was started.
    changed_before: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def planned(self) -> PlannedEnd:
        """Its part of its plan, which has no other one."""
        (planned,) = self.plan.ends
        return planned

    @property
    def opens(self) -> bool:
        """Whether it opens connections."""
        return isinstance(self.end, Clients)

    @property
    def gives(self) -> ContentSource:
        """The content that it gives."""
        return ContentSource(self.planned.protocol, self.planned.parameters)

    def content(self, counted: SessionStatistics | None = None) -> EndContent:
        """Its content and its counts so far, or these counts."""
        return EndContent(self.planned.name, self.start, self.gives, counted or self.counted())

    def look(self) -> Snapshot:
        """The counters of its job now."""
        return self.tester.target.snapshot([self.plan.job])

    def counted(self, now: Snapshot | None = None) -> SessionStatistics:
        """The counts since its start until now, or in these counters."""
        now = now or self.look()
        job = now.job(self.plan.job)
        # Ending what was open when it was stopped takes time that is not of the measurement.
        until_ns = (job.stopped_at_ns if job else 0) or now.taken_at_ns
        span_ns = until_ns - self.started.taken_at_ns
        counters = now.end(self.plan.job, self.planned.name)
        return SessionStatistics.of(
            self.planned.protocol,
            counters,
            span_ns,
            opens=self.opens,
            examples=_examples(self.planned.protocol, counters),
        )

    def openings(self, counted: SessionStatistics | None = None) -> Openings | None:
        """The openings of clients, as they were counted or are now; None of a responder."""
        opening = self.planned.opening
        return Openings(self.planned.name, opening, counted or self.counted()) if opening else None

    def since_start(self, now: Snapshot | None = None) -> SessionTrial:
        """The end from its start until now, or these counters, with where the tester fell short."""
        return self.since(self.started, now or self.look())

    def since(self, before: Snapshot, now: Snapshot) -> SessionTrial:
        """The end since a look at the whole tester, or since its start if that was later."""
        statistics = self.counted(now)
        if before.taken_at_ns > self.started.taken_at_ns:
            statistics = statistics.since(self.counted(before))
        else:
            before = self.started
        found = objections(
            statistics,
            None,
            before,
            now,
            self.end.ports,
            self.tester.rules.limits,
            job=self.plan.job,
            backlog_dropped=self.tester.backlog_drops() - self.backlog,
        )
        faults = (*found, *self._faults_beside(statistics))
        openings, waiting = self.openings(statistics), left_waiting([statistics])
        trial = SessionTrial(statistics, None, faults, unanswered=waiting)
        if openings is None:
            return trial
        job = now.job(self.plan.job)
        span_ns = (
            (job.stopped_at_ns or now.taken_at_ns) - job.started_at_ns if job and job.started_at_ns else 0
        )
        due = openings.due(span_ns) if before is self.started and span_ns else None
        return replace(
            trial,
            due=due,
            all_in_use=openings.all_in_use(waiting or 0),
            unopened=openings.unopened(statistics, due, self.tester.rules.limits.max_shortfall),
            late=openings.late(statistics, due),
            over=openings.over,
            awaited=awaited(statistics) if before is self.started else {},
        )

    def measured(self, duration: Duration, *, from_start: bool) -> SessionTrial:
        """The end from now on for a time, or from its start to the end of that time."""
        started_at = wall_clock()
        before, backlog = self.look(), self.tester.backlog_drops()
        self.tester.clock.sleep(duration.seconds)
        after = self.look()
        whole = self.counted(after)
        earlier = None if from_start else self.counted(before)
        statistics = whole.since(earlier) if earlier else whole
        openings, waiting = self.openings(whole), self.left_waiting(whole)
        due = openings.due(statistics.duration_ns) if openings else None
        fails_wholly = openings is not None and openings.failed_wholly(waiting or 0)
        found = objections(
            statistics,
            due,
            self.started if from_start else before,
            after,
            self.end.ports,
            self.tester.rules.limits,
            job=self.plan.job,
            held_up=whole.put_off > 0 or fails_wholly,
            backlog_dropped=self.tester.backlog_drops() - (self.backlog if from_start else backlog),
        )
        trial = SessionTrial(
            statistics,
            due,
            (*found, *self._faults_beside(whole)),
            waiting,
            started_at,
            failed_before=earlier.failed_text if earlier else "",
            whole=whole if fails_wholly else None,
            earlier_objections=self.since_start(before).objections if fails_wholly and earlier else (),
            awaited=awaited(whole),
        )
        if openings is None:
            return trial
        return replace(
            trial,
            all_in_use=openings.all_in_use(waiting or 0),
            unopened=openings.unopened(statistics, due, self.tester.rules.limits.max_shortfall),
            late=openings.late(statistics, due),
            over=openings.over and not from_start,
            silent=openings.silent(waiting or 0, statistics),
            unserved=openings.unserved,
        )

    def unfinished(self, waiting: int | None = None) -> Unfinished | None:
        """The connections of clients that may change counts yet; None if there are none.

        `waiting`: those that wait for an answer for longer than others, if somebody has looked already.
        """
        openings = self.openings()
        if openings is None or not (openings.left or openings.unanswered or openings.open):
            return None
        if openings.left or openings.unanswered:
            if waiting is None:
                waiting = self.left_waiting(openings.counted) or 0
            if openings.left:
                left = Unfinished(openings.left, openings.left_text, State.TO_BE_OPENED)
                return None if openings.kept(waiting) else left
            # Without a timer nothing ends what waits for longer than others did.
            if openings.counted.untimed and waiting >= openings.unanswered:
                return None
            silent = openings.silent(waiting, openings.counted) >= openings.unanswered
            text = f"{openings.unanswered:,} connections of {openings.name}"
            return Unfinished(0, text, State.WAITING, silent=silent)
        held = self._holds(openings.counted)
        return Unfinished(
            0,
            f"{openings.open:,} connections of {openings.name}",
            State.OPEN,
            by_clients=held,
            at_rest=not held and self._rests(openings.counted),
        )

    def _holds(self, counted: SessionStatistics) -> bool:
        """Whether its table keeps connections open for a time, and does with those that are open now.

        It does with any of them by `hold`, and by `linger` with those that have their answers.
        """
        answered = (counted.transactions or 0) - (counted.completed or 0)
        parameters = self.planned.parameters
        lingers = parameters.get("linger") and (counted.concurrent or 0) <= answered
        return bool(parameters.get("hold") or lingers)

    def _rests(self, since: SessionStatistics) -> bool:
        """Whether nothing comes for its connections for as long as they are looked at."""
        return not self.tester.clock.until(
            lambda: self.counted().rx_packets != since.rx_packets, within=_FIRST_REPEAT
        )

    def waiting_for_ever(self) -> int | None:
        """Connections that only a stop ends, or of which none was answered; None of others.

        Once they are stopped, they are not told from those that would have had their answer next.
        """
        counted = self.counted()
        silent = counted.openings > 0 and counted.established == 0
        return self.left_waiting(counted) if counted.opens and (counted.untimed or silent) else None

    def with_waiting(self, trial: SessionTrial, waiting: int | None) -> SessionTrial:
        """A trial since the start, with the connections that wait after several looks."""
        openings = self.openings(trial.statistics)
        silent = openings.silent(waiting or 0, trial.statistics) if openings else 0
        return replace(trial, unanswered=waiting, silent=silent)

    def left_waiting(self, first: SessionStatistics) -> int | None:
        """Connections that still wait for an answer after several looks, of which the first is given."""
        looks = [first]
        if left_waiting(looks):
            for look in self.tester.clock.readings(self.counted, within=_FIRST_REPEAT):
                looks.append(look)
                if not left_waiting(looks):
                    break
        return left_waiting(looks)

    def _faults_beside(self, whole: SessionStatistics) -> Iterator[str]:
        """The reasons why not all went well that its counters do not show."""
        end, opening = self.end, self.planned.opening
        if isinstance(end, Clients) and opening is not None and not whole.smooth:
            # What answers sends to where the last packet of a flow has come from.
            moved = moved_next_hop(self.tester, end, opening.destination_mac)
            again = "open the tester again if it is the same device"
            if moved:
                yield f"{moved}, to which clients {end.name!r} opened; {again}"
        if end.vlan is None or (whole.rx_packets and (whole.smooth or not whole.opens)):
            return
        if reason := self.tester.lost_tags(end.port):
            yield reason


class Answering:
    """A responder beside a measurement, as a job of its own; what it did is not counted."""

    def __init__(self, tester: Tester, job: str, end: Responder) -> None:
        """Starts it. PlanError if the tester refuses it: nothing has changed then."""
        self._target = tester.target
        self._job = job
        plan = tester.plans.of_job(Job(job, ends=(end,), seed=tester.seed))
        self._target.load(plan)
        try:
            self._target.start([job])
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Makes it silent. If the tester is gone, so is the end; the next call to the tester raises."""
        with suppress(TargetError):
            self._target.stop([self._job], abandon=True)
        with suppress(TargetError):
            self._target.unload([self._job])


def _examples(protocol: Protocol, counters: EndCounters) -> str:
    """The first changed byte, and the first packet that a table kept for a counter; empty without them."""
    examples = []
    if counters.changed_headers is not None:
        examples.append(
            f"first change: byte {counters.changed_place:,} of the content from "
            f"{connection_text(counters.changed_headers)} is 0x{counters.changed_arrived:02x}, "
            f"not 0x{counters.changed_expected:02x}"
        )
    if counters.example_headers is not None and counters.example_counter is not None:
        names = [name for layer in protocol.layers for name in layer.counters]
        name = names[counters.example_counter].replace("_", " ")
        examples.append(f"first {name}: from {connection_text(counters.example_headers)}")
    return ", ".join(examples)


def connection_text(frame: bytes) -> str:
    """`192.0.2.1 port 80 to 192.0.2.9 port 4711`, of the innermost addresses; empty without an IP header."""
    from scapy.layers.inet import IP, TCP, UDP  # they take their time, and few runs need them
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Ether
    from scapy.packet import Packet

    layers = []
    layer: Packet = Ether(frame)
    while layer:
        layers.append(layer)
        layer = layer.payload
    ends = [layer for layer in layers if isinstance(layer, IP | IPv6)]
    if not ends:
        return ""
    ports = next((layer for layer in reversed(layers) if isinstance(layer, TCP | UDP)), None)
    source, destination = (f" port {ports.sport}", f" port {ports.dport}") if ports else ("", "")
    return f"{ends[-1].src}{source} to {ends[-1].dst}{destination}"
