# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A rate from counts at instants, as exact as the counts are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

Sample = tuple[int, int]  # nanoseconds, count

_FAR = 4
_ROUNDING = 0.01
_PASSES = 3  # each pass has a better line, so it finds more outliers
_MOST_COMPARED = 200  # samples at most, each compared with each


def slope(samples: Sequence[Sample]) -> float:
    """Counts each nanosecond: the line through the samples with the least squares.

    Raises:
        ValueError: fewer than two instants.
    """
    mean_ns = sum(at for at, _ in samples) / max(1, len(samples))
    mean = sum(count for _, count in samples) / max(1, len(samples))
    squares = sum((at - mean_ns) ** 2 for at, _ in samples)
    if squares == 0:
        raise ValueError(f"{len(samples)} samples are of fewer than two instants")
    return sum((at - mean_ns) * (count - mean) for at, count in samples) / squares


def undisturbed(samples: Sequence[Sample]) -> list[Sample]:
    """Samples near the line through most of them: up to four times as far beside it as half of them are.

    The others were taken while something else had the CPU.
    """
    kept: list[Sample] = []
    rate = _slope_of_most(samples)
    for _ in range(_PASSES):
        offsets = [count - rate * (at - samples[0][0]) for at, count in samples]
        middle = median(offsets)
        far = _FAR * median(abs(offset - middle) for offset in offsets) + _ROUNDING
        kept = [s for s, offset in zip(samples, offsets, strict=True) if abs(offset - middle) <= far]
        rate = slope(kept)
    return kept


def _slope_of_most(samples: Sequence[Sample]) -> float:
    """Slope by repeated medians (Siegel 1982): outliers do not move it if they are fewer than half."""
    some = samples[:: -(-len(samples) // _MOST_COMPARED) or 1]
    slopes = []
    for at, count in some:
        others = [(other - count) / (then - at) for then, other in some if then != at]
        if others:
            slopes.append(median(others))
    return median(slopes) if slopes else slope(samples)


def sampled(counts: Callable[[], tuple[Sample, ...]], seconds: float, every_s: float) -> list[list[Sample]]:
    """Samples several counters again and again; one list for each of them."""
    columns: list[list[Sample]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        row = counts()
        columns = columns or [[] for _ in row]
        for column, sample in zip(columns, row, strict=True):
            column.append(sample)
        time.sleep(every_s)
    return columns
