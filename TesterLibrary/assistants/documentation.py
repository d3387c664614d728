# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The documentation as sections that answer a question: pages, keywords, shipped files."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from robot.libdocpkg import LibraryDocumentation
from robot.libdocpkg.model import LibraryDoc

from ..files.paths import data_root

_LIBRARY = "TesterLibrary"
_DESCRIBE: Callable[[str], LibraryDoc] = LibraryDocumentation  # which comes without types
_HEADING = re.compile(r"^#{1,4} +(.+?) *$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"\w+")
_EXAMPLES = {".robot": "suites", ".yaml": "resources"}
_TITLE_WEIGHT = 8.0  # of a word in a title, beside one in a text


@dataclass(frozen=True)
class DocumentationPart:
    """A section of a page, a keyword, or a shipped file, which may answer a question."""

    source: str  # such as stateful.md, keyword, or suites/rfc2544/throughput.robot
    title: str
    text: str


class Documentation:
    """All sections, and which of them answer a question best (BM25 of SQLite's FTS5)."""

    def __init__(self) -> None:
        self._sections = tuple(_sections())
        # The tools are called in threads, one of which makes this.
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute("CREATE VIRTUAL TABLE sections USING fts5(title, text, tokenize='porter')")
        self._database.executemany(
            "INSERT INTO sections(rowid, title, text) VALUES (?, ?, ?)",
            ((row, section.title, section.text) for row, section in enumerate(self._sections)),
        )

    def answer(self, question: str, most: int) -> tuple[DocumentationPart, ...]:
        """The sections that answer a question best, the best first; a title word for word is first."""
        words = [f'"{word}"' for word in _WORD.findall(question)]
        if not words:
            return ()
        rows = self._database.execute(
            "SELECT rowid FROM sections WHERE sections MATCH ? ORDER BY bm25(sections, ?, 1.0) LIMIT ?",
            (" OR ".join(words), _TITLE_WEIGHT, most),
        ).fetchall()
        ranked = [self._sections[row] for (row,) in rows]
        named = [section for section in self._sections if section.title.lower() == question.strip().lower()]
        return tuple(dict.fromkeys([*named, *ranked]))[:most]


def _sections() -> Iterator[DocumentationPart]:
    root = data_root()
    for page in sorted((root / "docs").rglob("*.md")):
        if "release-notes" not in page.parts:
            yield from page_sections(
                page.relative_to(root / "docs").as_posix(), page.read_text(encoding="utf-8")
            )
    for suffix, folder in _EXAMPLES.items():
        for path in sorted((root / folder).rglob(f"*{suffix}")):
            yield _example(path.relative_to(root), path)
    for keyword in _DESCRIBE(_LIBRARY).keywords:
        yield DocumentationPart("keyword", keyword.name, f"{keyword.args}\n\n{keyword.doc}")


def _example(name: Path, path: Path) -> DocumentationPart:
    return DocumentationPart(name.as_posix(), path.stem.replace("_", " "), path.read_text(encoding="utf-8"))


def page_sections(page: str, text: str) -> Iterator[DocumentationPart]:
    """The sections of a page in Markdown; a # within a fence is no heading."""
    fences = [match.span() for match in _FENCE.finditer(text)]
    headings = [
        match
        for match in _HEADING.finditer(text)
        if not any(begin <= match.start() < end for begin, end in fences)
    ]
    ends = [*[heading.start() for heading in headings[1:]], len(text)]
    for heading, end in zip(headings, ends, strict=False):
        yield DocumentationPart(page, heading[1], text[heading.end() : end].strip())
