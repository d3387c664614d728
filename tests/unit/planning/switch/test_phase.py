# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Phases on a switch: ticks in the gaps of a stream, and places for their loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import Departures, Steady
from TesterLibrary.model.plan.plan import Plan, PlannedStream
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.switch.allocation import LoopbackPorts
from TesterLibrary.planning.switch.phase import MOST_TICKS, first_tick, ticks
from TesterLibrary.planning.switch.staging import Staging
from TesterLibrary.planning.switch.streams import SwitchStream, place

LINE = Bandwidth(100 * 10**9).frames_per_second(Fraction(64))  # of a loop


def stream(number: int, phase: str = "0", *, pps: object = 1000, port: str = "p1") -> PlannedStream:
    law = Steady(Fraction(pps) / 10**9)  # type: ignore[arg-type]
    phase_ns = Fraction(phase) / law.rate
    departures = Departures(law, round(phase_ns), phase_ns)
    return PlannedStream(number, f"s{number}", port, "p2", (bytes(60),), False, departures)


def in_gaps(*streams: PlannedStream, line: Fraction = LINE) -> list[int]:
    return list(ticks(streams, dict.fromkeys((one.id for one in streams), line)).values())


def placed(streams: Sequence[PlannedStream], loops: int = 16) -> tuple[SwitchStream, ...]:
    ports = {name: Port(name, Bandwidth(100 * 10**9), bytes(6), 9216) for name in ("p1", "p2")}
    return place(Plan("job", 1, tuple(streams)), ports, {}, chip=LoopbackPorts(1, loops)).streams


def test_streams_of_a_port_and_a_rate_have_the_same_ticks() -> None:
    assert in_gaps(stream(1), stream(2, "1/3"), stream(3, "2/3")) == [3, 3, 3]
    assert in_gaps(stream(1), stream(2, "1/3"), stream(3, "1/2")) == [6, 6, 6]
    assert in_gaps(stream(1), stream(2, "1/3", port="p2"), stream(3, "1/2", pps=7)) == [1, 3, 2]
    assert in_gaps(stream(1), stream(2)) == [1, 1]
    assert in_gaps() == []


def test_no_more_ticks_than_a_loop_carries_or_than_there_may_be() -> None:
    assert in_gaps(stream(1), stream(2, "1/97")) == [MOST_TICKS, MOST_TICKS]
    assert in_gaps(stream(1, pps=LINE / 2), stream(2, "1/3", pps=LINE / 2)) == [2, 2]
    assert in_gaps(stream(1, "1/3", pps=LINE)) == [1]


@given(st.integers(1, MOST_TICKS), st.fractions(0, 1).filter(lambda phase: phase < 1))
def test_the_nearest_tick_is_taken(period: int, phase: Fraction) -> None:
    tick = first_tick(stream(1, str(phase)), period)
    assert 0 <= tick < period
    assert abs(Fraction(tick, period) - phase) <= Fraction(1, 2 * period) or tick == period - 1


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 20), st.integers(0, 400), st.data())
def test_a_staging_counts_from_its_phase_on(
    passes: int, skips: int, period: int, until: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, period - 1))
    plain = Staging(Fraction(1), Fraction(1), (Stage(passes, skips),))
    ticking = replace(plain, stages=(*plain.stages, Stage(1, period - 1)), first=first)
    corrected = plain.departures(until)
    assert ticking.departures(until) == sum(tick % period == first for tick in range(corrected))
    assert ticking.phase == Fraction(first, period)
    for staging in (plain, ticking):
        at_ns = staging.leaves_ns(until)
        tick = int(at_ns / 10**9)
        assert (staging.departures(tick), staging.departures(tick + 1)) == (until, until + 1)


def test_where_no_loop_has_room_for_the_ticks_phases_are_not_kept() -> None:
    third = LINE / 3
    streams = stream(1, pps=third), stream(2, "1/3", pps=third), stream(3, "2/3", pps=third)
    roomy = placed(streams, loops=4)
    assert [(one.staging.meter_rate, one.staging.first) for one in roomy] == [(LINE, 0), (LINE, 1), (LINE, 2)]
    tight = placed(streams, loops=2)
    assert [len(one.staging.stages) for one in tight] == [1, 1, 1]
    assert {one.staging.phase for one in tight} == {0}
    with pytest.raises(PlanError, match="loopback"):
        placed([stream(number, f"{number}/9", pps=LINE * Fraction(9, 10)) for number in (1, 2, 3)], loops=2)


def test_a_phase_is_no_delay() -> None:
    assert [one.begin.delay for one in placed([stream(1), stream(2, "1/2")])] == [0, 0]
