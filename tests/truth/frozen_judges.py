# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients with a rate and few places, of a server that stands still for a part of the time.

A connection that was due, and was not opened because all places waited for the server, has a time as well: a
user would have waited from the instant at which it was due.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter as Tally
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.openings import Openings
from TesterLibrary.measurement.session_trial import SessionTrial, awaited, left_waiting
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.sessions import connection_rate_above, failures_below, time_below
from TesterLibrary.model.plan.planned_end import Opening
from TesterLibrary.model.responder import Reopen
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Ratio
from tests.counted import session_statistics

from .case import Case, judge, near

_MS = 1_000  # microseconds
_AT_EDGES = 3


@dataclass(frozen=True)
class FrozenServer:
    """Answers after a time of work, and does no work from one instant to another. Microseconds."""

    work_us: int
    still: tuple[int, int]  # from, to

    def answers_at(self, asked_us: int) -> int:
        """When it has answered."""
        since, until = self.still
        if asked_us >= until or asked_us + self.work_us <= since:
            return asked_us + self.work_us
        return until + self.work_us - max(0, since - asked_us)


@dataclass(frozen=True)
class FrozenRun:
    """Clients who open at a rate, while fewer than `places` connections are open, for a time."""

    server: FrozenServer
    gap_us: int
    places: int
    duration_us: int

    @property
    def due(self) -> list[int]:
        """When connections are due."""
        return list(range(0, self.duration_us, self.gap_us))

    @property
    def true_times(self) -> list[int]:
        """The waits of users whose connections are due in this time, in the order in which they are due."""
        return [self.server.answers_at(due_us) - due_us for due_us in self.due]

    @property
    def under_way(self) -> int:
        """The most connections that may be under way at the end, of a server that does not stand still."""
        return 2 * self.server.work_us // self.gap_us + 5

    def trial(self) -> SessionTrial:
        """Counted as an engine does: of those that are due while no place is free the first is late."""
        open_until: list[int] = []
        times: list[int] = []
        opened = put_off = most = 0
        late = False

        def opens(now_us: int) -> None:
            nonlocal opened, most
            answer_us = self.server.answers_at(now_us)
            heapq.heappush(open_until, answer_us)
            opened += 1
            most = max(most, len(open_until))
            if answer_us <= self.duration_us:
                times.append(answer_us - now_us)

        for due_us in [*self.due, self.duration_us]:
            while open_until and open_until[0] <= due_us:
                free_us = heapq.heappop(open_until)
                if late:
                    late = False
                    opens(free_us)
            if due_us == self.duration_us:
                break
            if len(open_until) < self.places:
                opens(due_us)
            else:
                put_off += 1
                late = True
        answered = len(times)
        taken = DurationCounters()
        if times:
            taken = DurationCounters(
                answered, sum(times), min(times), max(times), dict(Tally(map(index_of, times)))
            )
        statistics = session_statistics(
            "users",
            self.duration_us * 1000,
            {"tcp.established": answered, "http.responses": answered},
            {"http.time_to_first_byte": taken, "tcp.time_to_open": taken},
            openings=opened,
            begun=opened,
            ended=answered,
            concurrent=opened - answered,
            most_concurrent=most,
            put_off=put_off,
            opens=True,
        )
        return _trial(statistics, Fraction(1, self.gap_us * 1000), self.places)

    def __str__(self) -> str:
        return (
            f"{self.server}, a connection each {self.gap_us} us, {self.places} places, {self.duration_us} us"
        )


def _trial(statistics: object, rate: Fraction, places: int) -> SessionTrial:
    asked = Opening(places, (), b"", b"", places, rate, Reopen.ALWAYS)
    openings = Openings("users", asked, statistics)  # type: ignore[arg-type]
    waiting = left_waiting([openings.counted])
    due = openings.due(openings.counted.duration_ns)
    return SessionTrial(
        openings.counted,
        due,
        (),
        waiting,
        all_in_use=openings.all_in_use(waiting or 0),
        unopened=openings.unopened(openings.counted, due, EvidenceLimits().max_shortfall),
        late=openings.late(openings.counted, due),
        silent=openings.silent(waiting or 0, openings.counted),
        unserved=openings.unserved,
        awaited=awaited(openings.counted),
    )


def _random_run(draw: random.Random) -> FrozenRun:
    duration_us = 1000 * _MS
    since = draw.randrange(duration_us)
    length = draw.choice([0, 0, draw.randint(1, 50) * _MS, draw.randint(50, 1500) * _MS])
    server = FrozenServer(draw.choice([100, 1_000, 20_000]), (since, since + length))
    return FrozenRun(
        server, draw.choice([500, 1_000, 5_000]), draw.choice([2, 10, 50, 1_000, 10_000]), duration_us
    )


@judge
def frozen_time(draw: random.Random) -> Case:
    run = _random_run(draw)
    trial, times = run.trial(), run.true_times
    percent = draw.choice(["50", "90", "99", "100"])
    # Those that are under way at the end may be counted, or not.
    values = [_percentile(times[: len(times) - last], percent) for last in range(run.under_way + 1)]
    least, most = min(values), max(values)
    beside = [least * 98 // 100 - 3, most * 102 // 100 + 3]
    bound_us = max(0, draw.choice([*beside, 2 * most + 10, least // 2 - 10, most + 200_000]))
    verdict = time_below(trial, "time_to_first_byte", Duration(bound_us * 1000), float(percent))
    truth = most <= bound_us
    if not trial.statistics.established and bound_us < run.duration_us:
        truth = False  # nobody was served for longer than that
    excuse = "connections were not opened when they were due" if trial.late else ""
    if (trial.statistics.concurrent or 0) >= run.under_way - 5:
        excuse = excuse or "connections wait for an answer"
    if not trial.statistics.established:
        excuse = excuse or "nothing was answered"
    about = f"p{percent} bound {bound_us} us, truth {least} to {most} us; {run}; {trial}"
    return Case("time of a frozen server", truth, verdict, excuse, about)


def _percentile(times: list[int], percent: str) -> int:
    return sorted(times)[ceil(len(times) * Fraction(percent) / 100) - 1]


@judge
def frozen_rate(draw: random.Random) -> Case:
    """Connections that the server answers in this time; it could answer more if more were opened."""
    run = _random_run(draw)
    trial = run.trial()
    established = trial.statistics.established or 0
    rate = Fraction(established * 10**6, run.duration_us)
    bound = near(draw, rate, Fraction(10**6, run.duration_us)) or Fraction(1)
    verdict = connection_rate_above(trial, Frequency(bound))
    asked = Fraction(10**6, run.gap_us)
    excuse = ""
    if bound > rate:
        excuse = "no more was asked" if bound > asked * Fraction(99, 100) else excuse
        excuse = "all places were in use" if trial.statistics.put_off else excuse
    elif trial.unopened:
        excuse = "connections were not opened"
    about = f"bound {bound}; {run}; {trial}"
    return Case("rate of a frozen server", rate >= bound, verdict, excuse, about)


@judge
def frozen_failures(draw: random.Random) -> Case:
    """A server that goes on fails nobody; one that does not go on fails the connections that wait."""
    run = _random_run(draw)
    since, until = run.server.still
    comes_back = until + run.server.work_us < run.duration_us
    if not comes_back:
        run = replace(run, server=replace(run.server, still=(since, 10**12)))
    trial = run.trial()
    times = run.true_times
    failed = 0 if comes_back else sum(time_us > 10**9 for time_us in times)
    part = Fraction(failed, len(times))
    # Those that are under way at the end may be counted, or not; one may be due at either end.
    less = max(Fraction(0), part - Fraction(run.under_way + _AT_EDGES, len(times)))
    more = part + Fraction(_AT_EDGES, len(times)) * bool(trial.statistics.put_off)
    hair = Fraction(1, 10**9)
    bound = min(
        Fraction(1), max(Fraction(0), draw.choice([more, more + hair, less - hair, 2 * more, less / 2]))
    )
    if less <= bound < part:
        bound = more
    verdict = failures_below([trial], Ratio(bound))
    within = part <= bound
    excuse = "connections wait for an answer" if trial.unanswered or trial.silent else ""
    if trial.late:
        excuse = excuse or "connections were not opened when they were due"
    about = f"bound {bound}, {failed} of {len(times)} never answered; {run}; {trial}"
    return Case("failures of a frozen server", within, verdict, excuse, about)
