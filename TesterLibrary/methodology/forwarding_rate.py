# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Forwarding rates of a device that is offered more than its throughput (RFC 2285 §3.6, RFC 2889 §5.6).

The forwarding rate is what arrives each second at the right ports, whatever is lost. Measured are that at the
maximum offered load, and the highest one at any load from the throughput up to it: a device may forward less
of more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil

from ..errors import require
from ..measurement import remarks
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.units.number import counted
from ..model.units.units import Duration, Rate, RateUnit, Ratio
from ..verdict import AT_LEAST, Between, Verdict, assess
from .forwarded import forwarded_rate
from .measurer import Measurer
from .result import Result
from .standard import Standard
from .verdicts.judging import amount, doubt_of, unmeasured

OnEstimate = Callable[[int, Duration], None]


class ForwardingFigure(Enum):
    """The forwarding rates that RFC 2285 names."""

    AT_MAXIMUM_LOAD = "forwarding rate at maximum offered load"  # FRMOL, §3.6.2
    MAXIMUM = "maximum forwarding rate"  # MFR, §3.6.3


@dataclass(frozen=True)
class ForwardingSweep:
    """The loads that are tried: the highest, then steps from the lowest up to it."""

    lowest: Ratio  # of line rate: the throughput, up to which the forwarding rate is the offered one
    highest: Ratio = Ratio(Fraction(1))  # of line rate: the maximum offered load
    step: Ratio = Ratio(Fraction(1, 20))  # of line rate
    duration: Duration = Standard.RFC2889.trial

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (
                0 < self.lowest.value <= self.highest.value,
                "lowest must be above 0 and at most highest",
                "lowest highest",
            ),
            (self.highest.value <= 1, "a port sends no more than 100 % of line rate", "highest"),
            (self.step.value > 0, "the step must be above 0", "step"),
            (self.duration.ns > 0, "the duration must be above 0", "duration"),
        )

    @property
    def loads(self) -> tuple[Fraction, ...]:
        """The loads in the order of their trials."""
        steps = ceil((self.highest.value - self.lowest.value) / self.step.value)
        rising = (self.lowest.value + number * self.step.value for number in range(steps))
        return (self.highest.value, *rising)

    def __str__(self) -> str:
        return f"{self.lowest} to {self.highest} of line rate by {self.step}, trials of {self.duration}"


@dataclass(frozen=True)
class ForwardingResult(Result):
    """The forwarding rate at each load; the first trial is that at the maximum offered load."""

    sweep: ForwardingSweep

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return Standard.RFC2889.shortened(self.sweep.duration)

    @property
    def rate_at_maximum_load(self) -> float | None:
        """Frames each second at the maximum offered load; None where the tester did not offer it."""
        first = self.trials[0]
        return float(forwarded_rate(first, RateUnit.PPS).least) if first.valid else None

    @property
    def maximum_rate(self) -> float | None:
        """Frames each second, the most of any valid trial; None if there is none."""
        rates = (forwarded_rate(trial, RateUnit.PPS) for trial in self.trials if trial.valid)
        return max((float(rate.least) for rate in rates), default=None)

    def verdict_above(self, figure: ForwardingFigure, bound: Rate) -> Verdict:
        """Whether a forwarding rate is at least the bound: of all streams; in % of line rate.

        INCONCLUSIVE where the tester fell short in the trial that matters, and where the device forwarded all
        that it was offered, which was less than the bound.
        """
        at_maximum = figure is ForwardingFigure.AT_MAXIMUM_LOAD
        trials = self.trials[:1] if at_maximum else self.trials
        valid = [trial for trial in trials if trial.valid and not unmeasured([trial])]
        rates = [(forwarded_rate(trial, bound.unit), trial) for trial in valid]
        rate, best = max(rates, key=lambda each: each[0].least, default=(None, None))
        least = rate.least if rate else None
        most = max((rate.most for rate, _ in rates), default=None)
        doubt = doubt_of([best]) if best else ""
        if least is None or least < bound.value:
            doubt = doubt_of(trials) or unmeasured(trials) or _too_little(valid, bound)
        return assess(
            least if least == most or most is None else Between(least, most),
            AT_LEAST,
            bound.value,
            subject=f"{figure.value} of {self.title}",
            measured=_text(least, best, bound),
            bound=f">= {bound}",
            doubt=doubt,
        )

    def __str__(self) -> str:
        def text(rate: float | None) -> str:
            return "not known" if rate is None else f"{rate:,.0f} pps"

        return (
            f"{self.title}: forwarding rate {text(self.rate_at_maximum_load)} at {self.sweep.highest} of "
            f"line rate, at most {text(self.maximum_rate)}, {counted(len(self.trials), 'trial')}"
        )


def find_forwarding_rate(
    measurer: Measurer, sweep: ForwardingSweep, *, on_estimate: OnEstimate | None = None
) -> ForwardingResult:
    """Measures the forwarding rate at each load of a sweep.

    Raises:
        PlanError: the sweep makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    sweep.validate()
    trials: list[Trial] = []
    for load in sweep.loads:
        left = len(sweep.loads) - len(trials)
        if on_estimate:
            on_estimate(left, Duration(left * sweep.duration.ns))
        trials.append(measurer.measure(load, sweep.duration))
    return ForwardingResult(title=trials[0].title, trials=tuple(trials), sweep=sweep)


def _offered(trial: Trial, unit: RateUnit) -> Fraction:
    """The rate that a device was offered; exactly, where it lost none and so may forward more."""

    def sent(stream: StreamResult) -> Fraction:
        return Fraction(stream.counters.tx_packets * 10**9, trial.sending_ns)

    return amount(trial, unit, sent if trial.lost == 0 else lambda stream: stream.left_rate)


def _text(least: Fraction | None, best: Trial | None, bound: Rate) -> str:
    if best is None:
        return "unknown"
    if not least:
        return "0, nothing arrived"
    return f"{Rate(least, bound.unit)} at {Ratio(best.load)} load, {remarks.loss_text(best)}"


def _too_little(trials: Sequence[Trial], bound: Rate) -> str:
    """The doubt if the offered load was below the bound; empty otherwise."""
    offered = max((_offered(trial, bound.unit) for trial in trials), default=Fraction(0))
    if offered >= bound.value:
        return ""
    return f"offered was {Rate(offered, bound.unit)} at most; send over more ports, or ask for less"
