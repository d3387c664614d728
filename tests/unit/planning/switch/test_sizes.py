# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A stream of several frame sizes on a switch: a stream for each, which together are what was asked for."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import Departures, Steady
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.planning.switch.parts import named, parts_of, share, whole
from TesterLibrary.planning.switch.phase import phase

IMIX = (0, 1, 0, 1, 0, 0, 2, 0, 1, 0, 1, 0)
FRAMES = bytes(60), bytes(566), bytes(1514)
ORDERS = st.lists(st.integers(0, 2), min_size=1, max_size=20).map(tuple)


def mix(*, order: tuple[int, ...] = IMIX, pps: int = 1200, offset_ns: int = 0) -> PlannedStream:
    departures = Departures(Steady(Fraction(pps, 10**9)), offset_ns)
    return PlannedStream(7, "north", "p1", "p2", FRAMES, True, departures, order=order)


def test_each_size_is_a_stream_with_its_part_of_the_rate() -> None:
    parts = list(parts_of(mix()))
    assert [part.frames for part in parts] == [(frame,) for frame in FRAMES]
    assert [part.frames_per_second for part in parts] == [700, 400, 100]
    assert [phase(part) for part in parts] == [0, Fraction(1, 3), Fraction(1, 2)]
    assert [named(part) for part in parts] == ["north, 64 bytes", "north, 570 bytes", "north, 1518 bytes"]
    assert [whole(part.id) for part in parts] == [7, 7, 7]
    assert len({part.id for part in parts}) == 3
    assert parts[0].id == 7


def test_without_an_order_sizes_take_turns() -> None:
    assert [part.frames_per_second for part in parts_of(mix(order=()))] == [400, 400, 400]


def test_a_size_that_never_comes_is_no_stream() -> None:
    assert [part.frames for part in parts_of(mix(order=(2, 2, 0)))] == [(FRAMES[0],), (FRAMES[2],)]


def test_a_stream_of_one_size_stays_as_it_is() -> None:
    one = replace(mix(order=()), frames=FRAMES[:1])
    assert list(parts_of(one)) == [one]
    assert (named(one), share(one, 9)) == ("north", 9)


@given(ORDERS, st.integers(0, 1000))
def test_parts_of_so_many_frames_are_those_frames(order: tuple[int, ...], packets: int) -> None:
    stream = mix(order=order)
    parts = {part.frame: share(part, packets) for part in parts_of(stream)}
    sent = [FRAMES[order[number % len(order)]] for number in range(packets)]
    assert parts == {frame: sent.count(frame) for frame in parts}


@given(ORDERS, st.integers(0, 10**9), st.integers(1, 10**7), st.integers(0, 10**6))
def test_as_many_are_due_together(order: tuple[int, ...], elapsed_ns: int, pps: int, offset_ns: int) -> None:
    stream = mix(order=order, pps=pps, offset_ns=offset_ns)
    assert sum(part.frames_due(elapsed_ns) for part in parts_of(stream)) == stream.frames_due(elapsed_ns)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"departures": Departures(Steady(Fraction(1, 9), (Stage(4, 6),)))}, "that are not evenly spaced"),
        ({"signature": False}, "without a signature"),
        ({"flows": 12}, "whose flows are counted"),
    ],
)
def test_what_sizes_cannot_be_together(changes: dict[str, object], why: str) -> None:
    with pytest.raises(PlanError, match=f"stream 'north': 3 different frames {why}.*a stream for each size"):
        list(parts_of(replace(mix(), **changes)))  # type: ignore[arg-type]
