# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The log-linear histogram of `counters.proto`: 512 buckets an octave, at most 0.1 % off in the middle."""

from __future__ import annotations

from collections.abc import Mapping

LINEAR = 1024  # values below have a bucket each
PER_OCTAVE = 512


def index_of(value: int) -> int:
    """The bucket of a non-negative value."""
    if value < LINEAR:
        return value
    shift = value.bit_length() - 10
    return shift * PER_OCTAVE + (value >> shift)


def bounds_of(index: int) -> tuple[int, int]:
    """The half-open interval [low, high) of values in a bucket."""
    if index < LINEAR:
        return index, index + 1
    shift = index // PER_OCTAVE - 1
    mantissa = PER_OCTAVE + index % PER_OCTAVE
    return mantissa << shift, (mantissa + 1) << shift


def percentile(buckets: Mapping[int, int], percent: float) -> float:
    """The value that `percent` of the recorded ones do not exceed: the middle of its bucket.

    Nearest rank: the smallest bucket whose cumulative count reaches percent/100 of all.

    Raises:
        ValueError: percent outside (0, 100], or no value recorded.
    """
    if not 0 < percent <= 100:
        raise ValueError(f"{percent} is not a percentile; it must be above 0 and at most 100")
    total = sum(buckets.values())
    if not total:
        raise ValueError("no value was recorded")
    return at_rank(buckets, total * percent / 100)


def at_rank(buckets: Mapping[int, int], rank: float) -> float:
    """The value that so many of the recorded ones do not exceed: the middle of its bucket."""
    seen = 0
    for index in sorted(buckets):
        seen += buckets[index]
        if seen >= rank:
            break
    low, high = bounds_of(index)
    return (low + high - 1) / 2
