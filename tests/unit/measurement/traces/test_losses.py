# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a capture shows to be lost, and the frames that are shown beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pytest

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.measurement.traces.losses import LostFrames, around, ends, lost_frames, near


def captured(sent: Collection[int], arrived: Collection[int], port: str = "p2") -> Iterator[CapturedFrame]:
    for number in sent:
        yield CapturedFrame(1000 * number, "p1", True, 7, number, 60, b"")
    for number in arrived:
        yield CapturedFrame(1000 * number + 10, port, False, 7, number, 60, b"")


def found(sent: Collection[int], arrived: Collection[int], lost: int, **end: bool) -> tuple[int, ...]:
    return losses(sent, arrived, lost, **end).sequences


def losses(sent: Collection[int], arrived: Collection[int], lost: int, **end: bool) -> LostFrames:
    return lost_frames(np.array(sent, np.int64), np.array(arrived, np.int64), lost, **end)


def test_frames_that_left_and_never_arrived_are_lost() -> None:
    assert found(range(10), [0, 1, 4, 5, 6, 8, 9], 3) == (2, 3, 7)
    assert losses(range(10), [0, 1, 4, 5, 6, 8, 9], 3).gaps == ((2, 3), (7, 7))


def test_the_last_ones_and_all_are_lost_if_the_trial_counts_as_many() -> None:
    assert found(range(10), range(8), 2) == (8, 9)
    assert found(range(3), [], 3) == (0, 1, 2)


def test_a_capture_that_ended_early_has_frames_on_their_way() -> None:
    frames = [0, 1, 3, 4, 5, 6, 7]  # 8 and 9 were on their way, or the trial would have lost 3
    assert found(range(10), frames, 1) == (2,)
    assert found(range(10), frames, 5) == (2,)
    assert found(range(10), frames, 3, to_the_end=False) == (2,)


def test_arrivals_alone_show_gaps_between_them() -> None:
    assert found([], [5, 6, 9, 10], 2) == (7, 8)
    assert found([], [5, 6, 9, 10], 4) == (
        7,
        8,
    )  # the others are before the first or behind the last


@pytest.mark.parametrize(
    ("sent", "arrived", "lost"),
    [
        ((), (5, 6, 9, 10), 1),  # a filter hides arrivals
        (range(10), (0, 9), 2),
        (range(10), (), 2),  # arrivals were not captured
        ((), (), 2),
    ],
)
def test_nobody_knows_which_are_lost(sent: Collection[int], arrived: Collection[int], lost: int) -> None:
    assert found(sent, arrived, lost) == ()


def test_five_frames_before_and_behind_a_loss_are_shown() -> None:
    frames = CapturedFrames.of(captured(range(1000), [n for n in range(1000) if not 100 <= n < 600]))
    gap = (100, 599)
    shown = around(near([frames], [gap]), gap)
    assert [f.sequence for f in shown if f.transmitted] == [*range(95, 105), *range(595, 605)]
    assert [f.sequence for f in shown if not f.transmitted] == [*range(95, 100), *range(600, 605)]
    assert ends((7, 7)) == [7]
    assert ends((0, 6)) == [0, 1, 2, 3, 4, 5, 6]
