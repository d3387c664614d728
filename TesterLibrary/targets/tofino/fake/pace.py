# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""When the turns of a template in its loop come: what meters and units let pass."""

from __future__ import annotations

from fractions import Fraction

from ....planning.switch.resources import GAP_QUANTILES
from ..entries.rate import BURST
from .store import Cells, Store, number

UNITS = ("correction", "pattern", "outer_pattern")
_RATE = "InternalIngress.rate"
_LONG = 1 << 31
_WORD = 1 << 32
_UNMETERED = 1 << 40
_MANTISSA, _EXPONENT = 9, 27  # bits of the mantissa, and the largest exponent


def quantised(pps: int, clock: Fraction) -> Fraction:
    """The rate that a Tofino's meter has for `pps`, which it truncates (planning/switch/meter.py)."""
    exponent = _EXPONENT
    while exponent and pps * (1 << exponent) // clock >= 1 << _MANTISSA:
        exponent -= 1
    return clock * max(1, pps * (1 << exponent) // clock) / (1 << exponent)


class Pace:
    """The turns of templates. `pipe` is the pipe of a template's loopback port."""

    def __init__(self, store: Store, clock: Fraction) -> None:
        self._store, self._clock = store, clock

    def skip(self, pipe: int, template: int) -> int:
        """Goes on to the next turn that the first two units pass. Returns the number of skipped turns.

        The third unit has no tick in turns that are not due by random gaps.
        """
        if self.over(pipe, template):
            return 0
        turns = 0  # of the unit behind; it has a turn whenever this one passes
        for unit in reversed(UNITS[:-1]):
            passes, last = self.stage(unit, template)
            ticks = self.ticks(unit)
            tick = ticks.get((pipe, template), 0)
            skipped = max(1, last + 1 - tick) if tick >= passes else 0
            tick = 0 if skipped else tick
            periods, after = divmod(tick + turns, passes)
            turns = skipped + periods * (last + 1) + after - tick
            ticks[pipe, template] = after
        return turns

    def turn(self, pipe: int, template: int, now_ns: int, gap_ns: int | None) -> bool:
        """Whether a turn is due by the template's random gaps; without any (`gap_ns` is None) all are."""
        times, place = self._times(), (pipe, template)
        if gap_ns is None:
            times[place] = now_ns % _WORD
            return True
        if _ahead(times.get(place, 0), now_ns):
            return False
        times[place] = (times.get(place, 0) + gap_ns) % _WORD
        return True

    def quantile(self, template: int, drawn: int) -> int | None:
        """The gap that is drawn by a number; None for a template without random gaps."""
        entry = self._store.match(f"internal.{_RATE}.gaps.quantiles", template, drawn % GAP_QUANTILES)
        return number(entry, "own") if entry else None

    def mean_gap_ns(self, template: int) -> Fraction | None:
        """The mean of a template's random gaps; None for one without."""
        gaps = [self.quantile(template, drawn) for drawn in range(GAP_QUANTILES)]
        return Fraction(sum(gap or 0 for gap in gaps), GAP_QUANTILES) or None

    def passed(self, pipe: int, template: int, turns: Fraction) -> Fraction:
        """The turns that all units pass, of so many that are green, without the parts of periods."""
        for unit in UNITS:
            passes, last = self.stage(unit, template)
            if last - passes >= _LONG:
                turns = min(turns, Fraction(max(0, passes - self.ticks(unit).get((pipe, template), 0))))
            else:
                turns = turns * passes / (last + 1)
        return turns

    def wait_ns(self, pipe: int, template: int, now_ns: int) -> int:
        """The time until a turn is due by the template's random gaps."""
        if self.quantile(template, 0) is None:
            return 0
        return _ahead(self._times().get((pipe, template), 0), now_ns)

    def stood(self, pipe: int, template: int, now_ns: int) -> None:
        """Makes up for nothing: a template that loops and is held back has turns, too.

        So its next departure is never further ahead than a gap. A time of 32 bits that is, is of long ago.
        """
        ahead = _ahead(self._times().get((pipe, template), 0), now_ns)
        if not 0 < ahead <= self._longest_ns(template):
            self._times()[pipe, template] = now_ns % _WORD

    def _longest_ns(self, template: int) -> int:
        return max(self.quantile(template, drawn) or 0 for drawn in range(GAP_QUANTILES))

    def _times(self) -> Cells:
        return self._store.cells(f"internal.{_RATE}.gaps.times", f"{_RATE}.gaps.times.f1")

    def over(self, pipe: int, template: int) -> bool:
        """Whether a unit lets nothing pass any more, unless it is changed: for 2^31 of its turns."""
        for unit in UNITS:
            passes, last = self.stage(unit, template)
            tick = self.ticks(unit).get((pipe, template), 0)
            if passes == 0 or (tick >= passes and last - tick >= _LONG):
                return True
        return False

    def wait(self, pipe: int, template: int, rounds: int, time_ns: int) -> None:
        """Counts the rounds of a held back template that the meter has let pass, from a full bucket on."""
        passes, last = self.stage(UNITS[0], template)
        if passes == 0 and last:
            pps = self.pps(pipe, template)
            most = rounds if pps is None else BURST + int(pps * time_ns / 10**9)
            self.ticks(UNITS[0])[pipe, template] = min(rounds, most)

    def pps(self, pipe: int, template: int) -> Fraction | None:
        """The rate of green turns, one of the chip's rates; None: the meter calls all turns green."""
        pps = self._store.cells(f"internal.{_RATE}.meter", "$METER_SPEC_CIR_PPS").get((pipe, template))
        return None if pps is None or pps >= _UNMETERED else quantised(pps, self._clock)

    def stage(self, unit: str, template: int) -> tuple[int, int]:
        """How many turns a unit lets pass, and the last one of its period."""
        entry = self._store.match(f"internal.{_RATE}.{unit}.stages", template)
        return (number(entry, "stage_passes"), number(entry, "stage_last")) if entry else (1, 0)

    def ticks(self, unit: str) -> Cells:
        """The turns of a unit's period so far."""
        return self._store.cells(f"internal.{_RATE}.{unit}.ticks", f"{_RATE}.{unit}.ticks.f1")


def _ahead(time: int, now_ns: int) -> int:
    """By how much a time of 32 bits is after the present one; 0 if it is not."""
    after = (time - now_ns) % _WORD
    return after if after <= _LONG else 0
