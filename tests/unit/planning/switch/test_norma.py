# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of the Norma paper's figures is what the planner says."""

from __future__ import annotations

from tools.norma import PAGE, page


def test_the_page_is_what_is_planned() -> None:
    text = PAGE.read_text()
    assert page(text) == text, "run tools/norma.py"
    assert page(text.replace("| none |", "| 1e-03 |")) == text
