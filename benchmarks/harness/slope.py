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
_PASSES = 3  # the line through all is not yet the one through most


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
    """Those near the line through most of them: up to four times as far beside it as half of them are.

    The others were taken while something else had the CPU.
    """
    kept = list(samples)
    for _ in range(_PASSES):
        rate = slope(kept)
        offsets = [count - rate * (at - samples[0][0]) for at, count in samples]
        middle = median(offsets)
        far = _FAR * median(abs(offset - middle) for offset in offsets) + _ROUNDING
        kept = [s for s, offset in zip(samples, offsets, strict=True) if abs(offset - middle) <= far]
    return kept


def sampled(counts: Callable[[], tuple[Sample, ...]], seconds: float, every_s: float) -> list[list[Sample]]:
    """What several counters say again and again; one list for each of them."""
    columns: list[list[Sample]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        row = counts()
        columns = columns or [[] for _ in row]
        for column, sample in zip(columns, row, strict=True):
            column.append(sample)
        time.sleep(every_s)
    return columns
