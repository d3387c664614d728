# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Units of values that getters assert: what a suite writes for them, and how messages print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assertionengine import AssertionOperator

from ..errors import UnitError
from ..model.units.comparison import require_comparison
from ..model.units.magnitude import NONE, OFTEN, Magnitude
from ..model.units.number import refusal, split_unit
from ..model.units.quantity import Octets
from ..model.units.units import Duration, RateUnit, Ratio, bandwidth_text, duration_text, ratio_text
from ..verdict import operator_text, text_of


@dataclass(frozen=True)
class Unit:
    """The unit of a value."""

    parse: Callable[[Any], Any]  # the number that a suite has written; UnitError says what to write
    text: Callable[[Any], str] = text_of  # a value as people read it
    of_numbers: bool = True

    def expected(self, operator: AssertionOperator, written: Any, *, subject: str) -> Any:
        """Reads what a suite has written behind an operator; an expression to validate stays as it is.

        Raises:
            UnitError: nothing that the value of this name is compared with, or not by this operator.
        """
        if operator is AssertionOperator["validate"]:
            return written
        if self.of_numbers:
            require_comparison(operator_text(operator), subject)
        try:
            return self.parse(written)
        except UnitError as problem:
            raise UnitError(f"{subject}: {problem}") from None


def _number(written: Any) -> Fraction:
    allowed = "a number without a unit, such as 0 or 1,000"
    number, unit = split_unit(written, "a number", allowed)
    if unit:
        raise UnitError(f"{str(written)!r} has the unit {unit!r}, and this value has none; write {allowed}")
    return number


def _count(written: Any) -> int:
    number = _number(written)
    if number.denominator != 1:
        raise UnitError(refusal(written, "a count", "a whole number, such as 0 or 1,000"))
    return int(number)


def _rate(allowed: str, scales: Mapping[str, Fraction]) -> Callable[[Any], float]:
    """Reads numbers with one of some units, each of which has its scale; as floats, as rates are measured."""

    def parse(written: Any) -> float:
        try:
            given = Magnitude.parse(written)
        except UnitError:
            given = None
        if given is None or given.unit not in scales or given.value < 0:
            raise UnitError(refusal(written, "a rate of this kind", allowed))
        return float(given.value * scales[given.unit])

    return parse


def _bits_per_second(written: Any) -> float:
    """Bits each second; a number of a variable, and 0, need no unit."""
    bare = isinstance(written, int | float) or str(written).strip() == "0"
    given = f"{written} bps" if bare else written
    return _rate("a number with bps, kbps, Mbps, Gbps or Tbps, such as 10 Gbps", {_BITS: _ONE})(given)


_ONE, _BITS = Fraction(1), RateUnit.L2.value
NUMBER = Unit(_number)
COUNT = Unit(_count)
TIME = Unit(lambda written: Duration.parse(written).ns, duration_text)
RATIO = Unit(lambda written: Ratio.parse(written).value, ratio_text)
OCTETS = Unit(lambda written: Octets.parse(written).count, lambda octets: f"{text_of(octets)} bytes")
EACH_SECOND = Unit(_rate("a number, maybe with /s, such as 1,000 or 450/s", {NONE: _ONE, OFTEN: _ONE}))
BITS_EACH_SECOND = Unit(_bits_per_second, bandwidth_text)
OCTETS_EACH_SECOND = Unit(
    _rate(
        "bytes each second as a number, such as 1,000, or a bandwidth, such as 10 Mbps",
        {NONE: _ONE, _BITS: Fraction(1, 8)},
    ),
    lambda octets: f"{text_of(octets)} bytes/s",
)
FRAMES_EACH_SECOND = Unit(
    _rate("frames each second, such as 1,000 or 1 kpps", {NONE: _ONE, RateUnit.PPS.value: _ONE}),
    lambda frames: f"{text_of(frames)} frames/s",
)
