# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`start_after` on a switch: whole frames of a stream's rate, or refused with the times that would do."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import Departures, Steady
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.switch.meter import TofinoMeter
from TesterLibrary.planning.switch.staging import Staging, stage
from TesterLibrary.planning.switch.start_delay import start_delay

MS = 10**6


def late(offset_ns: int, pps: int, *pattern: Stage) -> tuple[PlannedStream, Staging]:
    law = Steady(Fraction(pps, 10**9))
    stream = PlannedStream(1, "late", "p1", "p2", (bytes(60),), False, Departures(law, offset_ns))
    return stream, stage(Fraction(pps), TofinoMeter(), pattern=pattern)


@pytest.mark.parametrize(
    ("offset_ns", "pps", "pattern", "frames"),
    [
        (0, 3, (Stage(4, 6), Stage(1, 1)), 0),
        (50 * MS, 5000, (), 250),
        (50 * MS, 4999, (), 250),
        (50 * MS, 462, (), 23),
        (40 * MS, 1000, (Stage(4, 6),), 40),
        (41 * MS, 1000, (Stage(4, 6),), 40),
        (10**9, 148_809_523, (), 148_809_523),
    ],
)
def test_it_is_whole_frames_and_bursts(
    offset_ns: int, pps: int, pattern: tuple[Stage, ...], frames: int
) -> None:
    assert start_delay(*late(offset_ns, pps, *pattern)) == frames


@pytest.mark.parametrize(
    ("offset_ns", "pps", "pattern", "why"),
    [
        (1 * MS, 400, (), "start_after=1 ms is 0.4 frames at its rate.*: give 2.5 ms, or leave"),
        (6 * MS, 400, (), "is 2.4 frames at its rate.*: give 5 ms or 7.5 ms, or leave"),
        (
            9 * MS,
            1000,
            (Stage(4, 6),),
            r"2.25 bursts of 4 frames at its rate.*: give 8 ms or 12 ms, or leave",
        ),
        (8 * MS, 1000, (Stage(4, 6), Stage(1, 1)), "with the unit that its pattern of 2 stages needs; take"),
        (10**11, 100_000_000, (), "is 9,999,999,991 frames at its rate; a switch waits for 2,147,483,648"),
    ],
)
def test_what_a_unit_cannot_wait_for_is_refused(
    offset_ns: int, pps: int, pattern: tuple[Stage, ...], why: str
) -> None:
    with pytest.raises(PlanError, match=why):
        start_delay(*late(offset_ns, pps, *pattern))


@pytest.mark.parametrize("offset_ns", [6 * MS, 9 * MS, 77 * MS + 1])
def test_the_times_that_it_says_would_do(offset_ns: int) -> None:
    stream, staging = late(offset_ns, 37)
    with pytest.raises(PlanError) as refused:
        start_delay(stream, staging)
    given = str(refused.value).partition(": give ")[2].partition(", or leave")[0]
    for text in given.split(" or "):
        departures = replace(stream.departures, offset_ns=Duration.parse(text).ns)
        assert start_delay(replace(stream, departures=departures), staging) > 0
