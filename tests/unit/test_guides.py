# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of documentation name files, pages and sections that are there; for examples see test_examples.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FILE = re.compile(r"`((?:TesterLibrary|engine|p4|proto|resources|suites|tests|tools)/[\w./-]*\.\w+)`")
_LINK = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")


def anchors(page: Path) -> set[str]:
    """The anchors that Git hosts make of the titles of a page."""
    titles = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = _FILE.findall(text) if "adr" not in page.parts else []  # a decision is about its time
    # A word in capitals stands for any.
    missing = [name for name in named if not any(ROOT.glob(re.sub(r"\b[A-Z]{3,}\b", "*", name)))]
    for target, section in _LINK.findall(text):
        there = page.parent / target if target else page
        if not there.exists() or (section and section not in anchors(there)):
            missing.append(f"{target}#{section}")
    assert not missing
