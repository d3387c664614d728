# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Demands of a query that no packet meets: nothing would be counted, and `count == 0` would be a PASS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

from ..errors import PlanError
from ..model.plan.planned_query import Placed, PlacedField, PlannedTest
from ..protocols.values import MaskedNumbers, complement
from .lengths import LENGTH
from .presence import Presence


@dataclass(frozen=True)
class Demand:
    """A condition that packets have to meet, or a key or value that they have to have."""

    text: str  # as its author wrote it
    name: str  # of its operand
    operand: Placed
    tests: Sequence[PlannedTest] = ()
    read: Callable[[bytes], str] = field(kw_only=True)  # a value of the operand as people read it


def check_possible(demands: Sequence[Demand], presence: Presence) -> None:
    """Refuses demands that exclude each other, or one that no packet meets.

    Raises:
        PlanError: there is no packet that meets all. It has those that exclude each other, and no others.
    """
    for one, other in combinations(demands, 2):
        if presence.exclude(one.operand, other.operand):
            raise PlanError(f"no packet has both {one.name} and {other.name}; make a query for each")
    empty = _emptied(demands, presence)
    if empty is None:
        return
    few = list(demands)
    for demand in reversed(demands):
        rest = [other for other in few if other is not demand]
        if (operand := _emptied(rest, presence)) is not None:
            few, empty = rest, operand
    if len(few) > 1:
        texts = " and ".join(demand.text for demand in few)
        raise PlanError(
            f"no packet passes its filter: {texts} exclude each other; leave one out, or change it"
        )
    raise PlanError(_alone(few[0], empty, presence))


def _alone(demand: Demand, operand: Placed, presence: Presence) -> str:
    """Why no packet meets one demand: the operand that has no value, and those that it can have."""
    name, read = (demand.name, demand.read) if operand == demand.operand else ("length", _whole_number)
    size = len(operand.mask)
    values = ", ".join(
        " to ".join(read(end.to_bytes(size, "big")) for end in dict.fromkeys(ends))
        for ends in presence.numbers(operand, operand)
    )
    what = f"passes its filter: {demand.text}" if demand.tests else f"has {demand.name}"
    return f"no packet {what}: {name} is {values}; change it"


def _whole_number(octets: bytes) -> str:
    return str(int.from_bytes(octets, "big"))


def _emptied(demands: Sequence[Demand], presence: Presence) -> Placed | None:
    """The first operand that has no value for which all demands are met; None if a packet meets them."""
    numbers = {demand.operand: _all(demand.operand) for demand in demands}
    numbers[LENGTH] = _all(LENGTH)
    for operand in numbers:
        for demand in demands:
            possible = tuple(presence.numbers(operand, demand.operand))
            numbers[operand] &= MaskedNumbers(8 * len(operand.mask), possible)
    for demand in demands:
        for test in demand.tests:
            numbers[demand.operand] &= _meeting(test)
    fields = [operand for operand in numbers if isinstance(operand, PlacedField)]
    pairs = [(one, other) for one, other in permutations(fields, 2) if _overlap(one, other)]
    for _ in numbers:  # bits that one operand has from another may fix those of a third
        for one, other in pairs:
            numbers[other] &= _shared(one, numbers[one], other)
    emptied = next((operand for operand, left in numbers.items() if left.smallest() is None), None)
    return emptied or presence.too_short(numbers)


def _all(operand: Placed) -> MaskedNumbers:
    """The numbers of an operand: bits beside its mask are 0."""
    bits = 8 * len(operand.mask)
    return MaskedNumbers.masked(bits, ~_whole(operand) & ((1 << bits) - 1), 0)


def _whole(operand: Placed) -> int:
    return int.from_bytes(operand.mask, "big")


def _overlap(one: PlacedField, other: PlacedField) -> bool:
    """Whether two fields of one header have bytes in common."""
    if (one.part, one.ether_type, one.protocol) != (other.part, other.ether_type, other.protocol):
        return False
    return one.offset < _behind(other) and other.offset < _behind(one)


def _behind(operand: PlacedField) -> int:
    return operand.offset + len(operand.mask)


def _shared(one: PlacedField, left: MaskedNumbers, other: PlacedField) -> MaskedNumbers:
    """The numbers of one field that have the bits which are the same in all numbers left of another."""
    bits, least = 8 * len(other.mask), left.smallest()
    if least is None:
        return MaskedNumbers.all(bits)
    greatest = max(last for _, last in left.intervals)
    mask = (left.mask | -1 << (least ^ greatest).bit_length()) & _whole(one)
    up = 8 * max(0, _behind(other) - _behind(one))
    down = 8 * max(0, _behind(one) - _behind(other))
    return MaskedNumbers.masked(bits, (mask << up >> down) & _whole(other), least << up >> down)


def _meeting(test: PlannedTest) -> MaskedNumbers:
    """The values that meet a test; all of them, where a mask has gaps, and another value is asked for."""
    whole, bits = _whole(test.operand), 8 * len(test.operand.mask)
    mask, value = (int.from_bytes(part, "big") for part in (test.mask, test.value))
    top = (1 << bits) - 1
    match test.relation:
        case "IS":
            return MaskedNumbers.masked(bits, mask, value)
        case "NOT" if mask == 0:
            return MaskedNumbers(bits, ())  # no packet is outside of 0.0.0.0/0
        case "NOT":
            last = value | (whole & ~mask)
            if last - value < mask & -mask:  # one value, or a network
                return MaskedNumbers(bits, tuple(complement([(value, last)], bits)))
        case "BELOW":
            return MaskedNumbers.between(bits, 0, value - 1)
        case "AT_MOST":
            return MaskedNumbers.between(bits, 0, value)
        case "ABOVE":
            return MaskedNumbers.between(bits, value + 1, top)
        case "AT_LEAST":
            return MaskedNumbers.between(bits, value, top)
    return MaskedNumbers.all(bits)
