# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reaches an exact rate: a quantised meter, and registers that pass `n` packets and skip `m` (norma §5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile
from math import ceil, prod

from ...errors import PlanError
from ...model.pattern import Stage
from ...model.units import Rate, RateUnit
from .gaps import DrawnGaps
from .meter import Meter
from .resources import PASS_SKIP_UNITS, TICK_BITS

NEGLIGIBLE = Fraction(1, 10**9)  # an error that a counter shows only after a billion packets
INTOLERABLE = Fraction(1, 100)  # more than the error of a meter alone
_NANOSECONDS = 10**9
_TICKS = 64  # in a gap, if the loop has room: in a random one on average
_LOAD = Fraction(95, 100)  # of a loop and of a port, that random gaps take at most
_CANDIDATES = 64  # meter rates that are tried for every target, if none is twice as fast
_FEW = Fraction(3)  # a lead, in packets, that is small enough
_IN_A_ROW = (1, 2)  # packets that pass without a skip where they come evenly; two in a pattern only


@dataclass(frozen=True)
class Staging:
    """A meter's rate and the stages after it. Rates are those of the target: packets each second."""

    target: Fraction
    meter_rate: Fraction  # >= target
    stages: tuple[Stage, ...]
    first: int = 0  # to pass, of the ticks of the last stage's period, from 0 on
    gaps: DrawnGaps | None = None  # of ticks only those pass that are due by them
    carried: Fraction | None = None  # by the port that random gaps leave by, packets each second

    @property
    def rate(self) -> Fraction:
        """The average rate after the last stage, or of the gaps."""
        if self.gaps:
            return self.gaps.rate * _NANOSECONDS
        return self.meter_rate * _ratio(self.stages)

    @property
    def error(self) -> Fraction:
        """(rate - target) / target."""
        return self.rate / self.target - 1

    @property
    def peak(self) -> Fraction:
        """The average rate while the stages of a pattern pass."""
        return self.meter_rate * self.stages[0].ratio

    @property
    def lead(self) -> Fraction:
        """The most packets by which the corrected meter is ahead of its average rate."""
        first = self.stages[0]
        return Fraction(first.passes * first.skips, first.period)

    @property
    def ahead(self) -> Fraction:
        """The same in frames, of a rate without a pattern."""
        return self.lead * _ratio(self.stages[1:])

    def departures(self, ticks: int) -> int:
        """The number of packets that leave the last stage when the meter has passed `ticks` packets.

        With random gaps this is the average; see `spread`.
        """
        if self.gaps:
            return int(ticks * self.rate / self.meter_rate)
        for stage in self.stages[:-1]:
            ticks = stage.passed(ticks)
        last, before = self.stages[-1], self.begins
        return last.passed(before + ticks) - last.passed(before)

    def leaves_ns(self, packet: int) -> Fraction:
        """The time after the first tick at which a packet, numbered from 0, leaves the last stage.

        With random gaps this is the average.
        """
        if self.gaps:
            return packet * _NANOSECONDS / self.rate
        last, before = self.stages[-1], self.begins
        tick = last.tick(packet + last.passed(before)) - before
        for stage in reversed(self.stages[:-1]):
            tick = stage.tick(tick)
        return tick * _NANOSECONDS / self.meter_rate

    def spread(self, packets: int) -> int:
        """The most packets by which chance lets it be ahead, or behind, after so many; 0 for equal gaps."""
        return self.gaps.spread(packets) if self.gaps else 0

    @property
    def lateness_ns(self) -> int:
        """How late a packet can be. It leaves at ticks of the meter, which is ahead until it skips some."""
        tick_ns = _NANOSECONDS / self.meter_rate
        if self.gaps is None or self.carried is None:
            return ceil((1 + self.lead) * tick_ns)
        slower_ns = max(tick_ns, _NANOSECONDS / self.carried)
        return self.gaps.lateness_ns(slower_ns) + ceil(tick_ns)

    @property
    def phase(self) -> Fraction:
        """The part of the last stage's period that goes by before its first tick passes."""
        return Fraction(self.first, self.stages[-1].period)

    @property
    def begins(self) -> int:
        """The tick of its period at which the last stage begins, so that `first` is the first one to pass."""
        return -self.first % self.stages[-1].period

    @property
    def meter_error(self) -> Fraction:
        """The error of the meter alone, if it were asked for the rate that the pattern's stages need.

        With random gaps it has none, because its rate does not matter.
        """
        if self.gaps:
            return Fraction(0)
        return self.meter_rate * _ratio(self.stages[1:]) / self.target - 1


def stage(
    target: Fraction,
    meter: Meter,
    *,
    width: int = TICK_BITS,
    pattern: Sequence[Stage] = (),
    enough: Fraction = NEGLIGIBLE,
    most: Fraction = INTOLERABLE,
    up_to: Fraction = Fraction(0),
) -> Staging:
    """Reaches a target rate with a meter, one stage that corrects its rate, and the stages of a pattern.

    The first 64 of the meter's rates from the target upwards are tried, up to twice as fast, and all up to
    `up_to`. For
    each, continued fractions find the first ratio n / (n + m) whose error is at most `enough`. The most even
    ratio is taken, because n packets are faster than the target before m packets are skipped. If no ratio is
    close enough, the closest is taken. A rate up to `up_to` that passes one packet in a row, or else two,
    is preferred: a short trial of n packets in a row would end early by n gaps. Without a pattern frames
    leave one by one: a slow rate has a second stage, which passes one of up to 64 ticks in a gap, behind a
    first one that skips a tick now and then.

    Args:
        target: Average rate, packets each second.
        meter: The meter, with rates in packets each second.
        width: Bits of a stage's register, which counts the n + m packets of a period: n + m <= 2^width.
        pattern: Stages that shape the traffic, after the one that corrects the rate.
        enough: The relative error at which no closer ratio is looked for.
        most: The relative error above which a target is refused.
        up_to: All rates of the meter up to this one are tried: only few are close to a multiple of a slow
            target, so that few packets in a row pass and are skipped.

    Raises:
        PlanError: beyond the meter, too many stages, or one that needs a wider register.
    """
    _check(target, pattern, width)
    needed = target / _ratio(pattern)  # the rate of the corrected meter
    for rate, even in _even(meter, needed, up_to, enough, width, _IN_A_ROW[: 1 + bool(pattern)]):
        return Staging(target, rate, (even, *pattern))
    best: Stage | None = None
    best_rate, worst = needed, (True, Fraction(0))
    for meter_rate in _candidates(meter, needed, up_to):
        first = _correction(needed / meter_rate, width, enough)
        unevenness = _unevenness(first, needed / meter_rate, enough)
        if best is None or unevenness < worst:
            best, best_rate, worst = first, meter_rate, unevenness
        if worst < (False, _FEW):
            break
    if best is None:
        raise PlanError(f"{_pps(needed)} is faster than this meter, which has no such rate")
    found = Staging(target, best_rate, (best, *pattern))
    if not pattern:
        for spread in _spread(target, meter, width, enough, up_to):
            if spread.ahead < found.ahead and abs(spread.error) <= enough:
                found = spread
            if found.lead < _FEW:
                break
    if abs(found.error) > most:
        raise PlanError(
            f"{_pps(target)} cannot be reached: the closest is {_pps(found.rate)}, from the meter's "
            f"{_pps(found.meter_rate)} with {', then '.join(map(str, found.stages))}"
        )
    return found


def draw(gaps: DrawnGaps, meter: Meter, *, line: Fraction, port: Fraction, up_to: Fraction) -> Staging:
    """Reaches the rate of random gaps: the meter's ticks say how exactly.

    Args:
        gaps: The gaps.
        meter: The meter, with rates in packets each second.
        line: Packets each second that a whole loop carries.
        port: The same of the port that they leave by.
        up_to: A rate of the meter that costs nothing.

    Raises:
        PlanError: more than 95 % of either, by which late packets would not be made up.
    """
    rate = gaps.rate * _NANOSECONDS
    slower, what = min((port, "its port"), (line, "a loop"))
    if rate > _LOAD * slower:
        raise PlanError(
            f"{_pps(rate)} with random gaps; {what} carries {_pps(slower)} of its frames, and makes up for "
            f"late ones up to {_pps(_LOAD * slower)}: give a lower rate, or use a testerd"
        )
    ticks = next(iter(meter.at_least(min(line, max(_TICKS * rate, up_to)))))
    return Staging(rate, ticks, (Stage(1, 0),), gaps=gaps, carried=port)


def _unevenness(first: Stage, ratio: Fraction, enough: Fraction) -> tuple[bool, Fraction]:
    """A sort key, lower is better: stages that are close enough by their lead, then others by their error."""
    off = abs(first.passes * ratio.denominator - ratio.numerator * first.period)
    whole = ratio.numerator * first.period
    if off * enough.denominator <= whole * enough.numerator:
        return False, Fraction(first.passes * first.skips, first.period)
    return True, Fraction(off, whole)


def _even(
    meter: Meter, needed: Fraction, up_to: Fraction, enough: Fraction, width: int, in_a_row: Sequence[int]
) -> Iterator[tuple[Fraction, Stage]]:
    """Rates of the meter that pass so many packets in a row: the fewest first, of those the slowest first.

    Floating point numbers find candidates in a tenth of the time, with a margin; fractions decide.
    """
    rates = list(takewhile(lambda rate: rate <= up_to, meter.at_least(needed)))
    ratios = [float(rate) / float(needed) for rate in rates]
    for passes in in_a_row:
        for rate, ratio in zip(rates, ratios, strict=True):
            period = round(passes * ratio)
            if abs(passes * ratio / period - 1) > 2 * enough or period > 1 << width:
                continue
            if abs(rate * passes / (needed * period) - 1) <= enough:
                yield rate, Stage(passes, period - passes)


def _spread(
    target: Fraction, meter: Meter, width: int, enough: Fraction, up_to: Fraction
) -> Iterator[Staging]:
    """Stagings of a slow rate in which one of several ticks passes; the most ticks in a gap first."""
    for ticks in range(min(_TICKS, int(up_to / target)), 1, -1):
        yield stage(target, meter, width=width, pattern=(Stage(1, ticks - 1),), enough=enough)


def _candidates(meter: Meter, needed: Fraction, up_to: Fraction) -> Iterator[Fraction]:
    """Rates of the meter, the slowest first."""
    rates = meter.at_least(needed)
    yield from islice(rates, 1)
    for number, rate in enumerate(rates, 1):
        if rate > up_to and (number >= _CANDIDATES or rate > 2 * needed):
            break
        yield rate


def _correction(ratio: Fraction, width: int, enough: Fraction) -> Stage:
    """The shortest stage that passes `ratio` of its ticks with at most the error `enough`, or the closest."""
    longest = 1 << width
    top, bottom = ratio.numerator, ratio.denominator
    for passes, period in _convergents(ratio):
        if period > longest:
            break
        off = abs(passes * bottom - top * period) * enough.denominator
        if passes and off <= top * period * enough.numerator:
            return Stage(passes, period - passes)
    closest = max(ratio.limit_denominator(longest), Fraction(1, longest))
    return Stage(closest.numerator, closest.denominator - closest.numerator)


def _convergents(ratio: Fraction) -> Iterator[tuple[int, int]]:
    """The convergents of its continued fraction: numerators and denominators."""
    numerators, denominators, number, rest = (0, 1), (1, 0), ratio.numerator, ratio.denominator
    while rest:
        whole, remainder = divmod(number, rest)
        numerators = numerators[1], whole * numerators[1] + numerators[0]
        denominators = denominators[1], whole * denominators[1] + denominators[0]
        yield numerators[1], denominators[1]
        number, rest = rest, remainder


def _check(target: Fraction, pattern: Sequence[Stage], width: int) -> None:
    if target <= 0 or width < 1:
        raise PlanError(f"a target of {_pps(target)} and registers of {width} bits: both have to be above 0")
    if len(pattern) >= PASS_SKIP_UNITS:
        raise PlanError(
            f"pass/skip units: {len(pattern) + 1} needed, {PASS_SKIP_UNITS} there: {len(pattern)} for the "
            f"pattern, and one corrects the rate; take a pattern of at most {PASS_SKIP_UNITS - 1} stages"
        )
    for stage in pattern:
        if stage.period > 1 << width:
            raise PlanError(
                f"the stage {stage}: its period of {stage.period:,} packets does not fit a register "
                f"of {width} bits; at most {1 << width:,} do"
            )


def _ratio(stages: Sequence[Stage]) -> Fraction:
    return prod((stage.ratio for stage in stages), start=Fraction(1))


def _pps(rate: Fraction) -> str:
    return str(Rate(rate, RateUnit.PPS))
