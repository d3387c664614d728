# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a device keeps the order of frames (RFC 4737)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..measurement.order import UNKNOWN, Order
from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio, ratio_text
from ..verdict import AT_MOST, Between, Verdict, assess
from .measurer import Measurer
from .result import Result
from .verdicts.judging import deaf, order_doubt_of, title_of, undiscerned


@dataclass(frozen=True)
class OrderResult(Result):
    """The order of the frames of all valid trials."""

    @property
    def order(self) -> Order:
        """Counts of lost, duplicated, reordered, late, corrupted and misrouted frames."""
        return order_of(self.trials)

    def __str__(self) -> str:
        return f"{self.title}: {self.order}"


def measure_order(measurer: Measurer, load: Fraction, duration: Duration) -> OrderResult:
    """One trial at a load, in part of line rate. TargetError if the tester is broken, gone or late."""
    trial = measurer.measure(load, duration)
    return OrderResult(title=trial.title, trials=(trial,))


def order_of(trials: Sequence[Trial]) -> Order:
    """The order over all streams of all valid trials; without a valid trial nothing is known."""
    valid = [trial.order for trial in trials if trial.valid]
    return Order.merged(valid) if valid else UNKNOWN


def reordering_below(trials: Sequence[Trial], bound: Ratio) -> Verdict:
    """Whether at most this part of the frames that arrived was reordered (RFC 4737 §3.4)."""
    order = order_of(trials)
    ratio, bounds = order.ratio, order.ratio_bounds
    return assess(
        Between(*bounds) if bounds and ratio is None else ratio,
        AT_MOST,
        bound.value,
        subject=f"reordering of {title_of(trials)}",
        measured=f"{_ratio_text(bounds)} ({_text(order, trials)})" if bounds else _text(order, trials),
        bound=f"<= {bound}",
        doubt=order_doubt_of(trials) or deaf(trials) or ("" if bounds else undiscerned(trials)),
        text=ratio_text,
    )


def _text(order: Order, trials: Sequence[Trial]) -> str:
    """The order with what else arrived beside it."""
    foreign = (str(trial.foreign) for trial in trials if trial.valid)
    return "; ".join(filter(None, (str(order), *foreign)))


def _ratio_text(bounds: tuple[Fraction, Fraction]) -> str:
    least, most = map(Ratio, bounds)
    return str(least) if least == most else f"{least} to {most}"
