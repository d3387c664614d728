# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials for which clients start anew: at a rate of opening, or with so many connections held at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ...measurement.session_trial import SessionTrial
from ...model.responder import Clients, Reopen
from ...model.units.quantity import Frequency
from ...model.units.units import Duration
from ..connections import Connections

_SETTLE = Duration(200_000_000)  # for the first connections, before a rate is measured
# For SYNs that are sent up to twice more (after 200 and 400 ms): one may be lost, and a server that still has
# a connection of earlier clients from the same port takes one only when it has found that they are gone.
_ANSWERS = Duration(1_000_000_000)
_MARGIN = Duration(100_000_000)  # at first, for the other work of a trial
_MORE = 4  # factor on the margin after a trial whose clients ended too early
_DRAIN = Duration(2_000_000_000)  # until the last connections have ended
HELD = Duration(2000 * 10**9)  # longer than any trial; the tables count it in 31 bits of microseconds
_HOLD = "hold"  # the parameter that says for how long a connection is held
_WATCH = "watch"  # and after how long without a question one that is held is forgotten
# The parameters of clients that hold connections, where nobody has given others: who counts connections does
# not ask how much the device carries (RFC 3511 §5.2, RFC 9411 §7.8).
_HELD = {"tcp-client": {"size": 0}}
_LEFT_OVER = (
    "an interrupted attempt at this test may have left connections in the device, which take room of its "
    "table; give empty=True, or the rest after which it has forgotten them"
)


@dataclass(frozen=True)
class _Preparation:
    """The step that makes the device ready for each trial; None: there is none."""

    ends: Connections
    prepare: Callable[[], None] | None

    def make(self) -> None:
        """Makes the device ready, while no client runs."""
        if self.prepare:
            self.prepare()

    def observed(
        self, clients: Clients, once: Callable[[], SessionTrial], *asked: object, stay: bool = False
    ) -> SessionTrial:
        """A trial in as many attempts as the tester's rules allow, or what an interrupted attempt found.

        Connections that an interrupted attempt has left in the device take room of its table. So those that
        fail then say nothing about it, unless it is made ready.
        """

        def measure() -> SessionTrial:
            trial = self.ends.repeated(clients.name, once)
            if self.prepare or not self.ends.left_over or not (trial.statistics.failed or trial.unanswered):
                return trial
            return replace(trial, objections=(*trial.objections, _LEFT_OVER))

        empties = self.prepare is not None
        return self.ends.observed(SessionTrial, clients, measure, *asked, empties=empties, stay=stay)


class RateMeasurer:
    """The `SessionMeasurer` of connection rates: the clients are started anew for each rate."""

    def __init__(self, ends: Connections, name: str, prepare: Callable[[], None] | None = None) -> None:
        """`prepare` makes the device ready for each trial, while no client runs."""
        self._ends, self._clients = ends, ends.clients(name)
        self._preparation = _Preparation(ends, prepare)
        self._margin_ns = _MARGIN.ns

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """Clients that open so many connections each second."""
        asked = "opened at a rate", level, duration
        return self._preparation.observed(
            self._clients, lambda: self._once(level, duration), *asked, stay=True
        )

    def _once(self, level: int, duration: Duration) -> SessionTrial:
        sending_ns = _SETTLE.ns + duration.ns + self._margin_ns
        total = -(-level * sending_ns // 10**9)
        self._ends.clear(self._clients.name)
        self._preparation.make()
        self._ends.again(replace(self._clients, rate=Frequency(Fraction(level)), total=total))
        self._ends.measure(self._clients.name, _SETTLE)
        trial = self._ends.measure(self._clients.name, duration)
        self._ends.drain(self._clients.name, _DRAIN)
        if trial.due is None:  # a machine that is late may find all of them opened
            self._margin_ns *= _MORE
            return _over_too_early(trial, f"all {total:,} connections had been opened")
        return trial


class ValidatedRateMeasurer:
    """The `SessionMeasurer` of connection rates by RFC 9693: what is opened is held, and then validated.

    In phase 1 connections are opened at the rate. Then the other end uses the entry of each once more.
    """

    def __init__(self, ends: Connections, name: str, prepare: Callable[[], None] | None = None) -> None:
        """`prepare` as for `RateMeasurer`. PlanError if nobody asks for the clients' connections."""
        self._ends, self._clients = ends, ends.clients(name)
        self._preparation = _Preparation(ends, prepare)
        watch = _watch(ends, self._clients)
        if watch is None:
            raise self._clients.refused(
                f"nobody asks for connections of {self._clients.protocol} that are held, so they cannot be "
                "validated; use Start NAT Clients, or validate=False"
            )
        self._watch = watch

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """Clients that open so many connections each second for a duration, and hold them."""
        asked = "opened at a rate and validated", level, duration
        return self._preparation.observed(self._clients, lambda: self._once(level, duration), *asked)

    def _once(self, level: int, duration: Duration) -> SessionTrial:
        name, total = self._clients.name, -(-level * duration.ns // 10**9)
        self._ends.clear(name)
        self._preparation.make()
        self._ends.again(
            replace(
                self._clients,
                rate=Frequency(Fraction(level)),
                connections=total,
                total=total,
                reopen=Reopen.NEVER,
                parameters={**self._clients.parameters, _HOLD: HELD},
            )
        )
        opened = self._ends.measure(name, duration, from_start=True)
        self._ends.await_answers(name, total, _ANSWERS)
        # All that is forgotten is counted then: questions for some do not tell that others were asked for.
        validated = self._ends.measure(name, self._watch, from_start=True)
        self._ends.clear(name)
        # All of them were opened in time: what the machine took beyond it opened no more.
        took_ns = duration.ns if opened.statistics.openings >= total else opened.statistics.duration_ns
        return replace(
            opened,
            statistics=replace(validated.statistics, duration_ns=took_ns),
            objections=tuple(dict.fromkeys((*opened.objections, *validated.objections))),
        )


class ConcurrencyMeasurer:
    """The `SessionMeasurer` of concurrent connections: each number is opened, held, and closed again."""

    def __init__(self, ends: Connections, name: str, prepare: Callable[[], None] | None = None) -> None:
        """`prepare` as for `RateMeasurer`. PlanError if the clients' protocol cannot hold a connection."""
        self._ends, self._clients = ends, ends.clients(name)
        self._preparation = _Preparation(ends, prepare)
        self._margin_ns = _MARGIN.ns
        if _HOLD not in self._clients.parameters:
            raise self._clients.refused(
                f"{self._clients.protocol} cannot hold a connection open; use Start TCP Clients or "
                "Start NAT Clients"
            )

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """Clients that hold so many connections, all at once for the duration at least.

        Those that notice what the device has forgotten hold them until they have noticed it.
        """
        asked = "held at once", level, duration
        return self._preparation.observed(
            self._clients, lambda: self._once(level, duration), *asked, stay=True
        )

    def _once(self, level: int, duration: Duration) -> SessionTrial:
        rate = self._clients.rate
        filling_ns = int(level / rate.per_second * 10**9) if rate else 0
        opening = Duration(filling_ns + _ANSWERS.ns)
        watch = _watch(self._ends, self._clients) or Duration(0)
        watched = Duration(duration.ns + watch.ns)
        held = Duration(opening.ns + watched.ns + _SETTLE.ns + self._margin_ns)
        parameters = {
            **_HELD.get(self._clients.protocol, {}),
            **self._clients.parameters,
            _HOLD: Duration(held.microseconds * 1000),
        }
        once = replace(
            self._clients, connections=level, total=level, reopen=Reopen.NEVER, parameters=parameters
        )
        self._ends.clear(once.name)
        self._preparation.make()
        self._ends.again(once)
        self._ends.await_answers(once.name, level, opening)
        trial = self._ends.measure(once.name, watched, from_start=True)
        self._ends.drain(once.name, Duration(held.ns + _DRAIN.ns))
        if trial.statistics.duration_ns > held.ns:
            self._margin_ns *= _MORE
            return _over_too_early(trial, f"connections had been closed that are held for {held}")
        return trial


def _watch(ends: Connections, clients: Clients) -> Duration | None:
    """How long after its last question clients notice that a connection is forgotten; None: never."""
    watch_us = ends.parameter(clients, _WATCH)
    return None if watch_us is None else Duration(watch_us * 1000)


def _over_too_early(trial: SessionTrial, what: str) -> SessionTrial:
    """A trial whose clients ended before it did, which says nothing about the device."""
    return replace(trial, objections=(*trial.objections, f"{what} before this machine had measured them"))
