# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.order import Order

counts = st.integers(0, 10**6)
orders = st.builds(Order, *[counts] * 8)


def test_what_arrived_twice_does_not_hide_what_was_lost() -> None:
    order = Order(sent=100, received=105, duplicated=10, reordered=21, extent=4)
    assert (order.lost, order.ratio, order.kept) == (5, Fraction(21, 95), False)
    assert str(order) == "5 lost, 10 duplicated, 21 reordered of 100 frames, the worst overtaken by 4"


def test_order_is_kept_when_each_frame_arrives_once_in_its_place() -> None:
    good = Order(sent=10, received=10)
    assert good.kept
    assert str(good) == "all in order of 10 frames"
    for name in ("duplicated", "reordered", "late", "corrupted", "misrouted"):
        assert not replace(good, **{name: 1}).kept
    assert not replace(good, received=9).kept
    assert Order().ratio == 0


@given(st.lists(orders, max_size=5))
def test_streams_add_up_and_the_worst_extent_stays(parts: list[Order]) -> None:
    merged = Order.merged(parts)
    assert merged.sent == sum(part.sent for part in parts)
    assert merged.reordered == sum(part.reordered for part in parts)
    assert merged.extent == max((part.extent for part in parts), default=0)
