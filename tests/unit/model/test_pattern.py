# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, UnitError
from TesterLibrary.model.pattern import Pattern, Stage, pattern


@pytest.mark.parametrize(
    ("given", "stages"),
    [
        ({"packets": 4, "peak": "2.5x"}, [(4, 6)]),
        ({"packets": 1000, "peak": "2.5"}, [(1000, 1500)]),
        ({"passes": 100, "skips": 1}, [(100, 1)]),
        ({"stages": "4/6, 100/1"}, [(4, 6), (100, 1)]),
    ],
)
def test_three_ways_to_say_a_pattern(given: dict[str, Any], stages: list[tuple[int, int]]) -> None:
    assert pattern(**given) == Pattern(tuple(Stage(*stage) for stage in stages))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give one of packets=4, packets=4 peak=2.5x, passes=4 skips=6, and stages"),
        ({"peak": "2x"}, "'peak' needs 'packets' as well, such as packets=4"),
        ({"packets": 0}, "a burst of 0 packets: it has to have at least 1"),
        ({"packets": 4, "peak": "2x", "stages": "1/1"}, "give one of packets=4"),
        ({"passes": 0, "skips": 1}, "has to pass at least 1"),
        ({"packets": 4, "peak": "0.5x"}, "the average would exceed the peak"),
        ({"packets": 4, "peak": "fast"}, "'fast' is no multiple; give one such as 2.5x"),
        ({"stages": "4/6, 100"}, "stages: '100' is no stage; give passes/skips, such as 4/6"),
        ({"stages": ",".join(["1/1"] * 9)}, "a cascade of 9 stages: there are 1 to 8"),
    ],
)
def test_what_is_no_pattern(given: dict[str, Any], message: str) -> None:
    with pytest.raises((PlanError, UnitError), match=re.escape(message)):
        pattern(**given)
