# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reaches an exact rate: a quantised meter, and registers that pass `n` packets and skip `m` (norma §5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile
from math import ceil, prod
from operator import itemgetter

from ...errors import PlanError
from ...model.pattern import Stage
from ...model.units.units import Rate, RateUnit
from .gaps import DrawnGaps
from .meter import Meter
from .resources import PASS_SKIP_UNITS, TICK_BITS

NEGLIGIBLE = Fraction(1, 10**9)  # an error that a counter shows only after a billion packets
INTOLERABLE = Fraction(1, 100)  # more than the error of a meter alone
_NANOSECONDS = 10**9
_TICKS = 64  # in a gap, if the loop has room: in a random one on average
_LOAD = Fraction(95, 100)  # of a loop and of a port, that random gaps take at most
_CANDIDATES = 64  # meter rates that are tried for every target, if none is twice as fast
_FEW = 3  # packets of a lead that is small enough
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

    The slowest of the meter's rates up to `up_to` that is a multiple of the target is taken: packets pass
    one in a row, or with a pattern else two, because a short trial of n packets in a row would end early by
    n gaps. If there is none, the first 64 rates from the target upwards are tried, up to twice as fast, and
    all up to `up_to`. For each, the stage with the fewest passes and skips is found whose error is at most
    `enough`, or the closest of those with up to three skips. The first rate with a lead of less than three
    packets is taken, or else the one with the least lead. If none is close enough, the closest is taken.

    Without a pattern frames leave one by one: if `up_to` has room for several ticks in a gap, up to 64, a
    second stage passes one of them, behind a first one that skips a tick now and then. All rates from so
    many ticks in a gap to twice as many are tried. The first one at which one tick in a row is skipped is
    taken, or else the one at which they are the least part of a gap.

    Bounds: let the slowest rate that is tried be (1 + d) T times the target, with T whole ticks in a gap, or
    1 without a second stage, and M = d^2 / (2 enough (1 + d)), rounded up, and at least 3 if T = 1. A frame
    leaves early by at most M / T gaps, and with several ticks in a gap the longest gap is at most 1 + M / T
    times the shortest one. Proof: 1 / d ticks pass for each one that is skipped. An error of `enough` leaves
    an interval of at least 1 / M around this number, so it contains a fraction with a denominator of at most
    M, which is the number of ticks that are skipped in a row. A Tofino's meter has d <= 1/256, except for
    its slowest 255 rates, so M <= 8 for an error of 10^-6. If there is room for 64 ticks in a gap, at most
    two in a row are skipped: the ratios that one or two give from the rates of an octave leave no target
    out, and all octaves are alike.

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
    in_gap = 1 if pattern else max(1, min(_TICKS, int(up_to / target)))
    fastest, few = (up_to, _FEW) if in_gap == 1 else (max(up_to, 2 * needed * in_gap), 1)
    found: Staging | None = None
    least = True, Fraction(0)  # close enough ones come before all others, which are sorted by their error
    for rate in _candidates(meter, needed * in_gap, fastest):
        ticks = min(int(rate / needed), 1 << width) if in_gap > 1 else 1
        first, off = _correction(needed * ticks / rate, width, enough, few)
        between = (Stage(1, ticks - 1),) if ticks > 1 else ()
        tried = Staging(target, rate, (first, *between, *pattern))
        uneven = Fraction(first.skips, ticks) if between else tried.lead
        unevenness = (True, off) if off > enough else (False, uneven)
        if found is None or unevenness < least:
            found, least = tried, unevenness
        if off <= enough and (first.skips <= few if between else uneven < few):
            break
    if found is None:
        raise PlanError(f"{_pps(needed)} is faster than this meter, which has no such rate")
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


def _candidates(meter: Meter, needed: Fraction, up_to: Fraction) -> Iterator[Fraction]:
    """Rates of the meter, the slowest first."""
    rates = meter.at_least(needed)
    yield from islice(rates, 1)
    for number, rate in enumerate(rates, 1):
        if rate > up_to and (number >= _CANDIDATES or rate > 2 * needed):
            break
        yield rate


def _correction(ratio: Fraction, width: int, enough: Fraction, few: int) -> tuple[Stage, Fraction]:
    """The stage with the fewest passes and skips that passes `ratio` of its ticks, and its relative error.

    Of those with at most `few` skips the closest one is taken. If none is within `enough`, the closest of all
    is taken.
    """
    longest = 1 << width
    simplest = _simplest(ratio * (1 - enough), ratio * (1 + enough))
    passes, skips = simplest.numerator, simplest.denominator - simplest.numerator
    pairs = [(passes, round(passes * (1 - ratio) / ratio))]
    if 0 < skips < passes:
        pairs = [(round(n * ratio / (1 - ratio)), n) for n in range(skips, max(skips, few) + 1)]
    fitting = [pair for pair in pairs if sum(pair) <= longest]
    if not fitting:
        closest = max(ratio.limit_denominator(longest), Fraction(1, longest))
        fitting = [(closest.numerator, closest.denominator - closest.numerator)]
    return min(((stage := Stage(*pair), abs(stage.ratio / ratio - 1)) for pair in fitting), key=itemgetter(1))


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction from `low` to `high` that has the least numerator and the least denominator."""
    whole = ceil(low)
    if whole <= high:
        return Fraction(whole)
    return whole - 1 + 1 / _simplest(1 / (high - whole + 1), 1 / (low - whole + 1))


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
