# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The rates that a hardware meter has: a finite set, so few targets are among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from math import ceil
from typing import Protocol


class Meter(Protocol):
    """A token bucket whose rate is quantised. Rates are events (packets, or bytes) each second."""

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """Its rates that are not below `rate`, the slowest first; none if it has none."""


@dataclass(frozen=True)
class MeterTable:
    """A meter whose rates are listed."""

    rates: tuple[Fraction, ...]

    @classmethod
    def of(cls, rates: Iterable[Fraction | int]) -> MeterTable:
        """In any order."""
        return cls(tuple(sorted(map(Fraction, rates))))

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """See Meter."""
        return (own for own in self.rates if own >= rate)


@dataclass(frozen=True)
class TofinoMeter:
    """A meter of a Tofino's match-action unit: `clock x mantissa / 2^exponent`.

    The mantissa has 9 bits, the exponent is 0 to 27. Between two powers of two there are 256 rates, so a
    target is missed by up to 1/256: the 0.1 % to 0.4 % of norma Table 3, "Pure Meter".

    Source: the driver that Intel published (open-p4studio, `pipe_mgr_meter_drv_workflows.c`,
    `pipe_mgr_meter_drv_get_rate_params`). It truncates, so a rate is to be asked for rounded up to whole
    packets.
    """

    clock: Fraction = Fraction(1_270_000_000)  # Hz; p4c's table of meter rates, profile 0
    daemon_clock: Fraction | None = None  # what its daemon takes it for; None: the same

    def asked(self, rate: Fraction) -> int:
        """Packets each second to ask the daemon for, one of the meter's rates."""
        return ceil(rate * (self.daemon_clock or self.clock) / self.clock)

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """See Meter."""
        asked = max(rate / self.clock, Fraction(1, 1 << _LARGEST_EXPONENT))
        exponent = _LARGEST_EXPONENT
        while exponent > 0 and asked * (1 << exponent) > _LARGEST_MANTISSA:
            exponent -= 1
        mantissa = -(-asked * (1 << exponent) // 1)
        while exponent >= 0:
            for own in range(int(mantissa), _LARGEST_MANTISSA + 1):
                yield self.clock * own / (1 << exponent)
            exponent, mantissa = exponent - 1, (_LARGEST_MANTISSA + 1) // 2


@dataclass(frozen=True)
class LoopMeter:
    """A meter behind a loop that is never idle: the loop's own rate is one, too, if no meter limits it.

    Without it a rate between the meter's last one below the line and the line could not be had.
    """

    meter: Meter
    line: Fraction  # packets each second

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """See Meter. For a rate above the line those of the meter, which no loop feeds."""
        if rate > self.line:
            yield from self.meter.at_least(rate)
            return
        yield from takewhile(lambda own: own < self.line, self.meter.at_least(rate))
        yield self.line


_LARGEST_MANTISSA = 511
_LARGEST_EXPONENT = 27
