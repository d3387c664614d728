# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The throughput that was found, and verdicts on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from ...errors import Inconclusive
from ...measurement import remarks
from ...measurement.trial import Trial
from ...model.units.number import counted
from ...model.units.units import Rate, RateUnit, Ratio
from ...verdict import AT_LEAST, Below, Between, Verdict, assess
from ..repeats import Agreement
from ..result import Result
from ..verdicts.judging import amount, deaf
from .search import ThroughputSearch


class LimitedBy(Enum):
    """Why the throughput is not higher."""

    LINE = "line"  # line rate passed
    SEARCH = "search"  # the highest load of the search passed, which is below line rate
    DEVICE = "device"  # a valid trial one step higher lost too much
    TESTER = "tester"  # one step higher the tester failed, so nothing is known of the device there
    UNSTABLE = "unstable device"  # its loss does not come from the load, so there is no load to be found


@dataclass(frozen=True)
class Repetition:
    """The result of one of several searches. Loads are parts of line rate; see ThroughputResult."""

    load: Fraction | None
    failed_load: Fraction | None
    limited_by: LimitedBy
    reason: str = ""
    failed_above: Fraction | None = None

    @property
    def device_failed_load(self) -> Fraction | None:
        """The lowest load that the device itself did not pass: the throughput is below it. None if none."""
        return self.failed_load if self.limited_by is LimitedBy.DEVICE else self.failed_above

    @property
    def bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """The throughput is at least the first one and below the other; None where that is not known."""
        return self.load, self.device_failed_load


@dataclass(frozen=True)
class ThroughputResult(Result):
    """The throughput. Both bounds rest on trials of full length.

    Of several repetitions it is the one in the middle, the lower of two. Verdicts are on their mean.
    """

    search: ThroughputSearch
    load: Fraction | None  # of line rate: the highest that passed; None if none did, it is below them all
    failed_load: Fraction | None  # of line rate: one step higher, which did not pass; None if there is none
    limited_by: LimitedBy
    reason: str = ""  # of TESTER: what the tester did not do; of UNSTABLE: what was lost
    repetitions: tuple[Repetition, ...] = ()  # in the order in which they ran; none if it was searched once
    failed_above: Fraction | None = None  # of TESTER: above `failed_load`, the lowest that the device failed

    @property
    def next_failure(self) -> str:
        """See Result."""
        failed = [t for t in self.trials if t.load == self.failed_load and not self.search.passes(t)]
        if self.failed_load is None or not failed:
            return ""
        return f"{float(self.failed_load * 100):.4g} % did not pass: {remarks.finding(failed[-1])}"

    @property
    def as_repetition(self) -> Repetition:
        """The same as one of several searches."""
        return Repetition(self.load, self.failed_load, self.limited_by, self.reason, self.failed_above)

    @property
    def device_failed_load(self) -> Fraction | None:
        """See Repetition."""
        return self.as_repetition.device_failed_load

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        full = self.search.trial_duration
        return self.search.standard.shortened(full, [t for t in self.trials if t.duration_ns == full.ns])

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trial at the throughput; none if no load passed."""
        if self.load is None:
            return ()
        return tuple(t for t in self._full(self.load) if self.search.passes(t))[-1:]

    @property
    def rate(self) -> float | None:
        """Frames each second, over all streams; None if no load passed."""
        found = self._in(RateUnit.PPS)
        return None if found is None else float(found)

    @property
    def offered(self) -> Rate:
        """The load, exactly, as what `rate=` of other keywords takes. Inconclusive if no load passed."""
        return self.part(Ratio(Fraction(1)))

    def part(self, part: Ratio | str) -> Rate:
        """A part of that rate, such as `80 %`. Inconclusive if no load passed."""
        if self.load is None:
            raise Inconclusive(f"there is no throughput to be offered, or a part of it: {self}")
        return Rate(self.load * Ratio.parse(part).value, RateUnit.LINE)

    @property
    def throughput_bps(self) -> float | None:
        """Bits of frames each second (L2, FCS included), over all streams; None if no load passed."""
        found = self._in(RateUnit.L2)
        return None if found is None else float(found)

    def below(self, unit: RateUnit) -> Fraction | None:
        """The load, in this unit, below which the throughput is, if no load passed and one is known."""
        return None if self.load is not None else self._device_failed(unit)

    def _device_failed(self, unit: RateUnit) -> Fraction | None:
        """The load that the device did not pass, in this unit."""
        if self.device_failed_load is None:
            return None
        return amount(self._full(self.device_failed_load)[-1], unit, lambda s: s.intended_rate)

    def frame_throughput_above(self, bound: Rate) -> Verdict:
        """See Result."""
        return self.verdict_above(bound)

    def verdict_above(self, bound: Rate) -> Verdict:
        """Whether the throughput is at least the bound: `95 %` of line rate, `1 Gbps` or `100 kpps`.

        FAIL only where the device failed at the bound or below it. INCONCLUSIVE where the bound lies between
        the load that passed and the lowest one that the device failed at, or where it failed at none because
        the tester or the highest load of the search was the limit.
        """
        value: Any = self._in(bound.unit)
        failed, doubt = self._device_failed(bound.unit), ""
        if value is not None and self.load is not None and self.agreement:
            value, doubt = self._mean(bound, self.agreement, self.load, value)
        elif value is None or value < bound.value or self.repetitions:
            doubt = self._doubt(bound)
            if value is None and failed is not None:
                value = Below(failed)
        doubt = doubt or deaf(self.judged)
        verdict = assess(
            value,
            AT_LEAST,
            bound.value,
            subject=f"throughput of {self.title}",
            measured="; ".join((self._found(bound.unit) + self.search.lateness, *self._besides)),
            bound=f">= {bound}",
            doubt=doubt,
        )
        return replace(verdict, limit=self._limit)

    @property
    def _limit(self) -> str:
        """See Verdict."""
        limits = {each.limited_by for each in self.repetitions} or {self.limited_by}
        open_ = (LimitedBy.TESTER, LimitedBy.SEARCH)
        return next((limit.value for limit in open_ if limit in limits), "")

    @property
    def agreement(self) -> Agreement | None:
        """How far the repetitions agree, in parts of line rate; None if it was searched once.

        None also where one of them found no throughput: then there is no mean.
        """
        known = [(low, high) for low, high in (each.bounds for each in self.repetitions) if low is not None]
        return Agreement.of(known) if known and len(known) == len(self.repetitions) else None

    @property
    def variation(self) -> float | None:
        """The coefficient of variation of the repetitions; None if it was searched once."""
        return self.agreement.variation if self.agreement else None

    @property
    def interval(self) -> tuple[float, float | None] | None:
        """The interval of confidence (95 %) of their mean, in parts of line rate; None if searched once."""
        if (found := self.agreement) is None:
            return None
        return float(found.least), None if found.most is None else float(found.most)

    def _mean(self, bound: Rate, agreement: Agreement, load: Fraction, left: Fraction) -> tuple[Any, str]:
        """The mean in the unit of the bound, and the reason why nothing can be concluded from it.

        `left` is what has left at the load, in that unit.
        """
        each = self._asked(bound.unit) / load  # of this unit, in line rate
        least = agreement.least * left / load
        if least >= bound.value:
            return least, ""
        if agreement.most is None:
            limited = self._unbounded
            said = limited[0].limited_by.value + (f": {limited[0].reason}" if limited[0].reason else "")
            return least, f"{len(limited)} of {len(self.repetitions)} repetitions were limited by the {said}"
        if agreement.most * each <= bound.value:
            return agreement.mean * each, ""
        return Between(least, agreement.most * each), (
            f"the bound lies in the interval of 95 % of the mean, {self._interval_text}; repeat it more "
            "often, or search with a finer resolution"
        )

    @property
    def _unbounded(self) -> list[Repetition]:
        return [each for each in self.repetitions if each.bounds[1] is None]

    @property
    def _interval_text(self) -> str:
        least, most = self.interval or (0.0, None)
        end = "?" if most is None else _percent(most)
        return f"{_percent(least)} to {end} of line rate"

    @property
    def _agreement_text(self) -> str:
        """Mean, interval and variation of the repetitions, as people read them; empty if searched once."""
        if self.agreement is None:
            none = sum(each.load is None for each in self.repetitions)
            return f"none in {none} of {len(self.repetitions)} repetitions" if none else ""
        return (
            f"mean of {len(self.repetitions)} repetitions {_percent(self.agreement.mean)} of line rate "
            f"(95 %: {self._interval_text}; coefficient of variation {_percent(self.agreement.variation)})"
        )

    @property
    def unstable(self) -> bool:
        """Whether the device loses frames whatever the load, so that it has no throughput to be found."""
        return self.limited_by is LimitedBy.UNSTABLE

    def _found(self, unit: RateUnit) -> str:
        found, failed = self._in(unit), self._device_failed(unit)
        below = "" if failed is None else f"below {Rate(failed, unit)}"
        if found is None:
            return below or "not known"
        besides = below if self.failed_above else ""
        return ", ".join(filter(None, (str(Rate(found, unit)), besides, self._agreement_text)))

    @property
    def _besides(self) -> tuple[str, ...]:
        """Remarks on the trial at the throughput, and on the one above it that did not pass."""
        failed = self._full(self.failed_load)[-1:] if self.failed_load is not None else []
        return tuple(
            dict.fromkeys(found for trial in (*self.judged, *failed) for found in remarks.besides(trial))
        )

    def _doubt(self, bound: Rate) -> str:
        if self.unstable:
            return f"unstable: {self.reason}; loss by too high a load grows faster"
        left = self._in(bound.unit)
        if left is not None and left < bound.value <= (asked := self._asked(bound.unit)):
            return f"limited by the tester: of {Rate(asked, bound.unit)} only {Rate(left, bound.unit)} left"
        found = sum(each.load is not None for each in self.repetitions)
        if 0 < found < len(self.repetitions):
            return f"{found} of {len(self.repetitions)} repetitions found a throughput, the others none"
        if self.failed_load is None:
            why = ", the highest of the calibrated tester" if self.search.calibrated else ""
            return (
                f"the device passed the highest load of the search, {self.search.highest} of line rate{why}"
            )
        failed = self._device_failed(bound.unit)
        if failed is not None and failed <= bound.value:
            return ""
        if self.limited_by is LimitedBy.TESTER:
            return f"limited by the tester at {Ratio(self.failed_load)} of line rate: {self.reason}"
        if self.load is None:
            return f"the device failed at {self.search.lowest} of line rate, and the search went no lower"
        return (
            f"the device passed at {Ratio(self.load)} and failed at {Ratio(self.failed_load)} of line rate, "
            f"and the bound of {bound} lies between them; search with a finer resolution"
        )

    def _in(self, unit: RateUnit) -> Fraction | None:
        """The throughput: what left at the load that passed; None if none did."""
        for trial in self.judged:
            return amount(trial, unit, lambda s: s.left_rate)
        return None

    def _asked(self, unit: RateUnit) -> Fraction:
        """The load that passed, as it was asked of the tester."""
        return amount(self.judged[0], unit, lambda s: s.intended_rate)

    def _full(self, load: Fraction) -> list[Trial]:
        return [t for t in self.trials if t.load == load and t.duration_ns == self.search.trial_duration.ns]

    def __str__(self) -> str:
        if self.unstable:
            return f"{self.title}: unstable: {self.reason}, {counted(len(self.trials), 'trial')}"
        units = (RateUnit.LINE, RateUnit.PPS, RateUnit.L2)
        below = [Rate(most, unit) for unit in units if (most := self.below(unit)) is not None]
        rates = below or [Rate(rate, unit) for unit in units if (rate := self._in(unit)) is not None]
        if not rates:
            found = "throughput not known"
        else:
            line, *others = map(str, rates)
            found = ", ".join((f"throughput {'below ' if below else ''}{line} of line rate", *others))
            lossy = [remarks.loss_text(trial) for trial in self.judged if trial.lost]
            found += f", of which it {lossy[0]}" if lossy else ""
        found = ", ".join(filter(None, (found, self._agreement_text)))
        trials = counted(len(self.trials), "trial")
        text = f"{self.title}: {found}, limited by the {self.limited_by.value}, {trials}"
        text += self.search.lateness
        return f"{text} ({self.reason})" if self.reason else text


def _percent(part: float | Fraction) -> str:
    return f"{float(part) * 100:.4g} %"
