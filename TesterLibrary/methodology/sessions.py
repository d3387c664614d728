# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections, goodput and times that clients saw, against bounds (RFC 2647, RFC 3511, norma §8)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf
from typing import Protocol

from ..errors import TesterLibraryError
from ..measurement.session_trial import SessionTrial
from ..model.units.quantity import Frequency
from ..model.units.units import Bandwidth, Duration, Ratio, duration_text
from ..verdict import AT_LEAST, AT_MOST, About, Between, Undecided, Verdict, assess, text_of
from .failure_remarks import changed_remarks, failed_before, failure_remarks, silent_remarks
from .result import Result
from .verdicts.judging import about


class SessionMeasurer(Protocol):
    """Runs clients in a way that a number says: their rate of opening, or how many are open at once."""

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        """The clients at a level for a duration. TargetError if the tester is broken, gone or late."""
        ...


class ConnectionResult(Result, ABC):
    """Base of results about connections."""

    @abstractmethod
    def session(self) -> SessionTrial:
        """The time whose goodput, times and failures are judged."""

    def connection_rate_above(self, bound: Frequency) -> Verdict:
        """Judges that at least this number of connections was established each second."""
        return connection_rate_above(self.session(), bound)

    def concurrent_connections_above(self, bound: int) -> Verdict:
        """Judges that the device held at least this number of connections at once.

        Raises:
            TesterLibraryError: it was not searched.
        """
        raise TesterLibraryError(
            f"at least {bound:,} concurrent connections: give a result of Find Maximum Concurrent "
            f"Connections, not {self}"
        )

    def goodput_above(self, bound: Bandwidth) -> Verdict:
        """Judges the payload that arrived in order each second."""
        return goodput_above(self.session(), bound)

    def time_below(self, name: str, bound: Duration, percent: float) -> Verdict:
        """Judges a percentile of a time, such as `time_to_first_byte`."""
        return time_below(self.session(), name, bound, percent)

    def failures_below(self, bound: Ratio) -> Verdict:
        """Judges the part of the connections that failed."""
        return failures_below([self.session()], bound)


@dataclass(frozen=True)
class SessionResult(ConnectionResult):
    """Statistics of clients or of a responder over one time."""

    trial: SessionTrial

    def session(self) -> SessionTrial:
        """See ConnectionResult."""
        return self.trial

    @property
    def measured(self) -> tuple[SessionTrial, ...]:
        """Times that a verdict rests on."""
        return (self.trial,)

    def __str__(self) -> str:
        return str(self.trial)


def session_result(trial: SessionTrial) -> SessionResult:
    """The result of one trial."""
    return SessionResult(title=trial.statistics.name, trials=(), trial=trial)


def connection_rate_above(trial: SessionTrial, bound: Frequency) -> Verdict:
    """Whether at least so many connections were established each second."""
    established, duration_ns = trial.statistics.established, trial.statistics.duration_ns
    exact = None if established is None else Fraction(established * 10**9, duration_ns or 1)
    return assess(
        exact,
        AT_LEAST,
        bound.per_second,
        subject=f"connection rate of {trial.statistics.name}",
        measured=""
        if trial.connection_rate is None
        else "; ".join((f"{text_of(trial.connection_rate)}/s", *failure_remarks(trial))),
        bound=f">= {bound}",
        doubt=trial.doubt
        or _too_few_asked(trial, bound)
        or _too_few_offered(trial, bound)
        or (_unopened(trial) if exact is not None and exact >= bound.per_second else ""),
    )


def goodput_above(trial: SessionTrial, bound: Bandwidth) -> Verdict:
    """Whether at least so many bits of payload arrived in order each second (RFC 2647 §3.7)."""
    goodput = trial.goodput_bps
    known = "not measured" if goodput is None else f"{text_of(goodput / 1e6)} Mbps"
    if goodput and trial.unserved:
        goodput, known = 0.0, f"0 Mbps: no request was answered as asked for ({known} in other responses)"
    return assess(
        goodput,
        AT_LEAST,
        bound.bps,
        subject=f"goodput of {trial.statistics.name}",
        measured="; ".join((known, *failure_remarks(trial))),
        bound=f">= {bound}",
        doubt=trial.doubt or _goodput_doubt(trial, goodput, bound),
    )


def time_below(trial: SessionTrial, name: str, bound: Duration, percent: float) -> Verdict:
    """Whether a percentile of a time is at most the bound; who failed without it has the longest."""
    bounds = time_bounds(trial, name, percent) or (never_measured(trial) if trial.dead else None)
    return assess(
        bounds,
        AT_MOST,
        bound.ns,
        subject=f"{name.replace('_', ' ')} of {trial.statistics.name}, percentile {percent:g}",
        measured=_time_text(trial, name, percent, bounds),
        bound=f"<= {bound}",
        doubt=trial.doubt or ("" if bounds else "nothing was measured"),
    )


def _time_text(trial: SessionTrial, name: str, percent: float, bounds: Between | None) -> str:
    figure = trial.statistics.times(name).figure_at(percent)
    if not bounds or not figure or bounds.least == inf:
        return never_measured(trial).text if bounds else "unknown"
    text = duration_text(figure.value)
    if trial.failed_without(name)[1]:
        text = "; ".join((f"{text} of those that had it", *failure_remarks(trial)))
    return text


def time_bounds(trial: SessionTrial, name: str, percent: float) -> Between | None:
    """A percentile of a time, with its error; None where none was measured.

    Connections that were not opened when due, or wait too long, may have any; those that failed have no end.
    """
    missing, why = trial.untimed(name)
    times = trial.statistics.times(name)
    figure = times.figure_at(percent)
    if not figure or not why:
        return about(figure)
    least, most = times.bounds_with(missing, trial.failed_without(name), percent)
    return Undecided(least, inf if figure.few else most, "; ".join(filter(None, (why, figure.few))))


def never_measured(trial: SessionTrial) -> About:
    """A time that no connection had, as none was served: longer than any bound.

    Where none failed, and all wait, it is only known to be longer than they were watched.
    """
    watched_ns = trial.statistics.duration_ns if trial.silent and trial.failures == trial.silent else inf
    return About(watched_ns, inf, "; ".join(("longer than any connection lasted", *failure_remarks(trial))))


def failures_below(trials: Sequence[SessionTrial], bound: Ratio) -> Verdict:
    """Whether no greater part of the flows failed than the bound."""
    worst = max(trials, key=lambda trial: trial.failed_bounds.least if trial.failed_bounds else 0)
    part = worst.failed_part
    return assess(
        worst.failed_bounds,
        AT_MOST,
        bound.value,
        subject=f"failed flows of {worst.statistics.name}",
        measured=""
        if part is None
        else "; ".join(
            (
                f"{Ratio(part)} ({worst.failures:,} of {worst.flows:,}{_causes(worst)})",
                *silent_remarks(worst),
                *changed_remarks(worst),
                *failed_before(worst),
            )
        ),
        bound=f"<= {bound}",
        doubt=worst.doubt
        or ("" if worst.flows else "no flow was opened in this time")
        or _waiting(worst, bound),
    )


def _causes(trial: SessionTrial) -> str:
    return f": {trial.judged.causes}" if trial.judged.causes else ""


def _goodput_doubt(trial: SessionTrial, goodput: float | None, bound: Bandwidth) -> str:
    """Why goodput says nothing of the device, beside the tester's own part."""
    if goodput is None:
        return "the protocol's tables count no payload"
    if goodput >= bound.bps:
        return _mostly_failed(trial) or trial.uncompared_text or _unopened(trial)
    return over_early(trial) or _all_carried(trial) or (_unopened(trial) if trial.all_in_use else "")


def _unopened(trial: SessionTrial) -> str:
    """Connections that were due and not opened; empty if there were none."""
    return trial.omission if trial.unopened else ""


def _mostly_failed(trial: SessionTrial) -> str:
    """The doubt that error pages were carried: more connections failed than requests were answered.

    Goodput is what arrives for who asked for it (RFC 2647 §3.7), of transactions that succeed (RFC 9411).
    """
    counted = trial.statistics
    answered = counted.transactions or 0
    if (counted.failed or 0) <= max(counted.completed or 0, answered):
        return ""
    return (
        f"{counted.failed:,} connections failed and {answered:,} requests were answered as asked "
        "for: what was carried may be responses that refuse them"
    )


def failed_range(trial: SessionTrial) -> Undecided | None:
    """How many flows failed, and may have failed in the end; None where no other one may."""
    counted, waiting, counts = trial.statistics, trial.unanswered, trial.failed_counts
    if counts is None:
        return None
    if trial.silent:
        return Undecided(trial.failures, trial.failures, "")
    content = "; ".join(changed_remarks(trial))
    why, unserved = (_waits(trial), _unserved(trial)) if counted.opens else ("", "")
    if not (why or unserved or content):
        return None
    more = 0 if not (why or unserved) else inf if waiting is None else waiting
    more = max(more, (counted.established or 0) if unserved else 0)
    return Undecided(counts.least, counts.most + more, "; ".join(filter(None, (why or unserved, content))))


def _waiting(trial: SessionTrial, bound: Ratio) -> str:
    """Connections that may still fail, where so many would break the bound."""
    failed, waiting, most = trial.failures, trial.unanswered, bound.value * trial.flows
    if failed is None or failed > most:
        return ""
    if waiting is None or failed + waiting > most:
        return _waits(trial)
    if failed + waiting + trial.unopened > bound.value * (trial.flows + trial.unopened):
        return "; ".join(filter(None, (trial.omission, _waits(trial))))
    return _unserved(trial)


def _waits(trial: SessionTrial) -> str:
    """How many connections wait for longer than usual; empty if none does."""
    waiting, opened = trial.unanswered, trial.flows
    if waiting is None:
        return "this protocol does not tell which connections were answered"
    if not waiting:
        return ""
    waits = f"{waiting:,} of {max(waiting, opened):,} connections"
    if trial.statistics.untimed:
        return f"{waits} have no answer yet, and none fails by that: no timer of their protocol ends one"
    return f"{waits} were still opening; measure for longer than their timeout"


def _unserved(trial: SessionTrial) -> str:
    """Connections of which not one has had an answer to its request may all fail yet."""
    counted = trial.statistics
    served = counted.transactions or counted.bytes_received or counted.failed
    if served or counted.transactions is None or not counted.established:
        return ""
    return f"no request of {counted.established:,} connections has been answered; measure for longer"


def shares_of(trials: Mapping[str, SessionTrial], bound: Ratio) -> Verdict:
    """Judges the shares of servers, by their trials. TesterLibraryError unless there are two or more."""
    if len(trials) < 2:
        raise TesterLibraryError(f"shares of {', '.join(trials) or 'none'}: give two or more responders")
    doubt = next(("; ".join(trial.objections) for trial in trials.values() if trial.objections), "")
    return even_shares({name: trial.statistics.transactions for name, trial in trials.items()}, bound, doubt)


def even_shares(shares: Mapping[str, int | None], bound: Ratio, doubt: str = "") -> Verdict:
    """Whether each of several servers has done as much as the others: no more than the bound off the mean.

    A share is None where the tables of a server do not count it.
    """
    known = {name: share for name, share in shares.items() if share is not None}
    if len(known) < len(shares):
        unknown = ", ".join(name for name in shares if name not in known)
        return assess(
            None,
            AT_MOST,
            bound.value,
            subject="balance of transactions",
            bound=f"<= {bound}",
            doubt=doubt or f"the tables of {unknown} count no transactions",
        )
    mean = Fraction(sum(known.values()), len(known))
    off = max(abs(share - mean) for share in known.values()) / (mean or 1)
    counted = ", ".join(f"{share:,} of {name}" for name, share in known.items())
    return assess(
        off,
        AT_MOST,
        bound.value,
        subject="balance of transactions",
        measured=f"{Ratio(off)} off an even share ({counted})",
        bound=f"<= {bound}",
        doubt=doubt or ("" if mean else "there was no transaction"),
    )


def _all_carried(trial: SessionTrial) -> str:
    """A device that carries all that it is asked to may be able to carry more."""
    counted = trial.statistics
    if trial.due is None or counted.put_off or counted.failed or trial.unanswered:
        return ""
    if counted.openings < trial.due * Fraction(99, 100) - 2:
        return ""
    return f"the clients asked for no more: each of {counted.openings:,} connections was carried"


def _too_few_offered(trial: SessionTrial, bound: Frequency) -> str:
    """A device that was not offered so many connections has not refused them."""
    counted = trial.statistics
    offered = Fraction(counted.openings * 10**9, counted.duration_ns or 1)
    established = Fraction((counted.established or 0) * 10**9, counted.duration_ns or 1)
    if established >= bound.per_second or offered >= bound.per_second:
        return ""
    return no_room(trial, bound.per_second)


def no_room(trial: SessionTrial, rate: Fraction) -> str:
    """Why connections at a rate were not opened, if all that may be open at once were; empty if not.

    Whether the device is slow, or the connections live for long, is not known.
    """
    most, counted = trial.all_in_use, trial.statistics
    if not most:
        return ""
    opened = Fraction(counted.openings * 10**9, counted.duration_ns or 1)
    text = f"all connections={most:,} were in use, so {text_of(opened)}/s were opened of {text_of(rate)}/s: "
    if counted.openings:
        each = duration_text(most / opened * 10**9)
        wanted = ceil(rate * most / opened)
        text += f"one lives for about {each}, so give connections={wanted:,} or more (rate x that time)"
    else:
        text += "give more connections (rate x the time that one lives)"
    return f"{text}, unless it is the device that makes them live so long"


def over_early(trial: SessionTrial) -> str:
    """Why rates are at least what was measured, if clients had nothing more to do; empty if they had."""
    if not trial.over or trial.dead:
        return ""
    name = trial.statistics.name
    return f"all connections of {name} were over before the time was; give a higher total=, or none"


def _too_few_asked(trial: SessionTrial, bound: Frequency) -> str:
    """A device that opens all that it is asked to may be able to open more."""
    if (trial.connection_rate or 0) < bound.per_second and trial.over:
        return over_early(trial)
    if trial.due is None or not trial.statistics.duration_ns:
        return ""
    asked = trial.due * 10**9 / trial.statistics.duration_ns
    idle = not trial.statistics.put_off and not trial.statistics.failed
    if idle and asked < bound.per_second and (trial.connection_rate or 0) >= asked * Fraction(99, 100):
        return f"the clients were asked for {text_of(asked)}/s only, and all were established"
    return ""
