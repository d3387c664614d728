# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the turns of template packets in their loops: p4/controls/rate.p4 and editor.p4."""

from __future__ import annotations

import random
from fractions import Fraction

from ..rate import BURST
from .packet import Packet
from .store import Store, number

_RATE, _EDITOR = "InternalIngress.rate", "InternalIngress.editor"
_UNITS = ("correction", "pattern", "outer_pattern")
_WORD = 1 << 32
_HALF = 1 << 16
_UNMETERED = 1 << 40
_MANTISSA, _EXPONENT = 9, 27  # bits of the mantissa, and the largest exponent


def quantised(pps: int, clock: Fraction) -> Fraction:
    """The rate that a Tofino's meter has for `pps`, which it truncates (planning/switch/meter.py)."""
    exponent = _EXPONENT
    while exponent and pps * (1 << exponent) // clock >= 1 << _MANTISSA:
        exponent -= 1
    return clock * max(1, pps * (1 << exponent) // clock) / (1 << exponent)


class FakeStreamUnits:
    """The units that pass and skip, and the editors. `pipe` is the pipe of a template's loopback port."""

    def __init__(self, store: Store, clock: Fraction, seed: int = 1) -> None:
        self._store, self._clock = store, clock
        self._random = random.Random(seed)

    def departs(self, pipe: int, template: int) -> bool:
        """Whether this turn, which the meter calls green, becomes a packet of the stream."""
        for unit in _UNITS:
            passes, last = self._stage(unit, template)
            ticks, place = self._ticks(unit), (pipe, template)
            tick = ticks.get(place, 0)
            ticks[place] = 0 if tick >= last else (tick + 1) % _WORD
            if tick >= passes:
                return False
        return True

    def skip(self, pipe: int, template: int) -> int:
        """Goes on to the next turn that the first unit passes. Returns the number of skipped turns."""
        passes, last = self._stage(_UNITS[0], template)
        ticks = self._ticks(_UNITS[0])
        tick = ticks.get((pipe, template), 0)
        if tick < passes:
            return 0
        ticks[pipe, template] = 0
        return last + 1 - tick

    def over(self, pipe: int, template: int) -> bool:
        """Whether a unit lets nothing pass any more, unless it is changed."""
        for unit in _UNITS:
            passes, last = self._stage(unit, template)
            passed = self._ticks(unit).get((pipe, template), 0)
            if passes == 0 or (passed >= passes and last == _WORD - 1):
                return True
        return False

    def wait(self, pipe: int, template: int, rounds: int, time_ns: int) -> None:
        """Counts the rounds of a held back template that the meter has let pass, from a full bucket on."""
        passes, last = self._stage(_UNITS[0], template)
        if passes == 0 and last:
            pps = self.pps(pipe, template)
            most = rounds if pps is None else BURST + int(pps * time_ns / 10**9)
            self._ticks(_UNITS[0])[pipe, template] = min(rounds, most)

    def pps(self, pipe: int, template: int) -> Fraction | None:
        """The rate of green turns, one of the chip's rates; None: the meter calls all turns green."""
        pps = self._store.cells(f"internal.{_RATE}.meter", "$METER_SPEC_CIR_PPS").get((pipe, template))
        return None if pps is None or pps >= _UNMETERED else quantised(pps, self._clock)

    def edit(self, packet: Packet, pipe: int) -> None:
        """Moves the numbers of both units and writes them to their fields."""
        template = packet.template
        cascaded = self._store.match(f"internal.{_EDITOR}.cascades", template) is not None
        wrapped = False
        for unit in ("first", "second"):
            moves = unit == "first" or not cascaded or wrapped
            value, wrapped = self._moved(unit, pipe, template, moves)
            self._written(unit, packet, value)

    def _moved(self, unit: str, pipe: int, template: int, moves: bool) -> tuple[int, bool]:
        values = self._store.cells(f"internal.{_EDITOR}.{unit}.values", f"{_EDITOR}.{unit}.values.f1")
        value = values.get((pipe, template), 0)
        step, bound = self._motion(unit, template)
        limit = (bound - step) % _WORD
        wraps = value >= limit
        if moves:
            values[pipe, template] = (value - limit if wraps else value + step) % _WORD
        return value, wraps and moves

    def _motion(self, unit: str, template: int) -> tuple[int, int]:
        entry = self._store.match(f"internal.{_EDITOR}.{unit}_modes.modes", template)
        if entry is None:
            return 0, 1
        if str(entry.action).endswith("ranged"):
            return self._random.getrandbits(32) & number(entry, "mask"), number(entry, "below")
        return number(entry, "by"), number(entry, "below")

    def _written(self, unit: str, packet: Packet, value: int) -> None:
        control = f"internal.{_EDITOR}.{unit}_field"
        entry = self._store.match(f"{control}.values", packet.template, value)
        entry = entry or self._store.match(f"{control}.quantiles", packet.template, value % _HALF)
        value = number(entry, "own") if entry else value
        target = self._store.match(f"{control}.fields", packet.template)
        if target is not None:
            header, _, name = str(target.action).rpartition(".")[2].partition("_")
            packet.set(f"{header}.{name}", number(target, "base") + value)

    def _stage(self, unit: str, template: int) -> tuple[int, int]:
        entry = self._store.match(f"internal.{_RATE}.{unit}.stages", template)
        return (number(entry, "stage_passes"), number(entry, "stage_last")) if entry else (1, 0)

    def _ticks(self, unit: str) -> dict[tuple[int, int], int]:
        return self._store.cells(f"internal.{_RATE}.{unit}.ticks", f"{_RATE}.{unit}.ticks.f1")
