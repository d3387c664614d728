# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The scale of the control Latency (p4/controls/latency.p4): a bucket for each prefix of a time.

From 1.024 us to 16.8 ms there are sixteen buckets an octave, so the middle of one is at most 3.3 % off;
below and above there is one for each octave, at most 33.5 % off. Least, greatest and sum are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ....measurement.delays.histogram import index_of
from ....measurement.delays.latency_error import PercentileError
from .entry import Masked, TableEntry

_LATENCY = "ExternalIngress.latency"
_WORD = 32  # bits of a time in ns
_FINE = range(10, 24)  # octaves 2^n to 2^(n+1)
_PARTS = 4  # bits of a mantissa in a fine octave
# Half the width of the widest bucket over its middle, and the error that `measurement/histogram.py` adds.
PERCENTILE_ERROR = PercentileError(
    Fraction(33, 1000), from_ns=1 << _FINE.start, to_ns=1 << _FINE.stop, outside=Fraction(335, 1000)
)
UNKNOWN_NS = (1 << _WORD) - 1  # the latency of a frame that was away for longer, or has another time
OTHERS = 0xFF  # the bucket of times that no prefix matches


@dataclass(frozen=True)
class Bucket:
    """A bucket of `size` times from `first` on; the size is a power of two."""

    number: int
    first: int
    size: int

    @property
    def index(self) -> int:
        """The index in `measurement/histogram.py` of the bucket that contains its middle."""
        return index_of(self.first + self.size // 2)


@cache
def scale() -> tuple[Bucket, ...]:
    """All buckets, from the shortest time on."""
    spans = [(0, 1)]
    for octave in range(_WORD):
        parts = _PARTS if octave in _FINE else 0
        size = 1 << octave - parts
        spans += [((1 << octave) + part * size, size) for part in range(1 << parts)]
    return tuple(Bucket(number, first, size) for number, (first, size) in enumerate(spans))


def bucket_entries(
    pipeline: str = "external", control: str = _LATENCY, time: str = "latency"
) -> Iterator[TableEntry]:
    """The scale, which all times of a control share. `time` is the key of its table."""
    top = (1 << _WORD) - 1
    for bucket in scale():
        yield TableEntry(
            f"{pipeline}.{control}.buckets",
            {time: Masked(bucket.first, top & ~(bucket.size - 1)), "$MATCH_PRIORITY": 0},
            f"{control}.in_bucket",
            {"number": bucket.number},
        )


def by_index(histogram: Mapping[int, int]) -> dict[int, int]:
    """The counts of buckets, by number, as `measurement/histogram.py` has them."""
    indexes = {bucket.number: bucket.index for bucket in scale()}
    buckets: dict[int, int] = {}
    for number, count in histogram.items():
        index = indexes.get(number, indexes[max(indexes)])
        buckets[index] = buckets.get(index, 0) + count
    return buckets


def between(least: int, greatest: int) -> list[int]:
    """The numbers of the buckets for times from the least to the greatest, and of the one of all others."""
    if least > greatest:
        return []
    found = [one for one in scale() if one.first <= greatest and least < one.first + one.size]
    return [*(one.number for one in found), OTHERS]
