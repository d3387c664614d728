# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The last loss of streams whose every arrival is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.methodology.verdicts.last_loss import LastLoss
from tests.counted import order_counters, stream_counters

from ..measured import trial

SENT = 12


def found(arrivals: Sequence[int], *, tells_copies: bool = True) -> LastLoss | None:
    """The last loss by the counters of a tester that saw these numbers arrive."""
    seen, following, last, behind, copies = set[int](), 0, 0, 0, 0
    for number in arrivals:
        copies += number in seen
        behind += number < following
        if following and number > following:
            last = number
        following = max(following, number + 1)
        seen.add(number)
    counters = stream_counters(
        id=1,
        intended_packets=SENT,
        tx_packets=SENT,
        rx_packets=len(arrivals),
        rx_out_of_order=behind - copies if tells_copies else None,
        order=order_counters(following, duplicated=copies if tells_copies else None, behind=behind),
        outages=OutageCounters(last_sequence=last),
    )
    return LastLoss.of(trial(counters).streams[0])


@given(st.lists(st.integers(0, SENT - 1), max_size=2 * SENT), st.booleans())
def test_the_last_loss_lies_within_the_bounds(arrivals: list[int], tells_copies: bool) -> None:
    last = found(arrivals, tells_copies=tells_copies)
    assert last
    assert last.least <= max(set(range(1, SENT + 1)) - {n + 1 for n in arrivals}, default=0) <= last.most


@given(st.sets(st.integers(0, SENT - 1)))
def test_it_is_exact_where_frames_came_in_their_order(lost: set[int]) -> None:
    exact = max(lost, default=-1) + 1
    assert found([number for number in range(SENT) if number not in lost]) == LastLoss(exact, exact)


def test_a_number_that_was_skipped_may_have_arrived_later() -> None:
    assert found([0, 3, 4, 5, 6, 8, 7, 9, 10, 11]) == LastLoss(2, 8)
    assert found([3, 2, 4, 5, 6, 7, 8, 9, 10, 11]) == LastLoss(2, 3)  # before the first arrival
    assert found([0, 3, 4, 5, 6, 8, 7, 9, 10]) == LastLoss(SENT, SENT)  # nothing came after it


@pytest.mark.parametrize(
    ("elsewhere", "last"), [(SENT, LastLoss(6, 6)), (SENT - 1, None), (None, None)], ids=str
)
def test_frames_of_a_broadcast_that_are_missing_at_other_ports_have_no_number(
    elsewhere: int | None, last: LastLoss | None
) -> None:
    counters = stream_counters(
        id=1,
        intended_packets=SENT,
        tx_packets=SENT,
        rx_packets=SENT - 1,
        rx_misrouted=elsewhere,
        order=order_counters(SENT),
        outages=OutageCounters(last_sequence=6),
    )
    stream = replace(trial(counters).streams[0], copies=("p3",))
    assert LastLoss.of(stream) == last
    at_the_end = replace(counters, order=order_counters(SENT - 1))
    assert LastLoss.of(replace(stream, counters=at_the_end)) == LastLoss(SENT, SENT)
