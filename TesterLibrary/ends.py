# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients that run until they are stopped, and what was measured of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from fractions import Fraction

from .bench import Bench
from .errors import PlanError, TargetError, TesterLibraryError
from .measurement.session_trial import SessionTrial, left_waiting, objections
from .measurement.sessions import SessionStatistics
from .measurement.snapshot import Snapshot
from .model.job import Job
from .model.plan import Plan
from .model.quantity import Frequency
from .model.responder import Clients, End, Reopen
from .model.units import Duration
from .planning.compile import compile as compile_job
from .planning.responder import asked_for

_SETTLE = Duration(200_000_000)  # for the first connections, before a rate is measured
_MARGIN = Duration(100_000_000)  # for what else a trial takes
_DRAIN = Duration(2_000_000_000)  # for connections that are to end
_POLL_S = 0.02
_LOOKS = 25  # at connections that are still opening
_HOLD = "hold"  # the parameter that says for how long a connection is held


@dataclass
class _Running:
    """An end that is loaded and started."""

    end: End
    plan: Plan
    started: Snapshot


class Ends:
    """Responders and clients of one tester, by name."""

    def __init__(self, bench: Bench, sleep: Callable[[float], None] = time.sleep) -> None:
        """`sleep` lets so many seconds pass, for the tester too."""
        self._bench = bench
        self._sleep = sleep
        self._running: dict[str, _Running] = {}
        self._stopped: dict[str, tuple[End, SessionTrial]] = {}

    def start(self, end: End) -> str:
        """Puts an end on its port, until the test or the suite that runs is over. Returns its name.

        Raises:
            PlanError: one of that name is running, or the tester refuses; nothing has been started.
        """
        self._start(end)
        self._bench.scopes.at_end(lambda: self._left(end.name))
        return end.name

    def _start(self, end: End) -> None:
        if end.name in self._running:
            raise end.refused("it is running already; stop it first, or give another name")
        target, plan = self._bench.target, self._plan(end)
        target.load(plan)
        try:
            target.inject(plan.learning)
            started = target.snapshot([plan.job])
            target.start([plan.job])
        except BaseException:
            with suppress(TargetError):
                target.unload([plan.job])
            raise
        self._running[end.name] = _Running(end, plan, started)
        self._stopped.pop(end.name, None)

    def _left(self, name: str) -> str:
        """Ends what nobody has stopped, and forgets what it has done. Clients are told of, as they send."""
        running = self._running.get(name)
        if running:
            self.stop([name], End)
        self._stopped.pop(name, None)
        sends = running is not None and isinstance(running.end, Clients)
        return f"clients {name!r} were still running and have been stopped" if sends else ""

    def stop(self, names: Sequence[str], kind: type[End]) -> SessionStatistics | None:
        """Takes ends off their ports; all of a kind, if none is named. Returns what the last one did.

        Raises:
            TesterLibraryError: one of them is not running.
        """
        chosen = names or [name for name, own in self._running.items() if isinstance(own.end, kind)]
        for name in chosen:
            self._known(name, kind)
        statistics = None
        for name in chosen:
            running = self._running.pop(name)
            target = self._bench.target
            try:
                target.stop([running.plan.job])
                trial = self._since_start(running, target.snapshot([running.plan.job]))
                self._stopped[name] = (running.end, trial)
                statistics = trial.statistics
            finally:
                with suppress(TargetError):
                    target.unload([running.plan.job])
        return statistics

    def statistics(self, name: str) -> SessionStatistics:
        """What an end has done since its start: so far, or until it was stopped."""
        return self.so_far(name).statistics

    def so_far(self, name: str) -> SessionTrial:
        """An end since its start, or until it was stopped, with objections where the tester fell short."""
        if name in self._stopped:
            return self._stopped[name][1]
        running = self._known(name, End)
        return self._since_start(running, self._bench.target.snapshot([running.plan.job]))

    def wait(self, name: str, reached: Callable[[SessionStatistics], bool], timeout: Duration) -> bool:
        """Waits until an end has come to something; False if it has not when the timeout is over."""
        deadline_ns = time.monotonic_ns() + timeout.ns
        while not reached(self.statistics(name)):
            if time.monotonic_ns() >= deadline_ns:
                return False
            self._sleep(_POLL_S)
        return True

    def measure(self, name: str, duration: Duration, *, from_start: bool = False) -> SessionTrial:
        """What a running end does in a time from now on, or has done at its end since its start.

        Raises:
            PlanError: the duration is not above 0.
        """
        if duration.ns <= 0:
            raise PlanError(f"a duration of {duration} is too short; it must be above 0")
        running = self._known(name, End)
        return self._measured(running, duration, from_start=from_start)

    def measure_well(self, name: str, duration: Duration) -> SessionTrial:
        """The same, again while the tester did not do its part, as often as the bench allows."""
        return self.repeated(lambda: self.measure(name, duration))

    def repeated(self, measure: Callable[[], SessionTrial]) -> SessionTrial:
        """The first valid one of so many attempts as the bench allows, or the last one."""
        return self._bench.rules.repeated(lambda _: measure(), lambda trial: trial.valid, self._sleep)

    def clients(self, name: str) -> Clients:
        """How clients were started, running or stopped. TesterLibraryError if there are none of that name."""
        end = self._stopped[name][0] if name in self._stopped else self._known(name, Clients).end
        if not isinstance(end, Clients):
            raise TesterLibraryError(f"{name!r} is a responder; give the name of clients")
        return end

    def again(self, end: Clients) -> None:
        """Starts clients in the place of those of their name."""
        if end.name in self._running:
            self.stop([end.name], Clients)
        self._start(end)

    def drain(self, name: str, longest: Duration) -> None:
        """Waits until no flow of an end is open, for so long at most."""
        for _ in range(int(longest.seconds / _POLL_S)):
            if not self.statistics(name).concurrent:
                break
            self._sleep(_POLL_S)

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self._running.clear()
        self._stopped.clear()

    def _plan(self, end: End) -> Plan:
        bench = self._bench
        neighbours = {
            (station.port.name, address): bench.target.resolve(
                station.port.name,
                address,
                source=station.host(address.version),
                source_mac=station.port.mac,
            )
            for station, address in asked_for(end, bench.ports)
        }
        return compile_job(
            Job(end.name, ends=(end,), seed=bench.seed),
            ports=bench.ports,
            gateways=bench.gateways,
            max_streams=bench.capabilities.max_streams,
            neighbours=neighbours,
            beside=[own.plan for own in self._running.values()],
        )

    def _known(self, name: str, kind: type[End]) -> _Running:
        running = self._running.get(name)
        if running is None or not isinstance(running.end, kind):
            what = "responder or clients" if kind is End else kind.__name__.lower()
            known = [own for own, one in self._running.items() if isinstance(one.end, kind)]
            raise TesterLibraryError(f"no {what} {name!r} is running; there is {', '.join(known) or 'none'}")
        return running

    def _read(self, running: _Running, now: Snapshot) -> SessionStatistics:
        (planned,) = running.plan.ends
        counted = now.end(running.plan.job, planned.name)
        span_ns = now.taken_at_ns - running.started.taken_at_ns
        opens = isinstance(running.end, Clients)
        return SessionStatistics.of(planned.protocol, counted, span_ns, opens=opens)

    def _since_start(self, running: _Running, now: Snapshot) -> SessionTrial:
        limits, ports = self._bench.rules.limits, [running.end.port]
        statistics = self._read(running, now)
        found = objections(statistics, None, running.started, now, ports, limits, job=running.plan.job)
        return SessionTrial(statistics, None, tuple(found), unanswered=left_waiting([statistics]))

    def _measured(self, running: _Running, duration: Duration, *, from_start: bool) -> SessionTrial:
        target, job = self._bench.target, running.plan.job
        started_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        before = target.snapshot([job])
        self._sleep(duration.seconds)
        after = target.snapshot([job])
        whole = self._read(running, after)
        statistics = whole if from_start else whole.since(self._read(running, before))
        due = _due(running.end, statistics, whole.openings)
        limits, ports = self._bench.rules.limits, [running.end.port]
        held_up = whole.put_off > 0
        found = objections(statistics, due, before, after, ports, limits, job=job, held_up=held_up)
        return SessionTrial(statistics, due, tuple(found), self._left_waiting(running, whole), started_at)

    def _left_waiting(self, running: _Running, first: SessionStatistics) -> int | None:
        """Connections that wait for an answer that does not come, after some looks."""
        looks = [first]
        while left_waiting(looks) and len(looks) < _LOOKS:
            self._sleep(_POLL_S)
            looks.append(self._read(running, self._bench.target.snapshot([running.plan.job])))
        return left_waiting(looks)


def _due(end: End, statistics: SessionStatistics, openings: int) -> Fraction | None:
    """Openings that the rate of clients asks for in a time, if it went on for all of that."""
    if not isinstance(end, Clients) or end.rate is None or (end.total and openings >= end.total):
        return None
    return end.rate.per_second * statistics.duration_ns / 10**9


class RateMeasurer:
    """The `SessionMeasurer` of connection rates: clients begin anew at each of them."""

    def __init__(self, ends: Ends, name: str) -> None:
        self._ends, self._clients = ends, ends.clients(name)

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """Clients that open so many connections each second."""
        return self._ends.repeated(lambda: self._once(level, duration))

    def _once(self, level: int, duration: Duration) -> SessionTrial:
        sending_ns = _SETTLE.ns + duration.ns + _MARGIN.ns
        total = -(-level * sending_ns // 10**9)
        self._ends.again(replace(self._clients, rate=Frequency(Fraction(level)), total=total))
        self._ends.measure(self._clients.name, _SETTLE)
        trial = self._ends.measure(self._clients.name, duration)
        self._ends.drain(self._clients.name, _DRAIN)
        return trial


class ConcurrencyMeasurer:
    """The `SessionMeasurer` of concurrent connections: each number is opened, held, and closed again."""

    def __init__(self, ends: Ends, name: str) -> None:
        """PlanError if the clients' protocol cannot hold a connection."""
        self._ends, self._clients = ends, ends.clients(name)
        if _HOLD not in self._clients.parameters:
            raise self._clients.refused(
                f"{self._clients.protocol} cannot hold a connection open; use Start TCP Clients"
            )

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """Clients that hold so many connections, all at once for the duration at least."""
        return self._ends.repeated(lambda: self._once(level, duration))

    def _once(self, level: int, duration: Duration) -> SessionTrial:
        rate = self._clients.rate
        filling_ns = int(level / rate.per_second * 10**9) if rate else 0
        held = Duration(filling_ns + duration.ns + _SETTLE.ns + _MARGIN.ns)
        parameters = {**self._clients.parameters, _HOLD: Duration(held.microseconds * 1000)}
        once = replace(
            self._clients, connections=level, total=level, reopen=Reopen.NEVER, parameters=parameters
        )
        self._ends.again(once)
        trial = self._ends.measure(once.name, Duration(filling_ns + duration.ns), from_start=True)
        self._ends.drain(once.name, Duration(held.ns + _DRAIN.ns))
        return trial
