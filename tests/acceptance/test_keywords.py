# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that no other suite has, with real packets; `test_keywords_are_run.py` finds new ones."""

from __future__ import annotations

from pathlib import Path

from .robots import check_passed, run


def test_keywords_do_what_they_say(tmp_path: Path) -> None:
    tests = run("keywords.robot", tmp_path)
    assert len(tests) == 7
    check_passed(tests)
