# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A planted defect of a simulated device: which frames it drops. One entry of `drops:` in its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..model.editor import FieldPath
from ..model.units.units import Duration, Rate, RateUnit

Ranges = tuple[tuple[int, int], ...]  # first and last value of each


@dataclass(frozen=True)
class DropRule:
    """Frames for which everything in it holds are dropped. What it counts are frames that look as it says."""

    size: Ranges = ()  # bytes, FCS included; empty: any
    field: FieldPath | None = None
    values: Ranges = ()  # of the field; empty: any
    bits: tuple[int, int] | None = None  # the value of the bits of a mask, and the mask
    remainder: tuple[int, int] | None = None  # of the field, and the divisor
    port: str = ""  # of the tester, from which they come; empty: any
    period: int = 0  # the last one of this number of frames; 0: each frame
    first: int = 0  # frames after `idle` without a frame; 0: all
    idle: Duration = Duration(100_000_000)
    above: Rate | None = None  # frames/s; one that comes too early, by more than one gap, is dropped
    burst: int = 0  # frames behind this number of frames back to back; 0: any

    @classmethod
    def parse(cls, entry: object) -> DropRule:
        """An entry of a testbed file. ValueError says what is wrong with it."""
        if not isinstance(entry, Mapping) or not entry:
            raise ValueError(f"{entry!r}: give conditions, such as size: 1024-1279")
        if unknown := {str(key) for key in entry} - set(_READERS):
            raise ValueError(f"{min(unknown)!r} is no condition; give {', '.join(_READERS)}")
        read = {_NAMES.get(str(key), str(key)): _READERS[str(key)](value) for key, value in entry.items()}
        build: Callable[..., DropRule] = cls
        rule = build(**read)
        of_field = any(key in entry for key in ("values", "bits", "remainder"))
        if of_field != (rule.field is not None):
            raise ValueError("give field together with values, bits or remainder")
        return rule


def holds(ranges: Ranges, value: int) -> bool:
    """Whether a value lies in one of the ranges, or there is no range."""
    return not ranges or any(first <= value <= last for first, last in ranges)


def _ranges(text: object) -> Ranges:
    """Ranges from `64, 1024-1279`."""
    ranges = []
    for part in str(text).split(","):
        first, _, last = part.strip().partition("-")
        ranges.append((_number(first), _number(last or first)))
    if any(last < first for first, last in ranges):
        raise ValueError(f"{text!r}: a range begins with its lower end, as 1024-1279")
    return tuple(ranges)


def _number(text: object) -> int:
    try:
        return int(str(text).strip(), 0)
    except ValueError:
        raise ValueError(f"{text!r} is no number; give numbers and ranges such as 53, 1024-1279") from None


def _pair(text: object) -> tuple[int, int]:
    """Two numbers from `0x01/0x03`."""
    first, slash, second = str(text).partition("/")
    if not slash:
        raise ValueError(f"{text!r}: give two numbers, as 0x01/0x03")
    return _number(first), _number(second)


def _frames_per_second(text: object) -> Rate:
    rate = Rate.parse(text)
    if rate.unit is not RateUnit.PPS:
        raise ValueError(f"{text!r}: give frames each second, such as 6 kpps")
    return rate


_READERS: dict[str, Callable[[object], object]] = {
    "size": _ranges,
    "field": FieldPath.parse,
    "values": _ranges,
    "bits": _pair,
    "remainder": _pair,
    "from": str,
    "each": _number,
    "first": _number,
    "idle": Duration.parse,
    "above": _frames_per_second,
    "burst": _number,
}
_NAMES = {"from": "port", "each": "period"}
