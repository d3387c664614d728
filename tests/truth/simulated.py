# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases on simulated devices, each from the seed and its number alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from . import other_judges as other
from . import stream_judges as streams
from .case import Case, Judge

JUDGES: tuple[Judge, ...] = (
    streams.loss,
    streams.reordering,
    streams.outage,
    streams.latency,
    streams.throughput,
    streams.delay,
    streams.count,
    other.interval,
    other.search,
    other.connections,
    other.learning,
)


def case(seed: int, number: int) -> Case:
    """The judges take turns."""
    judge = JUDGES[number % len(JUDGES)]
    return replace(judge(random.Random(f"{seed} {number}")), number=number)


def cases(seed: int, count: int) -> Iterator[Case]:
    for number in range(count):
        yield case(seed, number)
