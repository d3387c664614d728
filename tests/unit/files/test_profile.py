# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import data_root
from TesterLibrary.files.profile import Profile, load_profile, profile_values
from TesterLibrary.model.units import Duration, Ratio

PROFILES = data_root() / "resources" / "criteria" / "profiles"
SECOND = Duration(10**9)
QUICK = Profile("quick", SECOND, SECOND, Duration.parse("0.2 s"), SECOND, 2, SECOND)


def test_shipped_profiles() -> None:
    minute, two = Duration.parse("1 min"), Duration.parse("2 min")
    assert load_profile("quick") == QUICK
    assert load_profile("full") == Profile("full", minute, minute, Duration.parse("2 s"), two, 20, minute)


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
    assert set(profile["expected"]) == {"throughput", "latency", "frame-loss"}


def test_the_full_profile_has_the_durations_of_the_rfc() -> None:
    profile = profile_values(PROFILES / "full.yaml")
    assert profile["throughput"]["duration"] == "60 s"
    latency = profile["latency"]
    assert (latency["duration"], latency["repetitions"], latency["part"]) == ("120 s", 20, "100 %")
    assert Ratio.parse(profile["frame_loss"]["step"]) <= Ratio.parse("10 %")
