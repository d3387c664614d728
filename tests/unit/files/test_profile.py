# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import data_root
from TesterLibrary.files.profile import Profile, load_profile, profile_values
from TesterLibrary.model.units.units import Duration, Ratio

PROFILES = data_root() / "resources" / "criteria" / "profiles"
SECOND, MINUTE = Duration(10**9), Duration.parse("1 min")
QUICK = Profile(
    name="quick",
    trial=SECOND,
    trial_learning=Duration(0),
    trial_rest=Duration(0),
    trial_residual=Duration(0),
    stability=Ratio.parse("5 %"),
    throughput=SECOND,
    scout=Duration.parse("0.2 s"),
    latency=SECOND,
    repetitions=2,
    frame_loss=Duration.parse("500 ms"),
    search=Duration.parse("0.5 s"),
    search_scout=Duration.parse("0.2 s"),
    search_rest=Duration.parse("400 ms"),
    search_resolution=Ratio.parse("0.5 %"),
    search_lowest=Ratio.parse("0.5 %"),
    bursts=3,
    rest=Duration.parse("100 ms"),
    burst_resolution=Ratio.parse("2 %"),
    overload=Duration.parse("2 s"),
    relief=SECOND,
    recoveries=1,
    reset_part=Ratio.parse("20 %"),
    steady=SECOND,
    reset_limit=Duration.parse("20 s"),
    resets=1,
    mlr_loss=Ratio.parse("0.5 %"),
    mlr_exceed=Ratio.parse("50 %"),
    mlr_initial=Duration.parse("0.2 s"),
    mlr_final=SECOND,
    mlr_sum=Duration.parse("2 s"),
    mlr_width=Ratio.parse("1 %"),
    mlr_lowest=Ratio.parse("1 %"),
    activation_step=Duration.parse("2 s"),
    activation=Duration.parse("5 s"),
)
FULL = Profile(
    name="full",
    trial=MINUTE,
    trial_learning=Duration.parse("2 s"),
    trial_rest=Duration.parse("5 s"),
    trial_residual=Duration.parse("2 s"),
    stability=Ratio.parse("5 %"),
    throughput=MINUTE,
    scout=Duration.parse("2 s"),
    latency=Duration.parse("2 min"),
    repetitions=20,
    frame_loss=MINUTE,
    search=MINUTE,
    search_scout=Duration.parse("2 s"),
    search_rest=Duration.parse("5 s"),
    search_resolution=Ratio.parse("0.1 %"),
    search_lowest=Ratio.parse("0.1 %"),
    bursts=50,
    rest=Duration.parse("2 s"),
    burst_resolution=Ratio.parse("1 %"),
    overload=MINUTE,
    relief=MINUTE,
    recoveries=3,
    reset_part=Ratio.parse("100 %"),
    steady=Duration.parse("10 s"),
    reset_limit=Duration.parse("10 min"),
    resets=3,
    mlr_loss=Ratio.parse("0.5 %"),
    mlr_exceed=Ratio.parse("50 %"),
    mlr_initial=SECOND,
    mlr_final=MINUTE,
    mlr_sum=Duration.parse("2 min"),
    mlr_width=Ratio.parse("0.5 %"),
    mlr_lowest=Ratio.parse("1 %"),
    activation_step=MINUTE,
    activation=Duration.parse("15 min"),
)


def test_shipped_profiles() -> None:
    assert load_profile("quick") == QUICK
    assert load_profile("full") == FULL


def test_what_an_own_profile_leaves_out_is_quick(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("PROFILE: {version: 1, name: mine, trial: {duration: 5 s}}\n", encoding="utf-8")
    mine = load_profile(str(path))
    assert (mine.name, mine.trial, mine.repetitions) == ("mine", Duration.parse("5 s"), 2)


def test_a_profile_that_there_is_not_names_those_that_there_are() -> None:
    with pytest.raises(TesterLibraryError, match=r"quick"):
        load_profile("quik")


@pytest.mark.parametrize("name", ["quick", "full"])
def test_the_shipped_profiles_are_right(name: str) -> None:
    profile = profile_values(PROFILES / f"{name}.yaml")
    assert profile["name"] == name
    procedures = ("throughput", "latency", "frame-loss", "back-to-back", "system-recovery", "reset")
    assert set(profile["expected"]) == {*procedures, "suite"}


def test_the_full_profile_has_the_durations_of_the_rfc() -> None:
    profile = profile_values(PROFILES / "full.yaml")
    assert profile["throughput"]["duration"] == "60 s"
    latency = profile["latency"]
    assert (latency["duration"], latency["repetitions"], latency["part"]) == ("120 s", 20, "100 %")
    assert Ratio.parse(profile["frame_loss"]["step"]) <= Ratio.parse("10 %")
