# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.payload import load_pattern
from TesterLibrary.model.inline import MOST_PATTERN


def test_a_pattern_may_have_lines_blanks_and_remarks(tmp_path: Path) -> None:
    file = tmp_path / "losses.txt"
    file.write_text("# of a link\n0011 1\n\n0 # and again 1\n", encoding="utf-8")
    assert load_pattern(str(file)) == (False, False, True, True, True, False)


@pytest.mark.parametrize(
    ("octets", "problem"),
    [
        (b"01\n012\n", r"losses.txt:2: '2' is neither 0 nor 1"),
        (b"# nothing\n", rf"losses.txt: 0 packets; give 1 to {MOST_PATTERN:,}"),
        (b"1" * (MOST_PATTERN + 1), r"losses.txt: 1,048,577 packets"),
        (b"\xff", r"losses.txt: not text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, octets: bytes, problem: str) -> None:
    file = tmp_path / "losses.txt"
    file.write_bytes(octets)
    with pytest.raises(PlanError, match=problem):
        load_pattern(str(file))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read: No such file"):
        load_pattern(str(tmp_path / "none.txt"))
