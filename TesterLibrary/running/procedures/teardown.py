# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections that clients hold while their table is deleted: a `TeardownMeasurer` (RFC 9693 §4.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ...methodology.teardown import TeardownTrial
from ...model.responder import Reopen
from ...model.units.units import Duration
from ...reporting.record.machine import wall_clock
from ..connections import Connections
from ..tester import Tester
from .connection_trials import HELD

_ANSWERS = Duration(1_000_000_000)  # for the last connection that is opened
_IN_FLIGHT_S = 0.002  # for frames that were on their way when the command ended
# Of a table that is deleted evenly, each entry of which is asked for once in a time T, no question comes in a
# part 14 / N of T with a probability of 1 in 1,000: its N entries are there for half of it, so 7 are due.
_UNSEEN = 14
_COUNTED = ("asked", "forgotten")  # by clients that notice when their entry is gone


class Teardown:
    """Clients that hold connections, and the hook that deletes them in the device."""

    def __init__(
        self, tester: Tester, ends: Connections, name: str, hook: Callable[[], None], timeout: Duration
    ) -> None:
        """`timeout`: for how long connections are watched that are still there after the hook.

        Raises:
            PlanError: the clients do not notice that a connection is gone.
        """
        self._tester, self._ends, self._clients, self._hook = tester, ends, ends.clients(name), hook
        self._timeout = timeout
        counters = {counter.partition(".")[2] for counter in ends.statistics(name).counters}
        if not counters.issuperset(_COUNTED):
            raise self._clients.refused(
                f"{self._clients.protocol} does not notice when the device has forgotten a connection; use "
                "Start NAT Clients"
            )

    def tear_down(self, connections: int) -> TeardownTrial:
        """Opens so many connections and has their table deleted; again where the tester fell short."""

        def measure() -> TeardownTrial:  # the hook empties the table first
            return self._tester.repeated(self._clients.name, partial(self._once, connections))

        asked = "torn down", connections, self._timeout
        return self._ends.observed(TeardownTrial, self._clients, measure, *asked, empties=True)

    def _once(self, connections: int) -> TeardownTrial:
        started_at, name = wall_clock(), self._clients.name
        self._ends.clear(name)
        self._hook()  # entries of clients before these are no part of the time of an empty table
        empty_ns = self._timed()
        held = replace(
            self._clients,
            connections=connections,
            total=connections,
            reopen=Reopen.NEVER,
            parameters={**self._clients.parameters, "hold": HELD},
        )
        self._ends.again(held)
        rate = self._clients.rate
        filling = Duration(int(connections / rate.per_second * 10**9) if rate else 0)
        self._ends.await_answers(name, connections, Duration(filling.ns + _ANSWERS.ns))
        try:
            trial = self._deleted(connections, self._ends.await_questions(name))
            return replace(trial, empty_ns=empty_ns, started_at=started_at)
        finally:
            self._ends.clear(name)

    def _timed(self) -> int:
        """How long the hook takes, in the time of the tester."""
        began_ns = self._now_ns()
        self._hook()
        return self._now_ns() - began_ns

    def _now_ns(self) -> int:
        return self._tester.target.snapshot().taken_at_ns

    def _deleted(self, connections: int, asked_ns: int) -> TeardownTrial:
        """`asked_ns`: the time between two questions for a connection."""
        name = self._clients.name
        before = self._ends.so_far(name)
        began_ns = self._now_ns()
        command_ns = self._timed()
        clock = self._tester.clock
        clock.sleep(_IN_FLIGHT_S)
        earlier, earlier_ns = self._ends.statistics(name), self._now_ns()
        deadline_ns = earlier_ns + self._timeout.ns
        # Without a question after the command, its entries were there for so short that none was due.
        last_ns, gone_ns = 0, earlier_ns + min(asked_ns, _UNSEEN * asked_ns // max(1, connections))
        for seen, seen_ns in clock.readings(lambda: (self._ends.statistics(name), self._now_ns())):
            if seen.count("asked") != earlier.count("asked"):
                last_ns, gone_ns = earlier_ns, seen_ns + asked_ns
            if not seen.concurrent or seen_ns >= deadline_ns:
                break
            earlier, earlier_ns = seen, seen_ns
        after = self._ends.so_far(name)
        left = seen.concurrent or 0
        return TeardownTrial(
            connections=connections,
            held=(before.statistics.concurrent or 0) - (before.statistics.unanswered or 0),
            empty_ns=0,
            command_ns=command_ns,
            least_ns=max(0, last_ns - began_ns),
            most_ns=None if left else gone_ns - began_ns,
            left=left,
            crossed=before.statistics.crossed,
            objections=tuple(dict.fromkeys((*before.objections, *after.objections))),
        )
