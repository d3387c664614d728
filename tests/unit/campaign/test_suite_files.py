# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that make a suite what it is."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.campaign.suite_files import imported
from TesterLibrary.files.paths import PACKAGE

from ..commands.fleets import LIBRARY


def test_modules_of_this_library_are_not_a_suites_own(tmp_path: Path) -> None:
    suite = tmp_path / "a.robot"
    suite.write_text(f"*** Settings ***\nLibrary    {LIBRARY}\n")
    found = imported([suite], {})
    assert LIBRARY in found
    assert not [path for path in found if PACKAGE in path.parents]
