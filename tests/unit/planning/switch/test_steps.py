# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A step of the rate on a switch: a stream for each rate, the second one when the first one is over."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.plan.law import Departures, Profile, Stretch
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.planning.switch.meter import TofinoMeter
from TesterLibrary.planning.switch.parts import named, parts_of, share, whole
from TesterLibrary.planning.switch.staging import stage
from TesterLibrary.planning.switch.start_delay import begins

SECOND, MS = 10**9, 10**6
STEP = Profile((Stretch(60 * SECOND, 1_100_000), Stretch(30 * SECOND, 275_000)), repeat=False, shape="step")


def step(law: Profile = STEP, *, offset_ns: int = 0) -> PlannedStream:
    return PlannedStream(7, "north", "p1", "p2", (bytes(60),), True, Departures(law, offset_ns))


def test_each_rate_is_a_stream_with_its_frames() -> None:
    parts = list(parts_of(step(offset_ns=5 * MS)))
    assert [part.frames_per_second for part in parts] == [Fraction(55_000, 3), Fraction(27_500, 3)]
    assert [part.departures.total for part in parts] == [1_100_000, 275_000]
    assert [part.departures.offset_ns for part in parts] == [5 * MS, 60 * SECOND + 5 * MS]
    assert [named(part) for part in parts] == ["north, rate 1", "north, rate 2"]
    assert [whole(part.id) for part in parts] == [7, 7]
    assert (parts[0].id, len({part.id for part in parts})) == (7, 2)


def test_a_second_rate_of_0_is_no_stream() -> None:
    law = replace(STEP, stretches=(Stretch(MS, 8), Stretch(MS, 0)))
    assert [part.departures.total for part in parts_of(step(law))] == [8]


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 90))
def test_parts_of_so_many_frames_are_the_first_ones(first: int, second: int, packets: int) -> None:
    law = Profile((Stretch(MS, first), Stretch(MS, second)), repeat=False, shape="step")
    expected = [min(packets, first), min(max(0, packets - first), second)]
    assert [share(part, packets) for part in parts_of(step(law))] == expected


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 3 * MS), st.integers(0, MS))
def test_as_many_are_due_together(first: int, second: int, elapsed_ns: int, offset_ns: int) -> None:
    law = Profile((Stretch(MS, first), Stretch(MS, second)), repeat=False, shape="step")
    stream = step(law, offset_ns=offset_ns)
    assert sum(part.frames_due(elapsed_ns) for part in parts_of(stream)) == stream.frames_due(elapsed_ns)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"frames": (bytes(60), bytes(124)), "order": (0, 1)}, "a step with 2 different frames"),
        ({"signature": False}, "a step without a signature"),
        ({"flows": 12}, "a step whose flows are counted"),
        (
            {"departures": Departures(replace(STEP, shape="ramp"))},
            "its rate is a ramp, 1,100,000 frames in .* once; of rates that change a switch sends a step",
        ),
        ({"departures": Departures(replace(STEP, shape="square", repeat=True))}, "its rate is a square"),
        ({"departures": Departures(replace(STEP, shape=""))}, "its rate is a profile"),
        (
            {"departures": Departures(replace(STEP, stretches=(Stretch(1, 0), Stretch(9, 3))))},
            "not one whole frame is due before its step",
        ),
    ],
)
def test_what_is_no_step_is_refused_by_name(changes: dict[str, object], why: str) -> None:
    with pytest.raises(PlanError, match=f"stream 'north': {why}"):
        list(parts_of(replace(step(), **changes)))  # type: ignore[arg-type]


@given(st.integers(1, 200_000), st.integers(1, 100), st.integers(0, 100))
def test_the_second_rate_begins_with_its_first_frame_after_the_first_one(
    first: int, percent: int, frames: int
) -> None:
    law = Profile(
        (Stretch(SECOND, first), Stretch(SECOND, max(1, first * percent // 100))), repeat=False, shape="step"
    )
    parts = list(parts_of(step(law, offset_ns=frames * SECOND // first)))
    stagings = [stage(part.frames_per_second, TofinoMeter(), most=Fraction(1)) for part in parts]
    one, two = begins(parts, stagings)
    before, after = stagings
    last_ns = before.leaves_ns(one.delay + first - 1)
    over_ns = last_ns + 10**9 / before.rate
    earliest_ns = max(over_ns, last_ns + 10**9 / before.meter_rate)
    assert one.pause_ns is None
    assert two.pause_ns == after.leaves_ns(two.delay) - over_ns >= 0
    assert after.leaves_ns(two.delay) >= earliest_ns
    assert two.delay == 0 or after.leaves_ns(two.delay - 1) < earliest_ns


def test_a_step_too_late_for_a_unit_is_refused() -> None:
    law = replace(STEP, stretches=(Stretch(60 * SECOND, 60 * 80_000_000), Stretch(SECOND, 40_000_000)))
    parts = list(parts_of(step(law)))
    stagings = [stage(part.frames_per_second, TofinoMeter()) for part in parts]
    with pytest.raises(
        PlanError,
        match=r"stream 'north, rate 2': its rate changes 60 s after the start, which is "
        r"2,400,.* frames at its second rate; a switch waits for 2,147,483,648 at most: change it after 53\.",
    ):
        list(begins(parts, stagings))
