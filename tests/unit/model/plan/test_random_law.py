# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from math import exp, floor

import pytest

from TesterLibrary.model.plan.random_law import Exponential, OnOff, Quantiles, Random
from TesterLibrary.model.units.splitmix import splitmix64

MEAN = 10_000.0
GAPS = 100_000


def kolmogorov_smirnov(values: Sequence[float], cdf: Callable[[float], float]) -> float:
    """The p-value of the one-sample test, by the limit distribution of Kolmogorov."""
    ordered, n = sorted(values), len(values)
    worst = max(max((k + 1) / n - cdf(x), cdf(x) - k / n) for k, x in enumerate(ordered))
    scaled = worst * n**0.5
    return min(1.0, 2 * sum((-1) ** (k - 1) * exp(-2 * k * k * scaled * scaled) for k in range(1, 101)))


def gaps(law: Random, frames: int = GAPS) -> list[int]:
    times = [floor(law.due(k)) for k in range(frames + 1)]
    return [after - before for before, after in pairwise(times)]


def test_the_test_itself_can_fail() -> None:
    drawn = gaps(Random(1, Exponential(MEAN)))
    assert kolmogorov_smirnov(drawn, lambda x: 1 - exp(-x / (1.02 * MEAN))) < 0.01


def test_poisson_gaps_are_exponential() -> None:
    drawn = gaps(Random(1, Exponential(MEAN)))
    assert kolmogorov_smirnov(drawn, lambda x: 1 - exp(-max(0.0, x) / MEAN)) > 0.01


def test_gaps_of_a_cdf_follow_it() -> None:
    law = Random(2, Quantiles((0.0, 0.5, 1.0), (2_000.0, 10_000.0, 100_000.0)))

    def cdf(x: float) -> float:
        return (x - 2_000) / 16_000 if x < 10_000 else 0.5 + (x - 10_000) / 180_000

    drawn = gaps(law)
    assert kolmogorov_smirnov(drawn, cdf) > 0.01
    assert sum(drawn) / GAPS == pytest.approx(float(1 / law.rate), rel=0.01)


def test_a_step_of_a_cdf_is_one_gap() -> None:
    law = Random(3, Quantiles((0.0, 0.5, 0.5, 1.0), (7.0, 7.0, 100.0, 100.0)))
    drawn = gaps(law, 10_000)
    assert set(drawn) == {7, 100}
    assert drawn.count(7) == pytest.approx(5_000, abs=200)
    assert law.rate == Fraction(2, 107)


def test_talk_is_at_the_peak_rate_and_silence_between() -> None:
    law = Random(4, OnOff(Fraction(1, 100), 5_000.0, 15_000.0))
    drawn = gaps(law, 200_000)
    assert law.rate == Fraction(1, 400)
    assert drawn.count(100) > 0.9 * len(drawn)
    silences = [gap - 100 for gap in drawn if gap > 100]
    assert sum(silences) / len(silences) == pytest.approx(15_000, rel=0.05)
    assert sum(drawn) / len(drawn) == pytest.approx(400, rel=0.05)


def test_whole_nanoseconds_lose_nothing() -> None:
    """The k-th frame is due at the sum of the exact gaps, rounded down."""
    law, exact = Exponential(1.5), 0.0
    for k, time in enumerate(islice(law.times_ns(9), 10_000)):
        assert time == pytest.approx(exact, abs=1.000001)
        exact += law.gap_ns(splitmix64(9, k))


def test_the_same_seed_gives_the_same_times() -> None:
    one, same, other = (Random(seed, Exponential(MEAN)) for seed in (1, 1, 2))
    assert [one.due(k) for k in (5, 0, 5000)] == [same.due(k) for k in (5, 0, 5000)]
    assert one.due(5000) != other.due(5000)
    assert one.count(floor(one.due(5000))) <= 5000 < one.count(floor(one.due(5000)) + 1)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Exponential(1000.0), "exponential gaps of 1,000 ns on average, seed 1"),
        (Quantiles((0.0, 1.0), (0.0, 50.0)), "random gaps of 0 to 50 ns, 25 ns on average, seed 1"),
        (OnOff(Fraction(1, 9), 5.0, 6.0), "1 frames in 9 ns for 5 ns, none for 6 ns, on average, seed 1"),
    ],
)
def test_they_say_what_they_are(law: Exponential | Quantiles | OnOff, text: str) -> None:
    assert str(Random(1, law)) == text
