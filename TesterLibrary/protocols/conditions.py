# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares rows: whether two can match the same packet, and whether one matches all that the other does.

A conjunction of tests becomes a set of allowed values for each quantity that it is about. A comparison of
two things that change is about their difference: `TCP.ack after snd_una` allows 1 … 2^31 - 1. Quantities
count as independent: two rows are taken to overlap unless one quantity keeps them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from ..model.condition import Compare, Flags, Prefix, Relation, Test
from ..model.expression import Expression
from .scope import NameScope
from .values import MaskedNumbers, complement

PAYLOAD_LENGTH = Expression("payload.length")
Quantity = tuple[object, ...]
Terms = tuple[tuple[str, int], ...]

_ORDERS = (Relation.BELOW, Relation.AT_MOST, Relation.ABOVE, Relation.AT_LEAST)
# The order of two unknown numbers is a value itself: less is 0, equal is 1, greater is 2.
_ORDERED = {
    Relation.IS: (1, 1),
    Relation.BELOW: (0, 0),
    Relation.AT_MOST: (0, 1),
    Relation.ABOVE: (2, 2),
    Relation.AT_LEAST: (1, 2),
}


@dataclass(frozen=True)
class Condition:
    """A conjunction: what each quantity may be, and what the payload begins with."""

    allowed: Mapping[Quantity, MaskedNumbers]
    prefix: bytes = b""

    def overlaps(self, other: Condition) -> bool:
        """Whether something may match both."""
        if not (self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)):
            return False
        shared = self.allowed.keys() & other.allowed.keys()
        return all((self.allowed[one] & other.allowed[one]).smallest() is not None for one in shared)

    def within(self, other: Condition) -> bool:
        """Whether whatever matches this one matches the other."""
        return self.prefix.startswith(other.prefix) and all(
            (self.allowed.get(one) or MaskedNumbers.all(wanted.bits)).within(wanted)
            for one, wanted in other.allowed.items()
        )

    @property
    def possible(self) -> bool:
        """Whether anything can match it."""
        return all(values.smallest() is not None for values in self.allowed.values())

    def example(self, other: Condition) -> str:
        """An example, in words, that both conditions match."""
        both = dict(self.allowed)
        for one, values in other.allowed.items():
            both[one] = both[one] & values if one in both else values
        parts = [f"{said(one)} = {values.smallest()}" for one, values in both.items()]
        prefix = max(self.prefix, other.prefix, key=len)
        return ", ".join(parts + [f"payload {prefix!r}…"] * bool(prefix)) or "anything"


def condition(tests: Iterable[Test], scope: NameScope) -> Condition:
    """The condition of a row's tests, whose names are all known."""
    allowed: dict[Quantity, MaskedNumbers] = {}
    prefix = b""
    for test in tests:
        if isinstance(test, Prefix):
            prefix = test.octets
            one, values = (
                quantity(PAYLOAD_LENGTH),
                MaskedNumbers.between(16, len(prefix), 0xFFFF),
            )
        elif isinstance(test, Flags):
            one, values = _flags(test, scope)
        else:
            one, values = _compared(test, scope)
        allowed[one] = allowed[one] & values if one in allowed else values
    return Condition(allowed, prefix)


def _flags(test: Flags, scope: NameScope) -> tuple[Quantity, MaskedNumbers]:
    place = scope.layout.places[test.name]
    bits = {letter: 1 << index for index, letter in enumerate(place.letters)}
    wanted, unwanted = (sum(bits[letter] for letter in set(flags)) for flags in (test.set, test.clear))
    values = MaskedNumbers.masked(place.bits, wanted | unwanted, wanted)
    return quantity(Expression(test.name)), values if not wanted & unwanted else MaskedNumbers(place.bits, ())


def _compared(test: Compare, scope: NameScope) -> tuple[Quantity, MaskedNumbers]:
    bits = scope.compared_bits(test)
    if test.relation in _ORDERS and test.right.constant is None:
        return _order(test, bits)
    coefficients, constant = _difference(test.left, test.right)
    if test.relation in _ORDERS or (len(coefficients) == 1 and test.right.constant is not None):
        # The test is about the left side itself, which is compared with a number.
        return quantity(test.left), _related(test.relation, test.right.constant or 0, bits)
    values = _related(test.relation, 0, bits).shifted(-constant)
    if not coefficients:  # nothing that changes
        return ("difference", bits), values & MaskedNumbers.between(bits, 0, 0)
    first = min(coefficients)
    if coefficients[first] < 0:  # a - b and b - a are one quantity, so the sign is the same for both
        coefficients = {name: -factor for name, factor in coefficients.items()}
        values = MaskedNumbers(bits, tuple(_negated(values)))
    return ("difference", bits, *sorted(coefficients.items())), values


def _negated(values: MaskedNumbers) -> list[tuple[int, int]]:
    size = 1 << values.bits
    found: list[tuple[int, int]] = []
    for first, last in values.intervals:
        if first == 0:
            found.append((0, 0))
            first = 1
        if first <= last:
            found.append((size - last, size - first))
    return sorted(found)


def _order(test: Compare, bits: int) -> tuple[Quantity, MaskedNumbers]:
    sides, (first, last) = (str(test.left), str(test.right)), _ORDERED[test.relation]
    if sides[0] > sides[1]:
        sides, first, last = (sides[1], sides[0]), 2 - last, 2 - first
    found, equal = MaskedNumbers.between(2, first, last), MaskedNumbers.between(2, 1, 1)
    coefficients, constant = _difference(test.left, test.right)
    if not coefficients:  # the two sides always differ by this constant, modulo the compared bits
        found &= MaskedNumbers(2, tuple(complement(equal.intervals, 2))) if constant % (1 << bits) else equal
    return ("order", *sides), found


def _related(relation: Relation, to: int, bits: int) -> MaskedNumbers:
    """The numbers that are in a relation to one."""
    half, top = 1 << (bits - 1), (1 << bits) - 1
    sets = {
        Relation.IS: lambda: MaskedNumbers.between(bits, to, to),
        Relation.NOT: lambda: MaskedNumbers(bits, tuple(complement(((to, to),), bits))),
        Relation.BELOW: lambda: MaskedNumbers.between(bits, 0, to - 1),
        Relation.AT_MOST: lambda: MaskedNumbers.between(bits, 0, to),
        Relation.ABOVE: lambda: MaskedNumbers.between(bits, to + 1, top),
        Relation.AT_LEAST: lambda: MaskedNumbers.between(bits, to, top),
        Relation.BEFORE: lambda: MaskedNumbers.between(bits, half, top).shifted(to),
        Relation.NOT_AFTER: lambda: MaskedNumbers(bits, ((0, 0), (half, top))).shifted(to),
        Relation.AFTER: lambda: MaskedNumbers.between(bits, 1, half - 1).shifted(to),
        Relation.NOT_BEFORE: lambda: MaskedNumbers.between(bits, 0, half - 1).shifted(to),
    }
    return sets[relation]()


def _difference(left: Expression, right: Expression) -> tuple[dict[str, int], int]:
    """left - right as names with their factors, and a number. A part that is not linear is one name."""
    total: Counter[str] = Counter()
    constant = 0
    for side, sign in ((left, 1), (right, -1)):
        names, number = _linear(side)
        constant += sign * number
        for name, factor in names.items():
            total[name] += sign * factor
    return {name: factor for name, factor in total.items() if factor}, constant


def _linear(expression: Expression) -> tuple[Counter[str], int]:
    names: Counter[str] = Counter()
    constant = 0
    done = str(expression.first)
    for index, (operator, atom) in enumerate((("+", expression.first), *expression.rest)):
        if index:
            done += f" {operator} {atom}"
        if operator not in "+-":
            names, constant = Counter({done: 1}), 0
            continue
        sign = 1 if operator == "+" else -1
        if isinstance(atom, int):
            constant += sign * atom
        else:
            names[atom] += sign
    return names, constant


def quantity(expression: Expression) -> Quantity:
    """The quantity that a test of an expression against a number is about."""
    return ("value", str(expression))


def said(one: Quantity) -> str:
    """A quantity in words: `TCP.seq`, `TCP.seq - rcv_nxt`."""
    if one[0] != "difference":
        return " against ".join(map(str, one[1:]))
    text = " ".join(f"{'-' if factor < 0 else '+'} {name}" for name, factor in cast("Terms", one[2:]))
    return text.removeprefix("+ ")
