# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a device kept up with a load, or only put off the loss: a queue loses nothing until it is full.

The delay of frames that wait in a filling queue grows all along: by (offered - forwarded) / forwarded of the
time for which they were sent. It is read several times while a trial runs, from the sums of the delays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import NormalDist

from ...model.units.units import Duration

LEAST_POINTS = 6  # three for each half
# Two Ethernet clocks differ by up to 200 ppm (IEEE 802.3: 100 ppm each), which fills a queue at that rate.
LEAST_SLOPE = 2e-4
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class DelayReading:
    """The delays of all frames that had arrived at an instant of the tester's clock."""

    at_ns: int
    count: int
    sum_ns: int


@dataclass(frozen=True)
class Growth:
    """How the mean delay of a stream changed from its first frame to its last, by a straight line."""

    first_ns: int
    last_ns: int
    noise_ns: int  # a smaller growth is not significant (95 %)
    steady: bool  # it grew in both halves of the time, unlike a single step or a queue that empties again

    @property
    def sustained(self) -> bool:
        """Whether the delay did not grow all along by more than noise."""
        return not self.steady or self.last_ns - self.first_ns <= self.noise_ns

    def __str__(self) -> str:
        how = "grew" if self.last_ns >= self.first_ns else "fell"
        return f"the delay {how} from {Duration(self.first_ns)} to {Duration(self.last_ns)}"


def growth(readings: Sequence[DelayReading], first_tx_ns: int, last_tx_ns: int) -> Growth | None:
    """The growth between the first departure and the last; None where there are too few readings to tell.

    Each two readings give the mean delay of the frames that arrived between them. These frames left that much
    earlier, on average.
    """
    points = []
    for before, after in pairwise(readings):
        arrived = after.count - before.count
        if arrived > 0:
            delay = (after.sum_ns - before.sum_ns) / arrived
            points.append(((before.at_ns + after.at_ns) / 2 - delay - first_tx_ns, delay))
    span = last_tx_ns - first_tx_ns
    if len(points) < LEAST_POINTS or span <= 0:
        return None
    slope, start, error = _line(points)
    half = len(points) // 2
    halves = (points[: half + len(points) % 2], points[half:])
    return Growth(
        first_ns=max(0, round(start)),
        last_ns=max(0, round(start + slope * span)),
        noise_ns=round(max(_t(len(points) - 2) * error, LEAST_SLOPE) * span),
        steady=all(_line(part)[0] > max(LEAST_SLOPE, slope / 4) for part in halves),
    )


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Slope, value at 0 and standard error of the slope of the straight line through points."""
    number = len(points)
    middle = sum(x for x, _ in points) / number
    mean = sum(y for _, y in points) / number
    spread = sum((x - middle) ** 2 for x, _ in points)
    if not spread:
        return 0.0, mean, 0.0
    slope = sum((x - middle) * (y - mean) for x, y in points) / spread
    rest = sum((y - mean - slope * (x - middle)) ** 2 for x, y in points)
    return slope, mean - slope * middle, sqrt(rest / max(1, number - 2) / spread)


def _t(freedom: int) -> float:
    """Student's t for 95 %, two-sided: Cornish and Fisher's series, within 1 % from 4 degrees of freedom."""
    z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
