# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.planning.switch.phase import ticks

from .bench import BRIDGED, compiled, stream

MS = 10**6
LIMITED = BRIDGED | {"p1": replace(BRIDGED["p1"], speed=Bandwidth.parse("10 Mbps"))}


def several(count: int, rate: str = "10 pps", **changes: object) -> list[Stream]:
    return [stream(name=f"s{number}", rate=rate, **changes) for number in range(count)]


def begins(*streams: Stream) -> list[int]:
    """The time at which each first frame is due, in nanoseconds."""
    plan = compiled(*streams, max_streams=300)
    return [round(planned.departures.due(0)) for planned in plan.streams]


def test_streams_of_one_port_and_rate_start_spread_over_their_gap() -> None:
    """The line of 10 Mbps carries 8.4 frames in a millisecond, and 2 become due."""
    plan = compiled(*several(200, frame_size="128"), ports=LIMITED, max_streams=300)
    due = sorted(planned.departures.due(k) for planned in plan.streams for k in range(3))
    assert {later - earlier for earlier, later in pairwise(due)} == {MS // 2}
    assert plan.remarks == (
        "200 streams of port p1 at one rate, s0 to s199, start 500 us after each other; "
        "together=True starts them at once",
    )


def test_each_rate_and_each_port_is_spread_by_itself() -> None:
    slow, fast = several(2), [replace(s, name=f"fast {s.name}") for s in several(4, "100 pps")]
    back = [replace(s, name=f"back {s.name}", tx="p2", rx="p1") for s in several(1)]
    assert begins(*slow, *fast, *back) == [0, 50 * MS, 0, 2.5 * MS, 5 * MS, 7.5 * MS, 0]


def test_streams_start_as_their_author_says() -> None:
    assert begins(*several(3, together=True)) == [0, 0, 0]
    assert begins(*several(2), *(replace(s, name=f"later {s.name}") for s in several(1))) == [
        0,
        round(100 * MS / 3),
        round(200 * MS / 3),
    ]
    later = replace(stream(name="later", rate="10 pps"), start_after=Duration(MS))
    assert begins(*several(1), later) == [0, MS]
    shaped = replace(stream(name="shaped", rate="10 pps"), shaping=Pattern((Stage(1, 1),)))
    assert begins(*several(1), shaped) == [0, 0]
    mix = [replace(s, phase=Fraction(n, 3)) for n, s in enumerate(several(3))]
    assert begins(*mix, stream(name="other", rate="10 pps")) == [
        0,
        round(100 * MS / 3),
        round(200 * MS / 3),
        0,
    ]
    assert not compiled(stream(rate="10 pps")).remarks


@pytest.mark.parametrize(("line", "in_gap"), [(10**6, 20), (1000, 5), (100, 1)])
def test_a_switch_has_no_more_ticks_for_them_than_a_loopback_port_carries(line: int, in_gap: int) -> None:
    planned = compiled(*several(20), max_streams=20).streams
    lines = {each.id: Fraction(line) for each in planned}
    assert set(ticks(planned, lines).values()) == {in_gap}
    assert ticks(planned[:1], lines) == {1: in_gap}, "the others have another rate by now"
