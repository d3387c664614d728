# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of what is supported of the Open Traffic Generator model into docs/otg.md."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from TesterLibrary.service.otg.table import table  # noqa: E402

PAGE = ROOT / "docs" / "otg.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"


def page(text: str) -> str:
    """The page with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
