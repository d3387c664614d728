# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.running.stream_ids import LARGEST, StreamIds


def test_ids_are_given_out_in_turn_and_not_soon_again() -> None:
    ids = StreamIds()
    assert [ids.take(3, []) for _ in range(3)] == [1, 4, 7]


def test_ids_that_come_round_step_over_what_is_loaded() -> None:
    ids = StreamIds()
    assert ids.take(1, []) == 1
    for _ in range(64):
        first = ids.take(1000, [range(1, 2)])
    assert first == 63_002
    assert [ids.take(1000, [range(1, 2)]) for _ in range(3)] == [64_002, 2, 1002]
    assert ids.take(LARGEST - 1, [range(1, 2)]) == 2


@given(st.data())
def test_a_range_never_has_an_id_that_is_taken(data: st.DataObject) -> None:
    ids, loaded = StreamIds(), list[range]()
    for count in data.draw(st.lists(st.integers(1, LARGEST // 3), max_size=20)):
        try:
            first = ids.take(count, loaded)
        except PlanError:
            del loaded[data.draw(st.integers(0, len(loaded) - 1))]
            continue
        found = range(first, first + count)
        assert first >= 1
        assert found[-1] <= LARGEST
        assert all(found[-1] < other.start or found[0] >= other.stop for other in loaded)
        loaded.append(found)


def test_too_many_streams_are_refused_with_what_is_taken() -> None:
    with pytest.raises(PlanError, match=r"65,535 streams need .* and 2 ids are taken by what is loaded"):
        StreamIds().take(LARGEST, [range(1, 3)])
