# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.diagnosis import (
    FRAME_SIZE,
    Diagnosis,
    DiagnosisResult,
    FailingTraffic,
    diagnose_loss,
)
from TesterLibrary.model.units.units import Duration

from .planted import BOTH_WAYS, MIXED, Frame, PlantedDevice, kind, stream


def size(frame: Frame) -> int:
    return frame.kind.value(FRAME_SIZE)


def dport(frame: Frame) -> int:
    return frame.kind.value("UDP.dport")


def diagnosed(
    loses: Callable[[Frame], bool], traffic: FailingTraffic = MIXED, **changes: object
) -> DiagnosisResult:
    return diagnose_loss(PlantedDevice(loses, traffic, **changes))  # type: ignore[arg-type]


def above(frames_per_second: int) -> Callable[[Frame], bool]:
    """A policer without a bucket."""
    gap_ns = 10**9 / frames_per_second
    due_ns = 0.0

    def loses(frame: Frame) -> bool:
        nonlocal due_ns
        if frame.at_ns < due_ns - gap_ns:
            return True
        due_ns = max(due_ns, frame.at_ns) + gap_ns
        return False

    return loses


LONG = FailingTraffic((stream(kind(1518)),))
CASES = [
    pytest.param(lambda f: 1024 <= size(f) <= 1279, MIXED, "each frame of 1,024 to 1,279 bytes", id="range"),
    pytest.param(
        lambda f: size(f) > 1514,
        LONG,
        "each frame of 1,515 bytes or more (longest sent: 1,518)",
        id="MTU off by four",
    ),
    pytest.param(lambda f: size(f) == 1518, MIXED, "each frame of 1,518 bytes", id="one size"),
    pytest.param(lambda f: dport(f) == 1003, MIXED, "each frame with UDP.dport 1003", id="one value"),
    pytest.param(
        lambda f: dport(f) & 12 == 8, MIXED, "each frame with UDP.dport & 0x000c = 0x0008", id="bits"
    ),
    pytest.param(lambda f: dport(f) % 3 == 1, MIXED, "each frame with UDP.dport 1 modulo 3", id="remainder"),
    pytest.param(
        lambda f: size(f) > 1000 and dport(f) == 1003,
        MIXED,
        "each frame of 1,001 bytes or more (longest sent: 1,518) with UDP.dport 1003",
        id="two properties together",
    ),
    pytest.param(
        lambda f: f.kind.stream == "south", BOTH_WAYS, "each frame from p2 to p1", id="one direction"
    ),
    pytest.param(lambda f: f.number % 7 == 6, MIXED, "each 7th frame", id="each seventh"),
    pytest.param(lambda f: f.number % 101 == 3, MIXED, "each 101st frame", id="each 101st"),
    pytest.param(lambda f: f.after_pause < 25, MIXED, "the first 25 frames after a pause", id="first frames"),
]


@pytest.mark.parametrize(("loses", "traffic", "cause"), CASES)
def test_one_condition_is_named(loses: Callable[[Frame], bool], traffic: FailingTraffic, cause: str) -> None:
    result = diagnosed(loses, traffic)
    assert [each.sentence for each in result.causes] == [f"Loses {cause}"], result
    assert result.explained
    assert all(each.confirmed >= 3 for each in result.causes)
    assert len(result.experiments) <= 32, "twice the logarithm of 65,536 values"


def test_the_sentence_says_what_others_do() -> None:
    sentence = diagnosed(lambda f: 1024 <= size(f) <= 1279).sentence
    assert sentence.startswith("Loses each frame of 1,024 to 1,279 bytes; 0 of ")
    assert sentence.endswith(" of all others; confirmed 3 times")


def test_two_conditions_are_named_both() -> None:
    result = diagnosed(lambda f: size(f) > 1514 or dport(f) == 1003)
    assert {cause.sentence for cause in result.causes} == {
        "Loses each frame of 1,515 bytes or more (longest sent: 1,518)",
        "Loses each frame with UDP.dport 1003",
    }


def test_a_rate_is_told_within_one_percent() -> None:
    (cause,) = diagnosed(above(6000)).causes
    assert cause.sentence == "Loses frames above a rate between 5,957 and 6,016 frames/s"


def test_a_rate_far_below_that_of_the_traffic() -> None:
    (cause,) = diagnosed(above(700)).causes
    assert cause.sentence.startswith("Loses frames above a rate between 69")


def test_the_positions_of_lost_frames_are_not_needed_for_each_nth() -> None:
    result = diagnosed(lambda f: f.number % 7 == 6, positions=False)
    assert [cause.sentence for cause in result.causes] == ["Loses each 7th frame"]


def test_random_loss_is_not_explained() -> None:
    draw = random.Random(7)
    for part in (0.002, 0.05, 0.5, 0.9):
        result = diagnosed(lambda _, part=part: draw.random() < part)
        assert not result.explained, result


def test_each_nth_frame_of_some_sizes_is_not_said_of_all() -> None:
    result = diagnosed(lambda f: size(f) == 64 and f.number % 2 == 0)
    assert not result.explained, result


def test_a_failure_that_does_not_come_back() -> None:
    result = diagnosed(lambda _: False)
    assert result.sentence == ("not explained: the failure did not come back: none of 30,000 frames was lost")


def test_a_dead_device_is_not_explained() -> None:
    result = diagnosed(lambda _: True)
    assert not result.explained
    assert "no single change lets frames pass" in result.reason


def test_a_device_that_dies_meanwhile_is_not_explained() -> None:
    result = diagnosed(lambda f: f.number > 12_000 or 1024 <= size(f) <= 1279)
    assert not result.explained, result


def test_a_tester_that_falls_short_explains_nothing() -> None:
    result = diagnosed(lambda f: size(f) > 1514, short=lambda number: "half left" if number > 3 else "")
    assert result.sentence == "not explained: the tester fell short: half left"
    assert result.experiments[-1].objection == "half left"


def test_an_experiment_in_which_the_tester_fell_short_does_not_count() -> None:
    """A third of the attempts are invalid; each is repeated."""
    result = diagnosed(lambda f: size(f) > 1514, short=lambda n: "half left" if n % 3 == 0 else "")
    assert [cause.sentence for cause in result.causes] == [
        "Loses each frame of 1,515 bytes or more (longest sent: 1,518)"
    ]


def test_a_budget_that_is_too_short() -> None:
    device = PlantedDevice(lambda f: size(f) > 1514)
    result = diagnose_loss(device, Diagnosis(Duration(3 * 10**9)))
    assert result.sentence == "not explained: the budget of 3 s is used up; give a longer one"
    assert result.experiments, "what was learnt is kept"


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(PlanError, match="the budget must be above 0"):
        diagnose_loss(PlantedDevice(lambda _: True), Diagnosis(Duration(0)))
