# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts that a person has approved: a test compares what it made with a file; `--approve` writes that anew.

    def test_what_it_says(approved: Approved) -> None:
        approved("verdicts", text)

compares with `approved/verdicts.txt` beside the test. After a change that is meant, run the test with
`--approve`, and read the difference before it is committed.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path


@dataclass(frozen=True)
class Approved:
    """The approved texts of one test module."""

    folder: Path
    rewrite: bool  # instead of comparing

    def __call__(self, name: str, text: str) -> None:
        """Compares a text with the file `<name>.txt`. AssertionError shows the difference."""
        path = self.folder / f"{name}.txt"
        text = text.rstrip("\n") + "\n"
        if self.rewrite:
            self.folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        was = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = was.splitlines(), text.splitlines()
        difference = "\n".join(unified_diff(*lines, path.name, "now", lineterm=""))
        assert was == text, f"{difference}\nIf that is meant, run the test with --approve."
