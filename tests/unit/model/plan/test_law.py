# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from itertools import cycle, islice
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import (
    Departures,
    Law,
    Profile,
    Replay,
    Script,
    ScriptMessage,
    Steady,
    Stretch,
    even,
)

stages = st.builds(Stage, st.integers(1, 9), st.integers(0, 9))
rates = st.fractions(min_value=Fraction(1, 10**6), max_value=1)
steady = st.builds(Steady, rates, st.lists(stages, max_size=8).map(tuple))
stretches = st.lists(st.builds(Stretch, st.integers(1, 10**4), st.integers(0, 50)), min_size=1, max_size=9)
profiles = st.builds(
    Profile,
    stretches.map(lambda several: (*several, Stretch(7, 1))),
    st.booleans(),
)
messages = st.builds(ScriptMessage, st.integers(0, 999), st.integers(1, 9), st.integers(0, 99))
scripts = st.builds(
    Script,
    st.lists(messages, max_size=9).map(lambda several: (*several, ScriptMessage(5, 1, 0))),
    st.booleans(),
)


def test_the_worked_example_of_bursts() -> None:
    """semantics: burst scale 4 and peak 2.5 x the average -> pass 4, skip 6."""
    law = Steady(Fraction(1, 100), (Stage(4, 6),))
    assert [law.due(k) for k in range(6)] == [0, 100, 200, 300, 1000, 1100]
    assert law.rate == Fraction(4, 1000)
    assert [law.count(ns) for ns in (0, 1, 100, 101, 301, 1000, 1001)] == [0, 1, 1, 2, 4, 4, 5]


@given(steady, st.integers(1, 60))
def test_a_cascade_is_what_each_stage_leaves_of_the_one_before(law: Steady, frames: int) -> None:
    survivors = iter(range(10**9))
    for stage in law.stages:
        passes = cycle([True] * stage.passes + [False] * stage.skips)
        survivors = iter(tick for tick, passing in zip(survivors, passes, strict=False) if passing)
    assert [law.due(k) for k in range(frames)] == [tick / law.tick for tick in islice(survivors, frames)]


@pytest.mark.parametrize("endless", [True, False])
def test_messages_follow_each_other(endless: bool) -> None:
    law = Script((ScriptMessage(10, 3, 2), ScriptMessage(100, 1, 50, frame=1)), repeat=endless)
    assert [law.due(k) for k in range(4)] == [10, 12, 14, 114]
    assert law.rate == (Fraction(4, 114) if endless else Fraction(3, 104))  # once: from first to last
    if endless:
        assert [law.due(k) for k in (4, 7, 8)] == [124, 228, 238]
    else:
        with pytest.raises(IndexError, match="there is no frame 4; the last one is 3"):
            law.due(4)
        assert (law.total, law.count(10**9)) == (4, 4)


def test_a_profile_goes_through_its_stretches() -> None:
    law = Profile((Stretch(10, 2), Stretch(30, 0), Stretch(9, 2)))
    assert [law.due(k) for k in range(5)] == [0, 5, 40, Fraction(89, 2), 49]
    assert Profile(law.stretches, repeat=False).total == 4
    assert law.rate == Fraction(4, 49)


@given(st.one_of(steady, profiles, scripts), st.integers(0, 200))
def test_counts_and_due_times_agree(law: Law, number: int) -> None:
    """Frame k is the one that is counted just after it is due, with all that are due at the same time."""
    if law.total is not None:
        number %= law.total
    due = law.due(number)
    assert law.count(floor(due) + 1) >= number + 1
    assert law.count(floor(due)) <= number
    if number:
        assert law.due(number - 1) <= due


@given(st.one_of(steady, profiles, scripts), st.integers(0, 10**5), st.integers(0, 10**5))
def test_counts_never_fall(law: Law, one: int, other: int) -> None:
    assert law.count(min(one, other)) <= law.count(max(one, other))
    assert law.count(0) == law.count(-5) == 0


def test_an_offset_moves_all_of_it() -> None:
    later = Departures(Steady(Fraction(1, 10)), 1000)
    assert (later.due(0), later.due(3)) == (1000, 1030)
    assert [later.count(ns) for ns in (1000, 1001, 1011)] == [0, 1, 2]


def test_only_the_tester_knows_when_frames_of_a_file_are_due() -> None:
    captured = Departures(Replay("x.pcap"))
    assert (captured.rate, captured.endless) == (0, False)
    with pytest.raises(LookupError, match=r"x\.pcap"):
        captured.count(5)
    evenly = Departures(Replay("x.pcap", None, Fraction(1, 50), repetitions=0))
    assert (evenly.rate, evenly.endless, evenly.count(101), evenly.due(2)) == (Fraction(1, 50), True, 3, 100)


def test_they_say_what_they_are() -> None:
    assert str(Steady(Fraction(1, 400), (Stage(4, 6),))) == "1 frames in 400 ns, then pass 4 skip 6"
    assert str(Profile((Stretch(10, 2), Stretch(30, 0)), repeat=False)) == (
        "2 frames in 10 ns, then 0 frames in 30 ns, once"
    )
    assert str(Profile((Stretch(10, 2), Stretch(30, 0), Stretch(20, 1)))) == (
        "3 frames in 60 ns, in 3 stretches of constant rate"
    )
    assert str(Script((ScriptMessage(10, 3, 2),))) == "3 frames in 14 ns, in 1 messages"
    assert str(Replay("x.pcap", 0.5, repetitions=0)) == "x.pcap for ever, gaps as captured x 0.5"
    assert str(even(Fraction(3, 2000)).law) == "3 frames in 2,000 ns"
