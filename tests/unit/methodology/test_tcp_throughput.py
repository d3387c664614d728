# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.tcp_throughput import (
    TcpThroughputResult,
    TransferPlan,
    ideal_bps,
    measure_tcp_throughput,
)
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.verdict import Outcome

from .transfers import SEGMENTS, SimulatedLine

TWENTY = Bandwidth(20_000_000)
LINE = SimulatedLine(TWENTY.bps, 20_000)
PLAN = TransferPlan(TWENTY, duration=Duration(10**9))


def measured(line: SimulatedLine = LINE, **changes: object) -> TcpThroughputResult:
    return measure_tcp_throughput(line, replace(PLAN, **changes))  # type: ignore[arg-type]


def test_a_full_segment_carries_its_part_of_the_frame() -> None:
    assert ideal_bps(TWENTY, SEGMENTS) == Fraction(20_000_000 * 1448, 1518)


def test_a_window_above_the_product_fills_the_line_and_its_queue() -> None:
    result = measured(windows=(Fraction(2),))
    (transfer,) = result.measured
    assert transfer.time_ratio == pytest.approx(1 + 0.02, abs=0.01)  # the last round trip is not sending
    assert transfer.efficiency == 1
    # What is beyond the product waits: as long as it takes.
    assert result.buffer_delay == pytest.approx(1, abs=0.06)
    assert result.time_ratio_below(Fraction(11, 10)).outcome is Outcome.PASS
    assert result.buffer_delay_below(Fraction(1, 2)).outcome is Outcome.FAIL


def test_a_window_below_the_product_limits_the_transfer() -> None:
    result = measured(windows=(Fraction(1, 4), Fraction(1, 2)))
    assert [t.time_ratio for t in result.measured] == pytest.approx([4.2, 2.1], rel=0.05)
    assert result.widest is result.measured[1]
    assert result.buffer_delay_below(Fraction(1, 10)).outcome is Outcome.PASS


@given(
    bps=st.integers(10**6, 10**9),
    trip_us=st.integers(1000, 100_000),
    part=st.fractions(Fraction(1, 4), 4),
    connections=st.integers(1, 4),
)
def test_the_figures_are_those_of_the_line(bps: int, trip_us: int, part: Fraction, connections: int) -> None:
    line = SimulatedLine(bps, trip_us)
    octets = connections * 200 * SEGMENTS.payload
    result = measure_tcp_throughput(
        line, TransferPlan(Bandwidth(bps), (part,), connections=connections, octets=octets)
    )
    (transfer,) = result.measured
    frame_ns = Fraction(1518 * 8 * 10**9, bps)
    segments = max(1, line.windows[0] // connections // SEGMENTS.payload) * connections
    # Windows go at the rate of the line, or one each round trip; what begins and ends is a round trip more.
    round_ns = max(segments * frame_ns, trip_us * 1000 + frame_ns)
    steady = 200 * connections * round_ns / segments
    assert transfer.octets == octets
    assert result.baseline_ns == trip_us * 1000
    least, most = transfer.time_bounds
    assert least <= steady + trip_us * 1000 + 2 * round_ns
    assert most >= steady - 2 * round_ns
    assert transfer.efficiency_bounds == (1, 1)
    assert transfer.ideal_ns <= most


@given(lose_every=st.integers(2, 50))
def test_the_efficiency_is_the_part_that_was_sent_once(lose_every: int) -> None:
    result = measured(SimulatedLine(TWENTY.bps, 5_000, lose_every=lose_every), octets=100 * SEGMENTS.payload)
    expected = Fraction(100, 100 + 100 // lose_every)
    assert result.widest.efficiency_bounds == (expected, expected)
    assert result.efficiency_above(Ratio(expected)).outcome is Outcome.PASS
    above = Ratio(min(Fraction(1), expected + Fraction(1, 10**6)))
    assert result.efficiency_above(above).outcome is (Outcome.FAIL if expected < 1 else Outcome.PASS)


def test_a_transfer_that_breaks_fails_each_bound() -> None:
    result = measured(SimulatedLine(TWENTY.bps, 20_000, broken=1), connections=2)
    verdict = result.time_ratio_below(Fraction(1000))
    assert verdict.outcome is Outcome.FAIL
    assert result.throughput_above(TWENTY).outcome is Outcome.FAIL
    assert "1 of 2 were over" in verdict.measured
    assert "1 failed" in verdict.measured


def test_a_tester_that_fell_short_says_nothing() -> None:
    result = measured(SimulatedLine(TWENTY.bps, 20_000, objections=("a worker did not run for 90 ms",)))
    for verdict in (
        result.time_ratio_below(Fraction(1)),
        result.throughput_above(TWENTY),
        result.efficiency_above(Ratio(Fraction(1))),
        result.buffer_delay_below(Fraction(0)),
    ):
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "90 ms" in verdict.reason


def test_short_transfers_say_so() -> None:
    assert measured().shortened == ("transfers of 1 s: RFC 6349 asks for at least 30 s",)
    assert not measured(duration=Duration(31 * 10**9)).shortened


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": ()}, "give at least one window"),
        (
            {"windows": (Fraction(0),)},
            "a window must be above 0; windows is 0",
        ),
        ({"connections": 0}, "connections must be at least 1"),
        ({"connections": 10, "octets": 9}, "each connection needs a byte to send"),
        ({"duration": Duration(0)}, "durations must be above 0"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        measured(**changes)


def test_a_path_that_opens_no_connection_has_no_product() -> None:
    class Dead(SimulatedLine):
        def handshakes(self, duration: Duration):  # type: ignore[no-untyped-def]
            return self._handshakes(duration.ns, [])

    with pytest.raises(PlanError, match="users: no connection was opened in 1 s, so that the round trip"):
        measured(Dead(TWENTY.bps, 20_000))
