# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A planted change is alarmed in its first night, and noise is not."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest

from TesterLibrary.reporting.trend.judge import State, Step
from TesterLibrary.reporting.trend.level import levels

from .nights import LAWS, Nights

SHAPER = LAWS["rate of a shaper, normal, 0.3 %"][0]


def states(nights: Nights) -> list[list[str]]:
    return [[step.state.value for step in alarm.steps] for alarm in nights.alarms]


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_regression_of_3_percent_is_alarmed_in_its_first_night(seed: int) -> None:
    nights = Nights(SHAPER, random=Random(seed)).run(30)
    assert not nights.alarmed
    nights.run(1, factor=0.97)
    (alarm,) = nights.alarmed
    assert alarm.state is State.ALARMED
    assert alarm.since.day == 1
    assert alarm.since.month == 2
    assert alarm.before == pytest.approx(1e8, rel=0.002)


def test_100_nights_of_noise_alarm_at_most_once_over_figures_of_all_laws() -> None:
    alarmed = [len(Nights(of, up, random=Random(7)).run(100).alarmed) for of, up in LAWS.values()]
    assert sum(alarmed) <= 1, dict(zip(LAWS, alarmed, strict=True))


def test_one_bad_value_is_a_candidate_and_measured_again() -> None:
    nights = Nights(SHAPER).run(20)
    nights.number += 1
    nights.measure(0.9e8)
    assert states(nights) == [["candidate"]]
    nights.measure(1e8, hour=1)
    assert states(nights) == [["candidate", "refuted"]]


def test_an_alarm_is_confirmed_and_its_recovery_stays_in_its_history() -> None:
    nights = Nights(SHAPER).run(20).run(1, factor=0.97)
    nights.run(1, factor=0.97)
    assert states(nights) == [["candidate", "alarmed", "confirmed"]]
    nights.run(5, factor=0.97).run(1)
    assert states(nights) == [["candidate", "alarmed", "confirmed", "recovered"]]
    assert nights.alarms[0].steps[-1].at.day == 29
    nights.run(1, factor=0.97)
    assert states(nights)[1:] == [["candidate", "alarmed"]], "and the next one is another alarm"


def test_a_second_drop_below_the_level_of_an_alarm_is_one_of_its_own() -> None:
    nights = Nights(SHAPER).run(20).run(10, factor=0.97).run(1, factor=0.9)
    assert states(nights) == [["candidate", "alarmed", "confirmed"], ["candidate", "alarmed"]]
    nights.run(2)
    assert states(nights)[0][-1] == states(nights)[1][-1] == "recovered"


def test_the_level_of_an_accepted_alarm_is_the_usual_one() -> None:
    nights = Nights(SHAPER).run(20).run(1, factor=0.97)
    alarm = nights.alarms[0]
    nights.alarms = (alarm.then(Step(State.ACCEPTED, alarm.since, "", None, "new feature")),)
    nights.run(20, factor=0.97)
    assert states(nights) == [["candidate", "alarmed", "accepted"]]


def test_less_is_worse_or_better_by_the_bound() -> None:
    assert not Nights(SHAPER, higher_is_better=False).run(20).run(3, factor=0.9).alarmed
    assert Nights(SHAPER, higher_is_better=False).run(20).run(1, factor=1.1).alarmed
    assert Nights(SHAPER, higher_is_better=None).run(20).run(1, factor=1.1).alarmed


def test_few_values_have_no_level() -> None:
    assert not Nights(SHAPER).run(4).run(1, factor=0.5).alarms


@pytest.mark.parametrize("values", [(0.0, 0.0, 0.0), (-3.0, -3.0, -3.0), (5.0,)])
def test_values_that_never_vary_are_one_level(values: tuple[float, ...]) -> None:
    assert [level.values for level in levels(values)] == [values]


def test_negative_values_have_levels() -> None:
    known = levels((-10.0, -10.1, -9.9, -10.0, -20.0, -20.1, -19.9))
    assert [len(level.values) for level in known] == [4, 3]
    assert known[1].mean == pytest.approx(-20)


def recorded() -> dict[str, tuple[list[float], bool]]:
    """Values of real trials by the figure, and whether more is better."""
    figures = json.loads(Path(__file__).with_name("recorded.json").read_text())["figures"]
    return {name: (figure["values"], figure["higher_is_better"]) for name, figure in figures.items()}


def test_100_nights_of_recorded_noise_alarm_at_most_once_over_all_figures() -> None:
    alarmed = {
        name: len(Nights(partial(Random.choice, seq=values), up, random=Random(3)).run(100).alarmed)
        for name, (values, up) in recorded().items()
    }
    assert sum(alarmed.values()) <= 1, alarmed


@pytest.mark.parametrize("seed", range(3))
def test_a_recorded_rate_that_is_3_percent_less_is_alarmed_in_its_first_night(seed: int) -> None:
    values, up = recorded()["rate of the shaper"]
    nights = Nights(partial(Random.choice, seq=values), up, random=Random(seed)).run(100)
    assert not nights.alarmed
    assert len(nights.run(1, factor=0.97).alarmed) == 1
