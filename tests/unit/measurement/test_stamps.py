# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import statistics
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.histogram import bounds_of, index_of
from TesterLibrary.measurement.snapshot import (
    LatencyCounters,
    StampCounters,
    StampDirectionCounters,
    StampFlowCounters,
)
from TesterLibrary.measurement.stamps import in_flight, packets_of, remarks


def delays(values: list[int]) -> dict[str, Any]:
    """The delays that an engine counts."""
    return {
        "delay": LatencyCounters(
            count=len(values),
            sum_ns=sum(values),
            min_ns=min(values, default=0),
            max_ns=max(values, default=0),
            buckets=Counter(map(index_of, values)),
        ),
        "delay_squares": sum(value * value for value in values),
    }


def forward(values: list[int] | None = None, **counts: Any) -> StampDirectionCounters:
    values = values or []
    return StampDirectionCounters(
        **{"heading": "forward", "sent": len(values), "received": len(values), **delays(values), **counts}
    )


@given(st.lists(st.integers(0, 60 * 10**9), min_size=1, max_size=50))
def test_moments_are_exact(values: list[int]) -> None:
    packets = packets_of(forward(values))
    assert packets.delay.mean == sum(values) / len(values)
    assert packets.std_ns == pytest.approx(statistics.pstdev(values), abs=1, rel=1e-9)


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=40),
    st.lists(st.integers(0, 10**9), max_size=10),
    st.sampled_from([1.0, 50.0, 90.0, 99.0]),
)
def test_bounds_of_a_percentile_hold_wherever_the_others_lie(
    known: list[int], others: list[int], percent: float
) -> None:
    """The percentile of all of them is between the bounds, but for the width of a bucket."""
    packets = packets_of(forward(known, sent=len(known), received=len(known) + len(others)))
    bounds = packets.delay_bounds(percent)
    assert bounds is not None
    every = sorted(known + others)
    wanted = percent / 100 * len(every)
    truth = next(value for rank, value in enumerate(every, 1) if rank >= wanted)
    low, high = bounds_of(index_of(truth))
    assert bounds[0] is not None
    assert bounds[0] <= high
    assert bounds[1] is None or bounds[1] >= low


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=40),
    st.lists(st.integers(10**9 + 1, 10**10), max_size=10),
    st.booleans(),
    st.sampled_from([1.0, 50.0, 90.0, 99.0]),
)
def test_bounds_of_a_percentile_hold_with_what_came_back_too_late(
    known: list[int], late: list[int], copies: bool, percent: float
) -> None:
    """It is slower than all others, unless it is a copy, of which some testers do not know."""
    packets = packets_of(forward(known, late=len(late), **({"duplicated": None} if copies else {})))
    bounds = packets.delay_bounds(percent)
    assert bounds is not None
    for every in (sorted(known + late), *([sorted(known)] if copies else [])):
        wanted = percent / 100 * len(every)
        truth = next(value for rank, value in enumerate(every, 1) if rank >= wanted)
        low, high = bounds_of(index_of(truth))
        assert truth > 10**9 if bounds[0] is None else bounds[0] <= high
        assert bounds[1] is None or bounds[1] >= low


@pytest.mark.parametrize(
    ("counts", "bounds"),
    [
        ({"sent": 100, "received": 99}, (Fraction(1, 100), Fraction(1, 100))),
        ({"sent": 90, "received": 90, "too_long": 10, "unstamped": 10}, (0, Fraction(10, 100))),
        ({"sent": 100, "received": 0, "unstamped": 120}, (0, 1)),
        ({"sent": 31, "received": 0, "unstamped": 30}, (0, 1)),
        ({"sent": 31, "received": 0, "unstamped": 0}, (1, 1)),
        ({"sent": 100, "received": 95, "unstamped": 2}, (Fraction(3, 100), Fraction(5, 100))),
        ({"sent": 0, "received": 0}, (0, 0)),
        ({"sent": 100, "received": 99, "behind": 2}, (Fraction(1, 100), Fraction(3, 100))),
        ({"sent": 100, "received": 102, "behind": 2}, (0, 0)),
        ({"sent": 100, "received": 99, "behind": 2, "duplicated": 0}, (Fraction(1, 100), Fraction(1, 100))),
    ],
)
def test_loss_is_known_as_far_as_packets_are(
    counts: dict[str, Any], bounds: tuple[Fraction, Fraction]
) -> None:
    assert packets_of(forward(**counts)).loss_bounds == bounds


def test_a_flow_is_named_as_it_was_sent() -> None:
    flow = StampFlowCounters("192.0.2.1", "192.0.2.2", 6, 1024, 80, sent=2, received=1)
    assert str(packets_of(flow)) == "192.0.2.1:1024 > 192.0.2.2:80: 2 sent, 1 lost"
    flow = StampFlowCounters("2001:db8::1", "2001:db8::2", 17, 9, 7)
    assert packets_of(flow).name == "[2001:db8::1]:9 > [2001:db8::2]:7"


def test_what_is_not_in_the_figures_is_said() -> None:
    counted = forward(too_long=3, occupied=1, untracked=2, ambiguous=4, unstamped=4, flows=8)
    assert list(remarks(counted)) == [
        "3 packets forward were not stamped: they would be longer than the MTU with a stamp",
        "1 packets forward were not stamped: they have an option of kind 0x0f already",
        "4 packets forward came from the device without a known stamp",
        "2 packets forward are of flows without room; give more flows than 8",
        "4 packets forward looked like another one that was under way",
    ]
    assert list(remarks(forward())) == []
    assert list(remarks(forward(behind=2))) == [
        "2 packets forward came back out of order or once more, which this tester does not tell apart: as "
        "many more may be lost"
    ]


def test_packets_are_under_way_until_their_time_is_over() -> None:
    counters = StampCounters("job", "load", True, (forward(sent=10, received=7, last_sent_ns=1000),))
    assert [in_flight(counters, now, 500) for now in (1000, 1500, 1501)] == [3, 3, 0]
