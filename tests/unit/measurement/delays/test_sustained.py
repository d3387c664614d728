# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.sustained import DelayReading, Growth, growth

SECOND = 10**9


def read(delay: Callable[[float], float], *, rate: float, seconds: float, every: float) -> Growth | None:
    """Growth that is read of frames sent at a rate; `delay` in ns, by the second in which a frame leaves."""
    departures = [number / rate for number in range(int(rate * seconds))]
    arrivals = sorted((t * SECOND + delay(t), delay(t)) for t in departures)
    sums = list(accumulate((d for _, d in arrivals), initial=0.0))
    readings, arrived = [], 0
    for step in range(int(seconds / every) + 1):
        at = step * every * SECOND
        while arrived < len(arrivals) and arrivals[arrived][0] <= at:
            arrived += 1
        readings.append(DelayReading(round(at), arrived, round(sums[arrived])))
    return growth(readings, 0, round(departures[-1] * SECOND))


def test_a_queue_that_fills_by_219_ms_a_second() -> None:
    """Known answer: 3,000 pps into 2,460.6 pps."""
    found = read(lambda t: t * (3000 / 2460.6 - 1) * SECOND, rate=3000, seconds=5, every=0.5)
    assert found
    assert not found.sustained
    assert found.first_ns == pytest.approx(0, abs=2e6)
    assert found.last_ns == pytest.approx(5 * 219.2e6, rel=0.01)
    assert str(found).startswith("the delay grew from ")
    assert str(found).endswith(" to 1.095946872 s") or " to 1.09" in str(found)


@pytest.mark.parametrize(
    "delay",
    [
        lambda _: 10_000.0,
        lambda t: 10_000.0 + (5e6 if t > 1 else 0),  # one step
        lambda t: 10_000.0 + (5e6 if t > 3 else 0),
        lambda t: 10_000.0 + max(0.0, 5e6 - abs(t - 2.5) * 2e6),  # a queue that fills and empties
        lambda t: 10_000.0 + 1e-4 * t * SECOND,  # two clocks within their tolerance
        lambda t: 8e8 - 1e8 * t,  # a queue that empties
    ],
)
def test_what_does_not_grow_all_along_is_sustained(delay: Callable[[float], float]) -> None:
    found = read(delay, rate=1000, seconds=5, every=0.5)
    assert found
    assert found.sustained, found


def test_few_readings_tell_nothing() -> None:
    assert read(lambda t: t * SECOND / 10, rate=1000, seconds=2.5, every=0.5) is None
    assert growth([], 0, SECOND) is None


@given(
    excess=st.floats(0.001, 1),
    base=st.floats(0, 1e8),
    seconds=st.sampled_from([4, 10]),
    seed=st.integers(0, 99),
)
def test_a_filling_queue_is_always_recognised(excess: float, base: float, seconds: int, seed: int) -> None:
    """Up to noise of a fiftieth of what it grows by in the time."""
    draw = random.Random(seed)
    noise = excess * seconds * SECOND / 50
    found = read(
        lambda t: base + excess * t * SECOND + draw.uniform(0, noise), rate=500, seconds=seconds, every=0.25
    )
    if found:  # of a delay as long as the trial, little has arrived while it was read
        assert not found.sustained
        assert found.last_ns - found.first_ns == pytest.approx(excess * seconds * SECOND, rel=0.1)


def test_noise_is_rarely_taken_for_growth() -> None:
    """Means of intervals that have nothing to do with each other, some with a pause of 20 ms in them."""
    accused = 0
    for seed in range(2000):
        draw, readings = random.Random(seed), [DelayReading(0, 0, 0)]
        for number in range(1, 21):
            mean = abs(draw.gauss(20_000, 5_000)) + (draw.random() < 0.1) * draw.uniform(0, 20e6)
            last = readings[-1]
            sum_ns = last.sum_ns + round(mean) * 1000
            readings.append(DelayReading(number * SECOND // 10, last.count + 1000, sum_ns))
        found = growth(readings, 0, 2 * SECOND)
        assert found
        accused += not found.sustained
    assert accused <= 2000 * 0.01
