# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients that run until they are stopped, and what was measured of them."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.end_content import EndContent, content_judged
from ..measurement.openings import Unfinished
from ..measurement.session_trial import SessionTrial
from ..measurement.sessions import SessionStatistics
from ..measurement.snapshot import Snapshot
from ..model.job import Job
from ..model.plan.plan import Plan
from ..model.responder import Clients, End
from ..model.trigger import Trigger
from ..model.units.units import Duration
from ..planning.ends import asked_for, protocol_of
from ..planning.prediction import require
from ..targets.base import part_of
from .held_frames import await_sent
from .named import Named
from .observation import is_interrupted, observe
from .running_end import RunningEnd
from .scope import Running
from .source_turns import SourceTurns
from .tester import Tester

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class _Stopped:
    running: RunningEnd
    trial: SessionTrial
    unfinished: Unfinished | None  # what the suite did not wait for


class Connections:
    """Responders and clients of one tester, by name."""

    def __init__(self, tester: Tester, source_seed: int | None = None) -> None:
        """`source_seed`: of the sources used first."""
        self._tester = tester
        self._running = Named[str, RunningEnd]("responder or clients", "Start Responder or Start Clients")
        # A peer that still has an old connection takes a new one from the same port with the same initial
        # sequence number for the old one, for ever (RFC 9293 §3.5.1 requires the numbers to differ).
        self._starts: Counter[str] = Counter()
        # Not the seed of the run, which may be that of the run before.
        self._turns = SourceTurns(secrets.randbits(64) if source_seed is None else source_seed)
        self._stopped: dict[str, _Stopped] = {}

    def start(self, end: End) -> str:
        """Puts an end on its port, until the test or the suite that runs is over. Returns its name.

        Raises:
            PlanError: one of that name is running, or the tester refuses; nothing has been started.
        """
        self._start(end)
        running, scopes = self._running[end.name], self._tester.scopes
        self._running.begin(end.name, running, scopes, self._end_left, Running.END)
        return end.name

    def _start(self, end: End) -> None:
        if end.name in self._running:
            raise end.refused("it is running already; stop it first, or give another name")
        target, plan = self._tester.target, self._plan(end)
        self._tester.load(plan)
        try:
            if plan.learning:
                part_of(target, "frames").inject(plan.learning)
            started = await_sent(self._tester, target.snapshot([plan.job]), {end.port}, [plan.job])
            backlog, changed = self._tester.backlog_drops(), self._changed()
            target.start([plan.job])
        except BaseException:
            with suppress(TargetError):
                target.unload([plan.job])
            raise
        self._starts[end.name] += 1
        self._stopped.pop(end.name, None)
        running = RunningEnd(end, plan, self._tester, started, backlog, changed_before=changed)
        running.start = self._starts[end.name]
        self._running[end.name] = running
        senders = [end for end in self._running.values() if end.opens and end.gives.any]
        for sender in senders:
            sender.shared |= len(senders) > 1
        self._note_sources(plan)

    def _note_sources(self, plan: Plan) -> None:
        """Records what it takes to open the same flows in another run."""
        (end,) = plan.ends
        if end.opening:
            first = {a.field: a.value(end.opening.first_flow) for a in end.opening.addresses}
            self._tester.recorder.event(
                "clients_started",
                clients=end.name,
                port=end.port,
                first_source=end.opening.first_flow,
                first_flow=first,
                random_seed=plan.seed,
            )

    def _end_left(self, name: str) -> str:
        """Stops an end that still runs, and forgets its results. Returns a message on clients: they sent."""
        running = self._running.get(name)
        if running:
            self.stop([name], End)
        self._stopped.pop(name, None)
        sends = running is not None and isinstance(running.end, Clients)
        return f"clients {name!r} were still running and have been stopped" if sends else ""

    def runs(self, name: str, kind: type[End]) -> bool:
        """Whether an end of that name and kind is running."""
        return name in self._running and isinstance(self._running[name].end, kind)

    def stop(
        self, names: Sequence[str], kind: type[End], *, abandon: bool = False
    ) -> SessionStatistics | None:
        """Takes ends off their ports; all of a kind, if none is named. Returns what the last one did.

        Open flows are ended as their tables say, unless they are abandoned.

        Raises:
            TesterLibraryError: one of them is not running.
        """
        chosen = names or [name for name, running in self._running.items() if isinstance(running.end, kind)]
        for name in chosen:
            self._known(name, kind)
        statistics = None
        for name in chosen:
            running = self._running.pop(name)
            target = self._tester.target
            try:
                waiting = running.waiting_for_ever()
                unfinished = running.unfinished(waiting)
                target.stop([running.plan.job], abandon=abandon)
                trial = running.since_start()
                if waiting is not None:
                    trial = running.with_waiting(trial, waiting)
                trial = self._judged(running, trial, running.changed_before)
                unfinished = unfinished and replace(unfinished, stopped=True)
                self._stopped[name] = _Stopped(running, trial, unfinished)
                self._tester.evidence.note_faults(trial.objections)
                if opening := running.planned.opening:
                    self._turns.used(running.planned, opening, trial.statistics.openings)
                statistics = trial.statistics
            finally:
                with suppress(TargetError):
                    target.unload([running.plan.job])
        return statistics

    def statistics(self, name: str) -> SessionStatistics:
        """Statistics of an end since its start: so far, or until it was stopped."""
        if name in self._stopped:
            return self._stopped[name].trial.statistics
        return self._looked_at(name).counted()

    def so_far(self, name: str) -> SessionTrial:
        """An end since its start, or until it was stopped, with objections where the tester fell short."""
        if name in self._stopped:
            return self._stopped[name].trial
        running = self._looked_at(name)
        return self._judged(running, running.since_start(), running.changed_before)

    def settled_so_far(self, name: str) -> SessionTrial:
        """The same, with what waits for longer than others: it is looked at again if something waits."""
        if name in self._stopped:
            return self._stopped[name].trial
        running = self._looked_at(name)
        waiting = running.left_waiting(running.counted())
        trial = running.with_waiting(running.since_start(), waiting)
        return self._judged(running, trial, running.changed_before)

    def faults_since(self, before: Snapshot) -> Iterator[str]:
        """Why the tester did not do its part for each end that runs, since then or since the end's start."""
        for running in self._running.values():
            if fault := "; ".join(running.since(before, running.look()).objections):
                yield fault

    @property
    def opening(self) -> list[str]:
        """The names of clients that run and may send yet, as not all of their connections are over."""
        return [
            one.end.name
            for one in self._running.values()
            if (openings := one.openings()) and openings.may_send
        ]

    def behind(self, name: str, *, at_end: bool, at_opening: bool = False) -> tuple[int, str] | None:
        """How many connections an end may count yet, and why; None if none is left, or a device is to blame.

        Clients are to open more of their total, or have open ones, or were stopped before they were over; of
        a responder, any clients of this tester. A device keeps them from it if all their places are taken by
        connections that failed and are not opened again, or that wait for an answer for longer than others
        did. `at_end` and `at_opening` as in `Unfinished.may_change`.
        """
        opens = name in self._stopped or (name in self._running and self._running[name].opens)
        running = [one for key, one in self._running.items() if key == name or not opens]
        stopped = [one for key, one in self._stopped.items() if key == name or not opens]
        found = [*(one.unfinished() for one in running), *(one.unfinished for one in stopped)]
        waited_for = [one for one in found if one and one.may_change(at_end=at_end, at_opening=at_opening)]
        if not waited_for:
            return None
        which = " and ".join(map(str, waited_for))
        led = "" if opens else f", and a device may lead them to {name}"
        first = "" if all(one.stopped for one in waited_for) else "; wait for them first"
        return sum(one.left for one in waited_for), f"{which}{led}{first}"

    def _looked_at(self, name: str) -> RunningEnd:
        running = self._known(name, End)
        if running.missed:
            self._tester.recorder.looked_at_device("a keyword", f"an end, {name!r},")
        return running

    def wait(self, name: str, reached: Callable[[SessionStatistics], bool], timeout: Duration) -> bool:
        """Waits until the statistics of an end satisfy `reached`; False if the timeout is over first."""
        return self._tester.clock.until(lambda: reached(self.statistics(name)), within=timeout)

    def measure(self, name: str, duration: Duration, *, from_start: bool = False) -> SessionTrial:
        """Measures a running end from now on for a time, or from its start to the end of that time.

        Raises:
            PlanError: the duration is not above 0.
        """
        if duration.ns <= 0:
            raise PlanError(f"a duration of {duration} is too short; it must be above 0")
        running = self._known(name, End)
        before = running.changed_before if from_start else self._changed()
        return self._judged(running, running.measured(duration, from_start=from_start), before)

    def _changed(self) -> dict[tuple[str, int], int]:
        """The bytes that arrived changed at responders, by name and start."""
        looks = self._contents(lambda end: not end.opens and end.gives.compared)
        return {(look.name, look.start): look.changed for look in looks}

    def _contents(self, which: Callable[[RunningEnd], bool]) -> list[EndContent]:
        """The content of ends that run or were stopped."""
        running = [(end, None) for end in self._running.values()]
        stopped = [(stopped.running, stopped.trial.statistics) for stopped in self._stopped.values()]
        return [end.content(counted) for end, counted in (*running, *stopped) if which(end)]

    def _judged(
        self, running: RunningEnd, trial: SessionTrial, before: Mapping[tuple[str, int], int]
    ) -> SessionTrial:
        """A trial of an end with what all ends know of its content."""
        if not (running.gives.known or running.gives.compared):
            return trial
        peers = self._contents(lambda end: end is not running)
        return content_judged(trial, running.content(), peers, before, shared=running.shared)

    def measure_well(self, name: str, duration: Duration) -> SessionTrial:
        """Measures a running end, again while the tester did not do its part, as often as its rules allow."""
        return self.repeated(name, lambda: self.measure(name, duration))

    def observed(
        self,
        kind: type[Measured],
        clients: Clients,
        measure: Callable[[], Measured],
        *asked: object,
        empties: bool,
        stay: bool = False,
    ) -> Measured:
        """Runs a trial for which clients start anew, or takes it over from an interrupted attempt.

        Args:
            kind: A dataclass of what is found.
            clients: As they were started.
            measure: Runs the trial.
            asked: All that it depends on, besides the clients and the other ends that run.
            empties: Whether it empties the device's table first.
            stay: Whether clients that open nothing more are left behind.
        """
        beside = [self._running[name].end for name in sorted(self._running) if name != clients.name]
        prepare = _at_once if empties else None
        values = (clients, beside, *asked)
        found = observe(self._tester, kind, measure, *values, prepare=prepare, but=(Running.END,))
        if found.taken_over:
            for running in self._running.values():
                running.missed = True
            if not stay:
                self.clear(clients.name)
            elif clients.name in self._running:
                self._tester.target.stop([self._running[clients.name].plan.job])
        return found.found

    @property
    def left_over(self) -> bool:
        """Whether the device may still hold connections of an interrupted attempt at the test."""
        return is_interrupted(self._tester)

    def repeated(self, name: str, measure: Callable[[], SessionTrial]) -> SessionTrial:
        """The first valid trial of as many attempts as the tester's rules allow, or the last one."""
        return self._tester.repeated(name, measure)

    def clients(self, name: str) -> Clients:
        """The clients of that name as they were started. TesterLibraryError if there are none."""
        end = self._stopped[name].running.end if name in self._stopped else self._known(name, Clients).end
        if not isinstance(end, Clients):
            raise TesterLibraryError(f"{name!r} is a responder; give the name of clients")
        return end

    def parameter(self, end: End, name: str) -> int | None:
        """The value that an end's tables have for a parameter; None if they have none of that name."""
        running = self._running.get(end.name)
        return (running.plan if running else self._plan(end)).ends[0].parameters.get(name)

    def clear(self, name: str) -> None:
        """Stops clients, if they run."""
        if name in self._running:
            self.stop([name], Clients)

    def again(self, end: Clients) -> None:
        """Starts clients in place of those that have their name."""
        self.clear(end.name)
        self._start(replace(end, first_source=None))

    def await_answers(self, name: str, openings: int, longest: Duration) -> None:
        """Waits, but not for ever, until so many connections were opened and each was answered or failed."""
        self.wait(name, lambda found: found.openings >= openings and not found.unanswered, longest)

    def await_questions(self, name: str) -> int:
        """Waits until each connection that is held was asked for once, or one is gone. Returns nanoseconds.

        That validates their entries in a device that translates (RFC 9693 §4.6).
        """
        began = self.statistics(name)
        held = began.concurrent or 0
        due = (began.count("asked") or 0) + held

        def is_over(now: SessionStatistics) -> bool:
            return now.concurrent != held or (now.count("asked") or 0) >= due

        seen = self._tester.clock.reading(lambda: self.statistics(name), is_over)
        return seen.duration_ns - began.duration_ns

    def drain(self, name: str, longest: Duration) -> None:
        """Waits until no flow of an end is open, for so long at most."""
        self.wait(name, lambda found: not found.concurrent, longest)

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self._running.clear()
        self._stopped.clear()

    def _plan(self, end: End) -> Plan:
        tester = self._tester
        _require(end, tester)
        neighbours = {
            (station.port.name, address): part_of(tester.target, "frames").resolve(
                station.port.name,
                address,
                source=station.host(address.version),
                source_mac=station.port.mac,
            )
            for station, address in asked_for(end, tester.ports)
        }
        plan = tester.plans.of_job(
            Job(end.name, ends=(end,), seed=tester.seed + self._starts[end.name]),
            neighbours=neighbours,
            beside=[running.plan for running in self._running.values()],
        )
        (planned,) = plan.ends
        if not planned.opening or (isinstance(end, Clients) and end.first_source is not None):
            return plan
        opening = replace(planned.opening, first_flow=self._turns.first(planned, planned.opening))
        return replace(plan, ends=(replace(planned, opening=opening),))

    def _known(self, name: str, kind: type[End]) -> RunningEnd:
        running = self._running.get(name)
        if running is None or not isinstance(running.end, kind):
            names = [key for key, running in self._running.items() if isinstance(running.end, kind)]
            if kind is End:
                raise self._running.refusal(name, names)
            noun = "group of clients" if kind is Clients else kind.__name__.lower()
            raise self._running.refusal(name, names, noun=noun, start=f"Start {kind.__name__}")
        return running


def _require(end: End, tester: Tester) -> None:
    """Refuses a protocol that the tester's kind cannot run, before anybody is asked for an address."""
    if (planner := tester.capabilities.planner) and not isinstance(end, Trigger):
        try:
            require(protocol_of(end, tester.ports), planner)
        except PlanError as problem:
            raise end.refused(str(problem)) from None


def _at_once() -> None:
    """Nothing has to be done before a trial that empties the device itself."""
