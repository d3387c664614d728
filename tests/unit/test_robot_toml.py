# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiles of robot.toml, which RobotCode runs: they name what there is, and shipped suites obey them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from robot.api import get_model
from robot.api.parsing import LibraryImport, ResourceImport, SettingSection

from TesterLibrary.files.profile import load_profile

ROOT = Path(__file__).parents[2]
SUITES = sorted((ROOT / "suites").rglob("[a-z]*.robot"))


@pytest.fixture(scope="module")
def settings() -> Any:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
    return tomllib.loads((ROOT / "robot.toml").read_text(encoding="utf-8"))


def test_paths_and_default_profiles_exist(settings: Any) -> None:
    for path in (*settings["paths"], *settings["python-path"]):
        assert (ROOT / path).is_dir(), path
    assert {*settings["default-profiles"], "dry-run", "quick", "full"} <= set(settings["profiles"])
    assert all(profile["description"] for profile in settings["profiles"].values())


def test_profiles_name_durations_that_come_with_the_library(settings: Any) -> None:
    for name in ("quick", "full"):
        variables = settings["profiles"][name]["variables"]
        assert variables == {"PROFILE_NAME": name}
        assert load_profile(variables["PROFILE_NAME"]).name == name


def imports(suite: Path) -> Iterator[tuple[Any, Path]]:
    """The libraries of a suite, and those of the resources that it imports, each with its file."""
    (settings,) = [part for part in get_model(suite).sections if isinstance(part, SettingSection)]
    for statement in settings.body:
        if isinstance(statement, LibraryImport):
            yield statement, suite
        elif isinstance(statement, ResourceImport):
            yield from imports(suite.parent / statement.name)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.stem)
def test_suites_measure_as_long_as_the_profile_says(suite: Path) -> None:
    ((library, file),) = [
        (statement, path) for statement, path in imports(suite) if statement.name == "TesterLibrary"
    ]
    (profile,) = [text for text in library.args if text.startswith("profile=")]
    assert profile in ("profile=${PROFILE_NAME}", "profile=${PROFILE_FILE}")
    assert "${PROFILE_NAME}" in file.read_text(encoding="utf-8")


def test_every_shipped_suite_passes_a_dry_run(settings: Any, tmp_path: Path) -> None:
    assert settings["profiles"]["dry-run"]["dry-run"] is True
    paths = [str(ROOT / path) for path in settings["paths"]]
    command = [
        sys.executable,
        "-m",
        "robot",
        "--dryrun",
        "--console",
        "quiet",
        "--outputdir",
        str(tmp_path),
        *paths,
    ]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")
