# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Scaled group forwarding matrix (RFC 2432 §3.1.2, RFC 3918 §4.2): forwarding rates by numbers of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ...errors import require
from ...measurement.multicast import Leak
from ...measurement.trial import Trial
from ...model.units.number import counted
from ...model.units.units import Duration, Rate, RateUnit, Ratio
from ...verdict import AT_LEAST, Between, Verdict, assess
from ..forwarded import forwarded_rate
from ..result import Result
from ..standard import Standard
from ..verdicts.judging import amount, doubt_of, unmeasured


class MatrixMeasurer(Protocol):
    """Runs trials of streams to more and more groups, all of which the members have joined."""

    def measure(self, groups: int, load: Fraction, duration: Duration) -> Trial:
        """Members join the first so many groups; one trial. TargetError if the tester is broken or late."""
        ...


@dataclass(frozen=True)
class GroupMatrix:
    """The numbers of groups that are tried, and the load."""

    groups: tuple[int, ...]
    load: Ratio = Ratio(Fraction(1))  # of line rate
    duration: Duration = Standard.RFC3918.trial

    @classmethod
    def of(cls, groups: Sequence[int], load: Ratio, duration: Duration) -> GroupMatrix:
        """The matrix over these numbers of groups. PlanError for one that makes no sense."""
        matrix = cls(tuple(groups), load, duration)
        matrix.validate()
        return matrix

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (bool(self.groups), "give one or more numbers of groups", "groups"),
            (all(count >= 1 for count in self.groups), "each number of groups must be 1 or more", "groups"),
            (list(self.groups) == sorted(set(self.groups)), "numbers of groups must rise", "groups"),
            (0 < self.load.value <= 1, "the load must be above 0 and at most 100 %", "load"),
            (self.duration.ns > 0, "the duration must be above 0", "duration"),
        )

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,}" for count in self.groups)
        return f"{counts} groups at {self.load} of line rate, trials of {self.duration}"


@dataclass(frozen=True)
class GroupMatrixResult(Result):
    """A trial for each number of groups, in their order."""

    matrix: GroupMatrix

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return Standard.RFC3918.shortened(self.matrix.duration)

    @property
    def rates(self) -> dict[int, float | None]:
        """Frames each second at the member that received the fewest, by groups; None: not known."""
        return {groups: float(found.least) if found else None for groups, _, found in self._each()}

    def verdict_above(self, bound: Rate) -> Verdict:
        """Whether each member received at least so much with every number of groups.

        INCONCLUSIVE where the tester fell short, or offered less than the bound.
        """
        known = [(rate, groups, trial) for groups, trial, rate in self._each() if rate is not None]
        worst = min(known, key=lambda each: _in_unit(each[0].least, each[2], bound.unit), default=None)
        value = _in_unit(worst[0].least, worst[2], bound.unit) if worst else None
        most = min((_in_unit(rate.most, trial, bound.unit) for rate, _, trial in known), default=None)
        doubt = doubt_of(self.trials) or unmeasured(self.trials) or self._uncounted()
        if not doubt and worst and value is not None and value < bound.value:
            doubt = _short(worst[2], bound)
        text = "unknown"
        if worst and value is not None:
            groups = counted(worst[1], "group")
            text = f"{Rate(value, bound.unit) if value else 0} with {groups}{_deaf(worst[2])}"
        return assess(
            value if value == most or value is None else Between(value, most),
            AT_LEAST,
            bound.value,
            subject=f"group forwarding rate of {self.title}",
            measured=text,
            bound=f">= {bound}",
            doubt=doubt,
        )

    def _uncounted(self) -> str:
        """Why the frames at some member are not known; empty if they are."""
        unknown = [trial for _, trial, rate in self._each() if rate is None]
        if leak := Leak.of(unknown).ports:
            return f"frames arrived at {', '.join(leak)}, too, and are counted together with those at members"
        if not unknown:
            return ""
        if any(stream.counters.rx_misrouted is None for trial in self.trials for stream in trial.streams):
            return "this tester does not count frames that arrive at other ports than the first member"
        return "this tester counts the frames at the other members together"

    def _each(self) -> Sequence[tuple[int, Trial, Between | None]]:
        pairs = zip(self.matrix.groups, self.trials, strict=True)
        return [(groups, trial, _rate(trial)) for groups, trial in pairs]

    def __str__(self) -> str:
        texts = (
            f"{groups:,}: {'not known' if rate is None else f'{rate:,.0f} pps'}"
            for groups, rate in self.rates.items()
        )
        return f"{self.title}: received by a member, by groups: {', '.join(texts)}"


def _short(trial: Trial, bound: Rate) -> str:
    """Why a trial below the bound says nothing of the device: it was offered less; empty if it was not."""
    offered = _in_unit(trial.streams[0].left_rate, trial, bound.unit)
    if offered >= bound.value:
        return ""
    return f"offered was {Rate(offered, bound.unit)} only; give a higher load, or ask for less"


def sweep_group_matrix(measurer: MatrixMeasurer, title: str, matrix: GroupMatrix) -> GroupMatrixResult:
    """Measures the forwarding rate with each number of groups.

    Raises:
        PlanError: the matrix makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    matrix.validate()
    trials = tuple(measurer.measure(groups, matrix.load.value, matrix.duration) for groups in matrix.groups)
    return GroupMatrixResult(title, trials, matrix)


def _rate(trial: Trial) -> Between | None:
    """Frames each second at the member that received the fewest; None where each is not known.

    At other members than the first one arrivals are not timed: of these, as many are in time as of the first.
    """
    if not trial.valid:
        return None
    (stream,) = trial.streams
    counts = stream.broadcast.by_port
    if counts is None:
        return None
    first = forwarded_rate(trial, RateUnit.PPS)
    sent = stream.counters.tx_packets
    others = [Fraction(min(frames, sent) * 10**9, trial.sending_ns) for frames in counts.values()]
    arrived = stream.order.most_first_arrivals
    part = Fraction(stream.arrived_in_time.least, arrived) if arrived else Fraction(0)
    return Between(
        min([first.least, *(rate * part for rate in others)]),
        min([first.most, *others]),
    )


def _in_unit(rate: Fraction, trial: Trial, unit: RateUnit) -> Fraction:
    return amount(trial, unit, lambda _: rate)


def _deaf(trial: Trial) -> str:
    """The ports at which nothing arrived; empty if there are none."""
    deaf = [port for stream in trial.streams for port in stream.broadcast.deaf]
    return f", nothing arrived at {', '.join(deaf)}" if deaf else ""
