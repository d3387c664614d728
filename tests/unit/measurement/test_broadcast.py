# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement import remarks
from TesterLibrary.measurement.broadcast import Broadcast
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters
from tests.unit.methodology.measured import EVIDENCE

PORTS = ("p3", "p4")


@given(
    st.integers(1, 30).flatmap(
        lambda sent: st.lists(
            st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=sent, max_size=sent
        )
    )
)
def test_frames_that_miss_a_port_are_within_the_bounds(frames: list[tuple[bool, bool, bool]]) -> None:
    """Each frame arrives at p2, p3 and p4, or not."""
    elsewhere = sum(third + fourth for _, third, fourth in frames)
    seen = tuple(
        port for port, place in zip(PORTS, (1, 2), strict=True) if any(frame[place] for frame in frames)
    )
    counted = stream_counters(
        id=1,
        tx_packets=len(frames),
        rx_packets=sum(second for second, _, _ in frames),
        rx_misrouted=elsewhere,
        rx_misrouted_ports=seen,
        rx_misrouted_by_port=tuple(sum(frame[1 + PORTS.index(port)] for frame in frames) for port in seen),
        rx_misrouted_behind=(0,) * len(seen),
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=PORTS)
    lost = sum(not all(frame) for frame in frames)
    assert stream.order.loss_bounds
    least, most = stream.order.loss_bounds
    assert least <= lost <= most
    assert (least == 0) is (lost == 0)
    assert stream.order.misrouted == 0


def test_a_copy_that_arrives_damaged_is_missing_and_not_misrouted() -> None:
    counted = stream_counters(
        id=1,
        tx_packets=100,
        rx_packets=100,
        rx_misrouted=203,
        rx_misrouted_ports=("p3", "p4", "p5"),
        rx_misrouted_by_port=(100, 100, 3),
        rx_misrouted_behind=(0, 0, 0),
        rx_misrouted_damaged=(10, 0, 1),
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=("p3", "p4"))
    assert stream.broadcast.by_port == {"p3": 90, "p4": 100}
    assert stream.broadcast.damaged_by_port == {"p3": 10}
    assert (stream.broadcast.missing, stream.order.misrouted) == (10, 3)
    assert stream.order.loss_bounds == (Fraction(10), Fraction(10))


@pytest.mark.parametrize(
    ("arrived", "seen", "bounds"),
    [
        (200, PORTS, (0, 100)),  # one may have had each twice, the other none
        (199, PORTS, (1, 100)),
        (100, ("p3",), (50, 100)),  # all at one port, as far as its name is known
        (210, PORTS, (0, 100)),  # copies of copies may stand for others
        (200, ("p3", "p9"), (0, 100)),  # at a port where they are not expected
        (None, (), (0, 100)),  # nobody counts them
    ],
)
def test_what_is_counted_together_at_other_ports_bounds_the_loss(
    arrived: int | None, seen: tuple[str, ...], bounds: tuple[int, int]
) -> None:
    counted = stream_counters(
        id=1,
        tx_packets=100,
        rx_packets=100,
        rx_misrouted=arrived,
        rx_misrouted_ports=seen,
        rx_misrouted_by_port=None,
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=PORTS)
    assert stream.order.loss_bounds == bounds


@pytest.mark.parametrize(
    ("counts", "behind", "bounds", "misrouted", "duplicated"),
    [
        ({"p3": 100, "p4": 100}, (0, 0), (0, 0), 0, 0),
        ({"p3": 99, "p4": 100}, (0, 0), (1, 1), 0, 0),
        ({"p3": 99, "p4": 98}, (0, 0), (2, 3), 0, 0),
        ({"p3": 200}, (100,), (100, 100), 0, 100),  # each frame twice at one port, none at the other
        ({"p3": 110, "p4": 100}, (10, 0), (0, 0), 0, 10),
        ({"p3": 100, "p4": 100}, (50, 0), (0, 50), 0, 0),  # every other one twice, or half of them overtaken
        ({"p3": 90, "p4": 100}, (10, 5), (10, 25), 0, 0),
        ({"p3": 100, "p4": 100}, None, (0, 100), 0, 0),  # nobody counts copies there
        ({"p3": 100, "p4": 100}, (), (0, 100), 0, 0),  # nor does an older tester
        ({"p3": 100, "p4": 100, "p9": 7}, (0, 0, 0), (0, 0), 7, 0),  # at a port where they are not expected
        ({"p3": 105, "p4": 100, "p9": 7}, (5, 0, 0), (0, 0), 7, 5),
        ({}, (), (100, 100), 0, 0),
    ],
)
def test_what_is_counted_at_each_port_bounds_the_loss(
    counts: dict[str, int],
    behind: tuple[int, ...] | None,
    bounds: tuple[int, int],
    misrouted: int,
    duplicated: int,
) -> None:
    counted = stream_counters(
        id=1,
        tx_packets=100,
        rx_packets=100,
        rx_misrouted=sum(counts.values()),
        rx_misrouted_ports=tuple(counts),
        rx_misrouted_by_port=tuple(counts.values()),
        rx_misrouted_behind=behind,
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=PORTS)
    assert (stream.broadcast.misrouted, stream.broadcast.duplicated) == (misrouted, duplicated)
    assert stream.order.loss_bounds == bounds
    if misrouted or duplicated:
        assert stream.order.kept is False


def test_copies_at_another_port_are_named_where_they_leave_the_loss_open() -> None:
    """A device that sends every other frame twice to p3, and no other one, loses half of them there."""
    counted = stream_counters(
        id=1,
        tx_packets=100,
        rx_packets=100,
        rx_misrouted=100,
        rx_misrouted_ports=("p3",),
        rx_misrouted_by_port=(100,),
        rx_misrouted_behind=(50,),
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=("p3",))
    verdict = loss_below([Trial(Fraction(1, 2), 10**9, (stream,), EVIDENCE)], Ratio.parse(0))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "50 frames of all came behind a later one at p3" in str(verdict)
    assert stream.order.kept is None


def test_frames_that_miss_several_ports_may_be_the_same_ones() -> None:
    """37 of 47 frames miss one port, and 19 another: 37 to 47 are lost."""
    counted = stream_counters(
        id=1,
        tx_packets=47,
        rx_packets=10,
        rx_misrouted=28,
        rx_misrouted_ports=("p3",),
        rx_misrouted_by_port=(28,),
        rx_misrouted_behind=(0,),
    )
    stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=("p3",))
    trial = Trial(Fraction(1, 2), 10**9, (stream,), EVIDENCE)
    assert trial.loss_bounds == (Fraction(37, 47), 1)
    assert remarks.loss_text(trial) == (
        "loss is at least 78.7234 %: "
        "several ports miss frames, and nobody knows how many of these are the same"
    )


def test_a_stream_to_one_port_misses_no_copies() -> None:
    found = Broadcast((), 100, 7, ("p3",))
    assert (found.missing, found.misrouted, found.incomplete, found.most_incomplete) == (0, 7, 0, 0)
    assert Broadcast((), 100, None).most_incomplete == 0


def test_what_is_missing_and_what_is_too_much_is_said() -> None:
    for counts, text in (
        ((75, 75), "50 copies of frames of all missed p3, p4"),
        ((75, 100), "25 copies of frames of all missed p3"),
        ((0, 200), "100 copies of frames of all missed p3"),
        ((107, 100), "7 duplicates of all arrived at p3"),
        ((100, 100), ""),
    ):
        counted = stream_counters(
            id=1,
            tx_packets=100,
            rx_packets=100,
            rx_misrouted=sum(counts),
            rx_misrouted_ports=PORTS,
            rx_misrouted_by_port=counts,
        )
        stream = StreamResult("all", "p1", "p2", 64, Fraction(1), counted, copies=PORTS)
        assert (remarks.misrouted_frames(stream) or remarks.duplicated_elsewhere(stream)) == text


def test_one_other_port_without_a_name_may_be_another() -> None:
    assert Broadcast(("p3",), 100, 110).duplicated is None
    assert Broadcast(("p3",), 100, 110, ("p3",)).duplicated == 10
    assert Broadcast(("p3",), 100, 90).by_port == {"p3": 90}
