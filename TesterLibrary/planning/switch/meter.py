# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The rates of a hardware meter: they are a finite set, which contains few of the rates that users want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from math import ceil
from typing import Protocol

from .chip import TOFINO


class Meter(Protocol):
    """A token bucket whose rate is quantised. Rates are events (packets, or bytes) each second."""

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """The meter's rates that are not below `rate`, the slowest first."""


@dataclass(frozen=True)
class MeterTable:
    """A meter whose rates are listed."""

    rates: tuple[Fraction, ...]

    @classmethod
    def of(cls, rates: Iterable[Fraction | int]) -> MeterTable:
        """A meter with these rates, which may come in any order."""
        return cls(tuple(sorted(map(Fraction, rates))))

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """See Meter."""
        return (known for known in self.rates if known >= rate)


@dataclass(frozen=True)
class TofinoMeter:
    """A meter of a Tofino's match-action unit: `clock x mantissa / 2^exponent`.

    The mantissa has 9 bits, the exponent is 0 to 27. Between two powers of two there are 256 rates, so a
    target is missed by up to 1/256: the 0.1 % to 0.4 % of norma Table 3, "Pure Meter".

    Source: the driver that Intel published (open-p4studio, `pipe_mgr_meter_drv_workflows.c`,
    `pipe_mgr_meter_drv_get_rate_params`). The driver truncates, so a rate has to be rounded up to whole
    packets before it is asked for.
    """

    clock: Fraction = TOFINO.clock  # Hz
    daemon_clock: Fraction | None = None  # the clock that the daemon assumes; None: the same

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
            for number in range(int(mantissa), _LARGEST_MANTISSA + 1):
                yield self.clock * number / (1 << exponent)
            exponent, mantissa = exponent - 1, (_LARGEST_MANTISSA + 1) // 2


@dataclass(frozen=True)
class LoopMeter:
    """A meter behind a loop that is never idle. If no meter limits it, the rate of the loop can be had too.

    Otherwise rates between the meter's highest rate below the line and the line could not be reached.
    """

    meter: Meter
    line: Fraction  # packets each second

    def at_least(self, rate: Fraction) -> Iterator[Fraction]:
        """See Meter. A rate above the line is left to the meter, although no loop can feed it."""
        if rate > self.line:
            yield from self.meter.at_least(rate)
            return
        yield from takewhile(lambda metered: metered < self.line, self.meter.at_least(rate))
        yield self.line


_LARGEST_MANTISSA = 511
_LARGEST_EXPONENT = 27
