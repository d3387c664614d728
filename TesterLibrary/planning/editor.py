# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the values that an author gives for a field into numbers: the source of a planned editor."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce, singledispatch
from operator import or_

from ..errors import PlanError
from ..model.editor import Draw, Editor, FieldPath, FieldValues, RandomField, RandomMask, RandomPrefix, Sweep
from ..model.plan.edit import Distribution, RandomBits, RandomRange, Source, Step, Values
from ..model.stream import Stream
from .template import FramePlace

WORD = 64  # the most bits that an editor changes
_MOST_VALUES = 1 << 20
_MOST_DRAWN = 1 << 16
_LONGEST_RANGE = 1 << 63
_CERTAIN = 1 << 64


@dataclass(frozen=True)
class FieldChange:
    """The values of one field, and the part of it that differs from value to value."""

    place: FramePlace
    base: int  # a value of the whole field, which gives the bits that do not change
    changing: int  # the bits in which any two values differ
    make: Callable[[int], Source]  # the source of the bits from the given one upwards; 0 is the lowest bit

    def __post_init__(self) -> None:
        """PlanError unless an editor can write all bits that change."""
        self.window  # noqa: B018

    @cached_property
    def window(self) -> tuple[int, int]:
        """Lowest bit and number of the bits that an editor writes: the field, or 64 bits of a wider one."""
        width = self.place.bits
        if width <= WORD:
            return 0, width
        lowest, highest = (
            max(0, (self.changing & -self.changing).bit_length() - 1),
            self.changing.bit_length(),
        )
        for low in (0, width - WORD, lowest):
            if low <= lowest and highest <= low + WORD:
                return low, WORD
        raise PlanError(
            f"its values differ in {highest - lowest} adjacent bits of {width}; "
            f"an editor changes at most {WORD}"
        )

    @cached_property
    def source(self) -> Source:
        """The source of the values of the window."""
        return self.make(self.window[0])

    @property
    def said(self) -> str:
        """The values for people, as the field is written: addresses as such."""
        source, (low, _) = self.source, self.window
        if not self.place.has_notation:
            return source.said()

        def text(number: int) -> str:
            return self.place.text(self.whole(number))

        if low and isinstance(source, Step):
            sign = "-" if source.increment < 0 else "+"
            size = self.place.text(abs(source.increment) << low)
            return f"{text(source.first)} and {source.count - 1:,} steps of {sign}{size}"
        return source.said(text)

    def value(self, index: int) -> int:
        """Value number `index` of the whole field."""
        return self.whole(self.source.value(index))

    def whole(self, number: int) -> int:
        """The whole field, given a number of the window."""
        low, bits = self.window
        return self.base & ~(_bits(bits) << low) | (number & _bits(bits)) << low


def change(place: FramePlace, editor: Editor, before: int, seed: int) -> FieldChange:
    """The values of an edited field.

    Args:
        place: The field.
        editor: The author's description of its values.
        before: The value in the header; editors of random bits keep its other bits.
        seed: Seed of random values, unless the editor has one.

    Raises:
        PlanError: a value that does not fit the field, an empty list, a reversed range, …
    """
    if editor.every < 1:
        raise PlanError(f"{editor.every} frames share a value; at least 1 does")
    used = seed if editor.seed is None else editor.seed
    if not 0 <= used < _CERTAIN:
        raise PlanError(f"the seed {used} is not within 0 to 2^64 - 1")
    return _lowered(editor.mode, place, before, used)


def default_seed(seed: int, stream: str, path: object) -> int:
    """The seed of an editor that is given none; it differs for each stream and field."""
    return random.Random(f"editor {seed} {stream} {path}").getrandbits(WORD)


def cascaded(streams: Sequence[Stream], fields: tuple[FieldPath, ...], seed: int) -> list[Stream]:
    """The streams with a cascade of these fields, as they change in the first stream.

    If several streams share it, random fields have equal seeds in all of them.

    Raises:
        PlanError: fewer than two fields, or one that does not change yet.
    """
    leader = streams[0]
    if len(fields) < 2:
        raise PlanError(f"stream {leader.name!r}: a cascade of {len(fields)} fields; give two or more")
    paths = {editor.path for editor in leader.editors}
    if constant := next((path for path in fields if path not in paths), None):
        raise PlanError(f"stream {leader.name!r}: {constant} does not change yet; sweep it or give it values")
    editors = [editor for editor in leader.editors if editor.path in fields]
    if len(streams) > 1:
        editors = [
            replace(editor, seed=default_seed(seed, leader.name, editor.path))
            if editor.seed is None
            else editor
            for editor in editors
        ]
    return [stream.cascading(fields, editors) for stream in streams]


@singledispatch
def _lowered(mode: object, _place: FramePlace, _before: int, _seed: int) -> FieldChange:
    raise NotImplementedError(f"no editor registers how {mode} is lowered")


@_lowered.register
def _sweep(mode: Sweep, place: FramePlace, _: int, __: int) -> FieldChange:
    first, step = place.number(mode.first), _step(place, mode.step)
    if mode.last and mode.count is not None:
        raise PlanError("a sweep ends at its last value or after a count; give one of them")
    if mode.last:
        last = place.number(mode.last)
        if (last - first) * step < 0:
            raise PlanError(
                f"the range from {mode.first} to {mode.last} is reversed for a step of {mode.step}; "
                "exchange its ends or change the step's sign"
            )
        count = (last - first) // step + 1
    elif mode.count is None:
        raise PlanError("a sweep needs a last value or a count")
    else:
        count = mode.count
    if not 1 <= count < _CERTAIN:
        raise PlanError(f"a sweep of {count} values; it has 1 to 2^64 - 1")
    last = first + (count - 1) * step
    inside = 0 <= last < 1 << place.bits
    highest = (first ^ last).bit_length() if inside else place.bits
    changing = _bits(highest) & -(step & -step) if count > 1 else 0
    return FieldChange(
        place, first, changing, lambda low: Step(_word(first, low), _signed(step >> low), count)
    )


def _step(place: FramePlace, text: str) -> int:
    """A step, given as a number with a sign or in the notation of the field's values: 0.0.1.0."""
    negative = text.startswith("-")
    size = text.removeprefix("-")
    try:
        number = int(size, 0)
    except ValueError:
        number = place.number(size)
    if not 0 < number < 1 << place.bits:
        raise PlanError(f"a step of {text} is not within 1 and {(1 << place.bits) - 1}, with or without '-'")
    return -number if negative else number


@_lowered.register
def _values(mode: FieldValues, place: FramePlace, _: int, __: int) -> FieldChange:
    values = _numbers(place, mode.values, _MOST_VALUES)
    return FieldChange(
        place, values[0], _differences(values), lambda low: Values(tuple(_word(v, low) for v in values))
    )


@_lowered.register
def _random_field(mode: RandomField, place: FramePlace, before: int, seed: int) -> FieldChange:
    if not mode.first and not mode.last:
        return _random_bits(place, before, _bits(place.bits), seed)
    if not mode.first or not mode.last:
        raise PlanError("a range has a first and a last value; give both or none")
    first, last = place.number(mode.first), place.number(mode.last)
    if last < first:
        raise PlanError(f"the range from {mode.first} to {mode.last} is reversed; exchange its ends")
    count = last - first + 1
    if count & (count - 1) == 0 and first % count == 0:  # exactly all values of the lowest bits
        return _random_bits(place, first, count - 1, seed)
    if count > _LONGEST_RANGE:
        raise PlanError(f"a range of {count} values; a random value is from a range of at most 2^63")
    changing = _bits((first ^ last).bit_length())
    return FieldChange(place, first, changing, lambda low: RandomRange(seed, _word(first, low), count))


@_lowered.register
def _random_mask(mode: RandomMask, place: FramePlace, before: int, seed: int) -> FieldChange:
    mask = place.number(mode.mask)
    if not mask:
        raise PlanError(f"the mask {mode.mask} has no bit, so nothing would change")
    return _random_bits(place, before, mask, seed)


@_lowered.register
def _random_prefix(mode: RandomPrefix, place: FramePlace, _: int, seed: int) -> FieldChange:
    network = mode.network
    if place.bits != network.max_prefixlen:
        raise PlanError(f"it has {place.bits} bits, {network} is of {network.max_prefixlen}")
    return _random_bits(place, int(network.network_address), int(network.hostmask), seed)


def _random_bits(place: FramePlace, base: int, mask: int, seed: int) -> FieldChange:
    return FieldChange(place, base, mask, lambda low: RandomBits(seed, _word(base, low), _word(mask, low)))


@_lowered.register
def _draw(mode: Draw, place: FramePlace, _: int, seed: int) -> FieldChange:
    values, cumulative = _numbers(place, mode.values, _MOST_DRAWN), mode.cumulative
    if len(cumulative) != len(values):
        raise PlanError(f"{len(values)} values with {len(cumulative)} probabilities; each value has one")
    for before, after in zip((Fraction(0), *cumulative), cumulative, strict=False):
        if after < before:
            raise PlanError(
                f"the distribution falls from {float(before):g} to {float(after):g}; it never falls"
            )
    if cumulative[-1] != 1:
        raise PlanError(f"the distribution ends at {float(cumulative[-1]):.10g}; it has to reach 1 (100 %)")
    bounds = [(value, round(part * _CERTAIN) - 1) for value, part in zip(values, cumulative, strict=True)]
    reached = [(value, bound) for value, bound in bounds if bound >= 0]
    bounds_of = tuple(bound for _, bound in reached)
    return FieldChange(
        place,
        values[0],
        _differences(values),
        lambda low: Distribution(seed, tuple(_word(value, low) for value, _ in reached), bounds_of),
    )


def _numbers(place: FramePlace, texts: tuple[str, ...], most: int) -> tuple[int, ...]:
    if not 1 <= len(texts) <= most:
        raise PlanError(f"a list of {len(texts)} values; give 1 to {most}")
    return tuple(place.number(text) for text in texts)


def _differences(values: tuple[int, ...]) -> int:
    return reduce(or_, (value ^ values[0] for value in values))


def _word(number: int, low: int) -> int:
    return number >> low & _bits(WORD)


def _signed(number: int) -> int:
    """The number modulo 2^64, as a signed number of 64 bits."""
    half = 1 << WORD - 1
    return (number + half) % (2 * half) - half


def _bits(count: int) -> int:
    return (1 << count) - 1
