# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A run of `tester certify` has one testbed at a time, whatever a suite opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.testbeds.load import find_testbed
from TesterLibrary.testbeds.run_testbed import VARIABLE, check_testbed_of_run


def test_a_name_and_the_path_of_its_file_are_one_testbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(find_testbed("simulated/hiccups")))
    for name in ("simulated/hiccups", "hiccups", str(find_testbed("simulated/hiccups"))):
        check_testbed_of_run(name)


def test_robot_by_itself_opens_what_the_suite_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    check_testbed_of_run("simulated/hiccups")


def test_another_testbed_than_that_of_the_run_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "simulated/breakpoint")
    library = TesterLibrary(testbed="simulated/breakpoint")
    library.use_testbed("simulated/hiccups")
    with pytest.raises(
        TesterLibraryError,
        match=r"^the suite opens the testbed simulated/hiccups, and this run is on simulated/breakpoint: .* "
        r"Write testbed=\$\{TESTBED\} where the suite imports TesterLibrary, "
        r"and Use Testbed    \$\{TESTBED\}$",
    ):
        library.open_tester()
    assert not [*tmp_path.iterdir()]  # nothing was recorded
