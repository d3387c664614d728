# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.methodology.prerequisite import check_prerequisite, load_of
from TesterLibrary.methodology.throughput import LimitedBy
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Ratio

from .bursts import throughput

NORTH = Stream("north", tx="p1", rx="p2", frame_size=FrameSize(64))


def test_a_throughput_of_the_same_streams_is_taken() -> None:
    check_prerequisite(throughput(), [NORTH])


@pytest.mark.parametrize(
    ("streams", "given"),
    [
        ([replace(NORTH, name="south")], "south (p1 to p2, 64 bytes)"),
        ([replace(NORTH, tx="p2", rx="p1")], "north (p2 to p1, 64 bytes)"),
        ([replace(NORTH, frame_size=FrameSize(1518))], "north (p1 to p2, 1518 bytes)"),
        ([NORTH, replace(NORTH, name="more")], "more (p1 to p2, 64 bytes), north (p1 to p2, 64 bytes)"),
    ],
)
def test_a_throughput_of_other_streams_is_refused(streams: list[Stream], given: str) -> None:
    with pytest.raises(PlanError) as caught:
        check_prerequisite(throughput(), streams)
    assert str(caught.value).startswith(
        f"the throughput is that of north (p1 to p2, 64 bytes), and the streams are {given}; give a result of"
    )


def test_a_throughput_with_loss_is_refused() -> None:
    lossy = throughput(limit=LimitedBy.LINE, loss=Ratio.parse("1 %"))
    with pytest.raises(PlanError, match=r"was searched with a loss of 1 %; search it with loss=0"):
        check_prerequisite(lossy, [NORTH])


def test_where_there_is_no_throughput_nothing_can_be_measured_at_a_part_of_it() -> None:
    assert load_of(throughput(), "a reset") == Fraction(1, 2)
    with pytest.raises(
        Inconclusive, match="a reset is measured at a part of the throughput, and there is none"
    ):
        load_of(throughput(None), "a reset")
