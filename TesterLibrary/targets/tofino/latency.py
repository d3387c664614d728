# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The scale of the control Latency (p4/controls/latency.p4): a bucket for each prefix of a time.

From 1.024 us to 16.8 ms there are sixteen buckets an octave, so the middle of one is at most 3.3 % off;
below and above there is one for each octave. Least, greatest and sum are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ...measurement.histogram import index_of
from .entry import Entry, Masked

_LATENCY = "ExternalIngress.latency"
_WORD = 32  # bits of a time in ns
_FINE = range(10, 24)  # octaves 2^n to 2^(n+1)
_PARTS = 4  # bits of a mantissa in a fine octave
OTHERS = 0xFF  # the bucket of what no prefix matches


@dataclass(frozen=True)
class Bucket:
    """Times from `first` on, a power of two of them."""

    number: int
    first: int
    size: int

    @property
    def index(self) -> int:
        """The bucket of `measurement/histogram.py` that has its middle."""
        return index_of(self.first + self.size // 2)


@cache
def scale() -> tuple[Bucket, ...]:
    """All, from the shortest time on."""
    spans = [(0, 1)]
    for octave in range(_WORD):
        parts = _PARTS if octave in _FINE else 0
        size = 1 << octave - parts
        spans += [((1 << octave) + part * size, size) for part in range(1 << parts)]
    return tuple(Bucket(number, first, size) for number, (first, size) in enumerate(spans))


def bucket_entries() -> Iterator[Entry]:
    """The scale, which all streams share."""
    top = (1 << _WORD) - 1
    for own in scale():
        yield Entry(
            f"external.{_LATENCY}.buckets",
            {"latency": Masked(own.first, top & ~(own.size - 1)), "$MATCH_PRIORITY": 0},
            f"{_LATENCY}.in_bucket",
            {"number": own.number},
        )
