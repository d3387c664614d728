# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.testbeds.long_line import Direction

FRAME = bytes(1514)


def direction(**changes: int) -> Direction:
    return Direction(**{"bps": 20_000_000, "delay_ns": 10_000_000, "queue": 100_000, "mtu": 1500, **changes})


def test_a_frame_alone_takes_its_time_and_the_delay() -> None:
    line = direction()
    line.take(FRAME, 0)
    assert line.leaving(10_607_199) == []
    assert line.leaving(10_607_200) == [FRAME]  # 1,518 bytes at 20 Mbps are 607.2 us


def test_a_short_frame_is_padded() -> None:
    line = direction()
    line.take(bytes(42), 0)
    assert line.due[0][0] == 10_025_600


@given(gaps=st.lists(st.integers(0, 2_000_000), min_size=1, max_size=100), queue=st.integers(3000, 20_000))
def test_the_rate_is_never_exceeded_and_no_more_waits_than_the_queue_holds(
    gaps: list[int], queue: int
) -> None:
    line, now = direction(queue=queue), 0
    for gap in gaps:
        now += gap
        before = len(line.due)
        waits = max(0, line.free_ns - now) * line.bps // (8 * 10**9)
        line.take(FRAME, now)
        assert (len(line.due) > before) == (waits + 1518 <= queue)
    left = [due for due, _ in line.due]
    assert all(later - sooner >= 607_200 for sooner, later in pairwise(left))
    assert len(line.leaving(left[-1])) == len(left)


def test_what_is_longer_than_the_mtu_is_lost() -> None:
    line = direction(mtu=1400)
    line.take(bytes(1415), 0)
    assert not line.due
    line.take(bytes(1414), 0)
    assert line.due
