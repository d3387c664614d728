# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.departures import Poisson
from TesterLibrary.model.port_pattern import PortPattern, over_ports, routes
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate

PORTS = ("p1", "p2", "p3", "p4")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (PortPattern.PAIRS, "12 21 34 43"),
        (PortPattern.MESH, "12 13 14 23 24 21 34 31 32 41 42 43"),
        (PortPattern.BACKBONE, "12 13 14 21 31 41"),
        (PortPattern.ONE_TO_MANY, "12 13 14"),
        (PortPattern.MANY_TO_ONE, "21 31 41"),
        (PortPattern.HALVES, "13 14 24 23"),
    ],
)
def test_each_pattern_has_its_routes(pattern: PortPattern, expected: str) -> None:
    assert routes(pattern, PORTS) == [(f"p{tx}", f"p{rx}") for tx, rx in expected.split()]


@given(st.sampled_from(PortPattern), st.integers(1, 12), st.integers(1, 100))
def test_each_sender_is_offered_its_load_and_sends_to_one_after_the_other(
    pattern: PortPattern, half: int, percent: int
) -> None:
    ports = [f"p{number}" for number in range(2 * half)]
    rate = Rate.parse(f"{percent} %")
    streams = over_ports(Stream("all", tx="p0", rx="p1", rate=rate), pattern, ports)
    assert len({stream.name for stream in streams}) == len(streams)
    for sender in {stream.tx for stream in streams}:
        mine = [stream for stream in streams if stream.tx == sender]
        assert sum(stream.rate.value for stream in mine) == rate.value
        assert sorted(stream.phase for stream in mine) == [Fraction(n, len(mine)) for n in range(len(mine))]
        assert sender not in {stream.rx for stream in mine}


@given(st.integers(2, 12))
def test_at_each_turn_a_mesh_offers_each_port_one_frame(count: int) -> None:
    streams = over_ports(Stream("mesh", tx="p0", rx="p1"), PortPattern.MESH, [f"p{n}" for n in range(count)])
    turns = Counter((stream.phase, stream.rx) for stream in streams)
    assert set(turns.values()) == {1}
    assert len(turns) == count * (count - 1)


@pytest.mark.parametrize(
    ("pattern", "ports", "message"),
    [
        (PortPattern.MESH, ["p1"], "pattern mesh needs 2 ports or more; given were 1: p1"),
        (
            PortPattern.PAIRS,
            ["p1", "p2", "p3"],
            "pattern pairs needs an even number of ports, 2 or more; given were 3: p1, p2, p3",
        ),
        (PortPattern.MESH, ["p1", "p2", "p1"], "port 'p1' is given twice; give each port once"),
    ],
)
def test_ports_that_make_no_pattern_are_refused(pattern: PortPattern, ports: list[str], message: str) -> None:
    with pytest.raises(PlanError) as refused:
        routes(pattern, ports)
    assert str(refused.value) == message


def test_frames_at_random_have_no_turns() -> None:
    with pytest.raises(PlanError, match="is not evenly spaced, so its ports cannot take turns"):
        over_ports(Stream("mesh", tx="p1", rx="p2", shaping=Poisson()), PortPattern.MESH, PORTS)
