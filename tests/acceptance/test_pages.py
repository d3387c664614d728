# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Examples of pages and suites that people copy run as they are, green."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files import paths

from .robots import check_passed, robot

DOCS = Path(__file__).parents[2] / "docs"


def examples(page: str, directory: Path, *variables: str) -> int:
    """How many tests its examples are; each has passed."""
    blocks = (DOCS / page).read_text(encoding="utf-8").split("```robotframework\n")[1:]
    suite = directory / "page.robot"
    suite.write_text("\n".join(block.partition("```")[0] for block in blocks), encoding="utf-8")
    tests = robot(suite, directory / "output", *variables)
    check_passed(tests)
    return len(tests)


@pytest.mark.parametrize(
    ("page", "number"),
    [
        pytest.param("capture.md", 4, marks=pytest.mark.long),
        pytest.param("frames.md", 5, marks=pytest.mark.long),
        ("inline.md", 7),
        pytest.param("measurement.md", 3, marks=pytest.mark.long),
        pytest.param("methodology.md", 1, marks=pytest.mark.long),
        ("guides/qa-engineer.md", 2),
        pytest.param("queries.md", 3, marks=pytest.mark.long),
        pytest.param("roce.md", 1, marks=pytest.mark.long),
        pytest.param("tofino.md", 1, marks=pytest.mark.long),
    ],
)
def test_the_examples_of_a_page_run(page: str, number: int, tmp_path: Path) -> None:
    assert examples(page, tmp_path) == number


@pytest.mark.long
def test_the_suite_that_measures_runs(tmp_path: Path) -> None:
    tests = robot(paths.suite_root() / "measurement", tmp_path, gentler=["RATE:2 kpps"])
    assert len(tests) == 7
    check_passed(tests)
