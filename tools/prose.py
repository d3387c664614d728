# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the README files, CONTRIBUTING.md and the pages of docs/ are short and easy to read.

    python3 tools/prose.py            1 if a page is hard to read, or all pages together are too long
    python3 tools/prose.py PAGE       each long sentence and long cell of a page

Code in fences and generated tables are not checked. A name in `code` counts as one word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MOST_WORDS = 35_000  # of all pages; release notes and decisions do not count
LONGEST_SENTENCE = 30  # words
LONGEST_CELL = 25  # words of a table cell
LEAST_EASE = 50  # Flesch reading ease: 50 is fairly difficult, 60 is plain English
# Pages that are not plain yet. A page that passes has to leave this list; no page may join it.
UNFINISHED = frozenset[str]()

_GENERATED = re.compile(r"<!-- \w+: begin -->.*?<!-- \w+: end -->", re.DOTALL)
_FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"``[^`]+``|`[^`]+`")
_ITEM = re.compile(r"^(?:[*-]|\d+\.) ")
_END = re.compile(r"(?<=[.!?])[*_)\"]*\s+(?=[*_(\"]*[A-Z0-9])")
_WORD = re.compile(r"[A-Za-z0-9][\w'’.,/%+-]*")
_VOWELS = re.compile(r"[aeiouy]+")


def pages() -> Iterator[Path]:
    """The pages that people write: neither generated ones, nor fragments of release notes, nor the site."""
    yield from (ROOT / name for name in ("CONTRIBUTING.md", "README.md", "engine/README.md"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if path.name != "matrix.md" and not {"changes", "site"} & set(path.relative_to(ROOT).parts[:-1]):
            yield path


def prose(text: str) -> str:
    """The text without code, generated tables and addresses of links."""
    for pattern in (_GENERATED, _FENCE, _COMMENT, _IMAGE):
        text = pattern.sub("", text)
    return _CODE.sub("Code", _LINK.sub(r"\1", text))


def sentences(text: str) -> list[str]:
    """The sentences of paragraphs and list items."""
    blocks: list[str] = []
    ended = True
    for line in prose(text).splitlines():
        line = line.strip()
        if not line or line.startswith(("|", "#")):
            ended = True
        elif ended or _ITEM.match(line):
            blocks.append(_ITEM.sub("", line))
            ended = False
        else:
            blocks[-1] += f" {line}"
    return [sentence for block in blocks for sentence in _END.split(block)]


def cells(text: str) -> list[str]:
    """The cells of tables."""
    rows = (line for line in prose(text).splitlines() if line.startswith("|"))
    return [cell.strip() for row in rows for cell in row.strip("|").split("|")]


def words(text: str) -> list[str]:
    """The words and numbers of a text."""
    return _WORD.findall(text)


def syllables(word: str) -> int:
    """Groups of vowels, without a silent e at the end: right for most words of English."""
    word = re.sub(r"[^a-z]", "", word.lower())
    silent = word.endswith(("e", "es", "ed")) and not word.endswith(("le", "les", "ted", "ded", "ses", "ces"))
    return max(1, len(_VOWELS.findall(word)) - silent)


def ease(text: str) -> float:
    """The Flesch reading ease of the sentences; 100 without any."""
    read = [sentence for sentence in map(words, sentences(text)) if sentence]
    flat = [word for sentence in read for word in sentence]
    if not flat:
        return 100.0
    return 206.835 - 1.015 * len(flat) / len(read) - 84.6 * sum(map(syllables, flat)) / len(flat)


def size(text: str) -> int:
    """The words of a page with its code, without generated tables and the lines of tables."""
    return len(re.findall(r"\w\S*", _GENERATED.sub("", text)))


def total_size(texts: dict[str, str]) -> int:
    """The words of all pages together. Release notes and decisions (docs/adr) grow and do not count."""
    return sum(
        size(text) for name, text in texts.items() if not {"adr", "release-notes"} & set(name.split("/"))
    )


def long_texts(text: str) -> list[str]:
    """Sentences and table cells that are too long, with the number of their words."""
    limits = [(part, LONGEST_SENTENCE) for part in sentences(text)]
    limits += [(part, LONGEST_CELL) for part in cells(text)]
    return [
        f"{len(words(part))} words, {most} at most: {part}"
        for part, most in limits
        if len(words(part)) > most
    ]


def fault(text: str) -> str | None:
    """The reason why a page is hard to read; None if it is not."""
    long, flesch = long_texts(text), ease(text)
    parts = [f"{len(long)} sentences or table cells too long, first: {long[0]:.100}"] if long else []
    if flesch < LEAST_EASE:
        parts.append(f"reading ease {flesch:.0f}, {LEAST_EASE} at least")
    return "; ".join(parts) or None


def faults(texts: dict[str, str], unfinished: frozenset[str], most_words: int) -> list[str]:
    """Pages that are hard to read, pages that wrongly stand in the list, and too many words."""
    result = []
    for name, text in texts.items():
        hard = fault(text)
        if hard and name not in unfinished:
            result.append(f"{name}: {hard}; see all: tools/prose.py {name}")
        if not hard and name in unfinished:
            result.append(f"{name} is plain: take it from UNFINISHED in tools/prose.py")
    result += [f"{name} of UNFINISHED in tools/prose.py is no page" for name in unfinished - texts.keys()]
    total = total_size(texts)
    if total > most_words:
        result.append(f"{total:,} words, {most_words:,} at most; shorten pages")
    return result


def page_texts() -> dict[str, str]:
    """The pages by their names."""
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages()}


def page_faults() -> list[str]:
    """The faults of all pages."""
    return faults(page_texts(), UNFINISHED, MOST_WORDS)


def main(arguments: list[str]) -> int:
    """Prints the faults of all pages, or the long texts of some."""
    for name in arguments:
        text = Path(name).read_text(encoding="utf-8")
        print(f"{name}: {size(text):,} words, reading ease {ease(text):.1f}", *long_texts(text), sep="\n")
    if arguments:
        return 0
    result = page_faults()
    print(*result, f"{total_size(page_texts()):,} words, {MOST_WORDS:,} at most", sep="\n")
    return int(bool(result))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
