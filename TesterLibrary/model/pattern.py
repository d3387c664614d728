# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How frames are spaced around their average rate: pass/skip stages and bursts (norma §5.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError, UnitError
from .units.notation import NUMBER, TEXT, written_as

MOST_STAGES = 8


@dataclass(frozen=True)
class Stage:
    """Passes `passes` of the ticks that reach it, then skips `skips`, forever."""

    passes: int
    skips: int

    def __post_init__(self) -> None:
        if self.passes < 1 or self.skips < 0:
            raise PlanError(
                f"a stage that passes {self.passes} and skips {self.skips}: "
                "it has to pass at least 1 and skip 0 or more"
            )

    @property
    def ratio(self) -> Fraction:
        """The part of the ticks that it passes."""
        return Fraction(self.passes, self.passes + self.skips)

    @property
    def period(self) -> int:
        """Ticks after which it starts over; what its register has to count to."""
        return self.passes + self.skips

    def passed(self, ticks: int) -> int:
        """How many of the first so many ticks it passes."""
        periods, rest = divmod(ticks, self.period)
        return periods * self.passes + min(rest, self.passes)

    def tick(self, number: int) -> int:
        """The tick, from 0, that is the one of that number, from 0, among those that it passes."""
        return number // self.passes * self.period + number % self.passes

    def __str__(self) -> str:
        return f"pass {self.passes:,} skip {self.skips:,}"


@written_as(TEXT)
@dataclass(frozen=True)
class Stages:
    """Stages, each of which meets what the one before passes: passes and skips, `4/6, 100/1`."""

    stages: tuple[Stage, ...]

    @classmethod
    def parse(cls, text: object) -> Stages:
        """Raises UnitError for anything that is not written as above, PlanError for no stage."""
        if isinstance(text, Stages):
            return text
        return cls(tuple(map(_stage, str(text).split(","))))


def _stage(text: str) -> Stage:
    found = re.fullmatch(r"\s*(\d{1,18})\s*/\s*(\d{1,18})\s*", text)
    if not found:
        raise UnitError(f"stages: {text.strip()!r} is no stage; give passes/skips, such as 4/6")
    return Stage(int(found[1]), int(found[2]))


@written_as(NUMBER)
class Multiple(Fraction):
    """A multiple: `2.5x`; of the average rate for a peak, of what the keyword says for others."""

    @classmethod
    def parse(cls, text: object) -> Multiple:
        """Raises UnitError for anything that is not written as above."""
        found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*x?\s*", str(text))
        if isinstance(text, Fraction):
            return cls(text)
        if not found:
            raise UnitError(f"{text!r} is no multiple; give one such as 2.5x")
        return cls(found[1])


@dataclass(frozen=True)
class Burst:
    """Batches of `packets`, sent at `peak` times the average rate."""

    packets: int
    peak: Fraction

    def __post_init__(self) -> None:
        if self.packets < 1:
            raise PlanError(f"a burst of {self.packets} packets: it has to have at least 1")
        if self.peak < 1:
            raise PlanError(
                f"a burst with a peak of {float(self.peak):g}x: the average would exceed the peak; "
                "give 1x or more"
            )

    @property
    def stage(self) -> Stage:
        """The stage that makes it; rounding to whole packets changes the peak, not the average.

        Known answers: 1,000 packets at 2.5x -> pass 1,000 skip 1,500; 4 packets at 2.5x -> pass 4 skip 6.
        """
        return Stage(self.packets, round(self.packets * (self.peak - 1)))


@dataclass(frozen=True)
class LineRateBursts:
    """Bursts of `packets` back to back; the gap between bursts follows from the load (RFC 2544 §21)."""

    packets: int

    def __post_init__(self) -> None:
        if self.packets < 1:
            raise PlanError(f"a burst of {self.packets} packets: it has to have at least 1")

    def pattern(self, line: Fraction, rate: Fraction) -> Pattern:
        """The stage at an average rate. The gap is rounded down to whole frames; the average stays exact.

        Known answers: 16 packets at half of the line rate -> pass 16 skip 16; at line rate -> skip 0.
        """
        return Pattern((Stage(self.packets, int(self.packets * (line / rate - 1))),))


@dataclass(frozen=True)
class Pattern:
    """Bursts by pass/skip stages (norma §5.2); the first one meets all ticks of the peak rate."""

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.stages) <= MOST_STAGES:
            raise PlanError(f"a cascade of {len(self.stages)} stages: there are 1 to {MOST_STAGES}")

    @classmethod
    def of(cls, burst: Burst) -> Pattern:
        """The one stage that makes bursts of so many packets at so many times the average."""
        return cls((burst.stage,))


_EXAMPLES = {"packets": "packets=4", "peak": "peak=2.5x", "passes": "passes=4", "skips": "skips=6"}


def pattern(
    *,
    packets: int | None = None,
    peak: object = None,
    passes: int | None = None,
    skips: int | None = None,
    stages: object = None,
) -> Pattern | LineRateBursts:
    """A pattern from one of three ways to say it: packets and peak, passes and skips, or stages `4/6, 100/1`.

    Packets without peak are bursts at line rate.

    Raises:
        PlanError: none of them, or more than one, or one half of it.
        UnitError: a text that is no multiple, or no stages.
    """
    ways: list[dict[str, object]] = [
        {"packets": packets, "peak": peak},
        {"passes": passes, "skips": skips},
        {"stages": stages},
    ]
    used = [way for way in ways if any(value is not None for value in way.values())]
    if len(used) != 1:
        raise PlanError("give one of packets=4, packets=4 peak=2.5x, passes=4 skips=6, and stages=4/6, 100/1")
    if packets is not None and peak is None:
        return LineRateBursts(packets)
    if missing := [name for name, value in used[0].items() if value is None]:
        (name,) = used[0].keys() - missing
        raise PlanError(f"{name!r} needs {missing[0]!r} as well, such as {_EXAMPLES[missing[0]]}")
    if packets is not None and peak is not None:
        return Pattern.of(Burst(packets, Multiple.parse(peak)))
    if passes is not None and skips is not None:
        return Pattern((Stage(passes, skips),))
    return Pattern(Stages.parse(stages).stages)
