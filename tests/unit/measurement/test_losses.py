# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a capture shows to be lost, and the frames that are shown beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.losses import around, ends, lost_frames


def captured(sent: Collection[int], arrived: Collection[int], port: str = "p2") -> Iterator[CapturedFrame]:
    for number in sent:
        yield CapturedFrame(1000 * number, "p1", True, 7, number, 60, b"")
    for number in arrived:
        yield CapturedFrame(1000 * number + 10, port, False, 7, number, 60, b"")


def found(frames: Iterator[CapturedFrame], lost: int, *, to_the_end: bool = True) -> tuple[int, ...]:
    return lost_frames(frames, "p2", lost, to_the_end=to_the_end).sequences


def test_frames_that_left_and_never_arrived_are_lost() -> None:
    assert found(captured(range(10), [0, 1, 4, 5, 6, 8, 9]), 3) == (2, 3, 7)
    assert lost_frames(captured(range(10), [0, 1, 4, 5, 6, 8, 9]), "p2", 3).gaps == ((2, 3), (7, 7))


def test_the_last_ones_and_all_are_lost_if_the_trial_counts_as_many() -> None:
    assert found(captured(range(10), range(8)), 2) == (8, 9)
    assert found(captured(range(3), []), 3) == (0, 1, 2)


def test_a_capture_that_ended_early_has_frames_on_their_way() -> None:
    frames = [0, 1, 3, 4, 5, 6, 7]  # 8 and 9 were on their way, or the trial would have lost 3
    assert found(captured(range(10), frames), 1) == (2,)
    assert found(captured(range(10), frames), 5) == (2,)
    assert found(captured(range(10), frames), 3, to_the_end=False) == (2,)


def test_arrivals_alone_show_gaps_between_them() -> None:
    assert found(captured([], [5, 6, 9, 10]), 2) == (7, 8)
    assert found(captured([], [5, 6, 9, 10]), 4) == (
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
    assert found(captured(sent, arrived), lost) == ()


def test_what_arrives_elsewhere_is_lost() -> None:
    assert found(captured(range(3), range(3), port="p3"), 3) == (0, 1, 2)


def test_five_frames_before_and_behind_a_loss_are_shown() -> None:
    frames = list(captured(range(1000), [n for n in range(1000) if not 100 <= n < 600]))
    near = around(frames, (100, 599))
    assert [f.sequence for f in near if f.transmitted] == [*range(95, 105), *range(595, 605)]
    assert [f.sequence for f in near if not f.transmitted] == [*range(95, 100), *range(600, 605)]
    assert ends((7, 7)) == [7]
    assert ends((0, 6)) == [0, 1, 2, 3, 4, 5, 6]
