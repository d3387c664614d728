# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page says what the code reads."""

from __future__ import annotations

from tools.otg_table import PAGE, page


def test_the_page_has_the_table_of_the_code() -> None:
    text = PAGE.read_text()
    assert page(text) == text, "run tools/otg_table.py"
    assert "| `FlowUdp` | src_port (value values increment decrement random)," in text
