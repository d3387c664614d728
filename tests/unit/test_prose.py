# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tools import prose

PLAIN = "# Loss\n\nThe tester counts each frame. It ends the search.\n"
LONG = " ".join(["word"] * 31) + "."
WIDE = "| " + " ".join(["word"] * 26) + " | b |"
HEAVY = "Operational characteristics necessitate comprehensive architectural considerations.\n"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (PLAIN, ["The tester counts each frame.", "It ends the search."]),
        ("One line\nand the next one.\n\nA paragraph", ["One line and the next one.", "A paragraph"]),
        ("Two items:\n\n* first\n* second\n  line", ["Two items:", "first", "second line"]),
        (
            "Send 1.5 Gbps by `Set Rate    a. B`. `Get Rate` is in [a page](b.md).",
            ["Send 1.5 Gbps by Code.", "Code is in a page."],
        ),
        ("```text\nA. B.\n```\n| A. B |\n<!-- t: begin -->\nA\n<!-- t: end -->\n", []),
    ],
)
def test_sentences_are_those_that_people_read(text: str, sentences: list[str]) -> None:
    assert prose.sentences(text) == sentences


@pytest.mark.parametrize(
    ("word", "count"), [("code", 1), ("table", 2), ("tester", 2), ("lost", 1), ("counted", 2), ("64", 1)]
)
def test_syllables(word: str, count: int) -> None:
    assert prose.syllables(word) == count


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (PLAIN, None),
        (f"```text\n{LONG}\n```\n", None),
        (LONG, "1 sentences or table cells too long, first: 31 words, 30 at most: word"),
        (WIDE, "1 sentences or table cells too long, first: 26 words, 25 at most: word"),
        (HEAVY, "reading ease"),
    ],
)
def test_a_page_that_is_hard_to_read_is_named(text: str, fault: str | None) -> None:
    found = prose.fault(text)
    assert found is None if fault is None else found and found.startswith(fault)


def test_the_list_of_unfinished_pages_only_shrinks() -> None:
    texts = {"plain.md": PLAIN, "long.md": LONG}
    assert prose.faults(texts, frozenset({"long.md"}), 100) == []
    (hard,) = prose.faults(texts, frozenset(), 100)
    assert hard.startswith("long.md: 1 sentences")
    plain, missing = prose.faults(texts, frozenset({"plain.md", "long.md", "gone.md"}), 100)
    assert plain == "plain.md is plain: take it from UNFINISHED in tools/prose.py"
    assert missing == "gone.md of UNFINISHED in tools/prose.py is no page"


def test_all_pages_together_have_a_limit() -> None:
    assert prose.faults({"plain.md": PLAIN}, frozenset(), 9) == ["10 words, 9 at most; shorten pages"]
    assert prose.faults({"docs/adr/1.md": PLAIN, "docs/release-notes/1.md": PLAIN}, frozenset(), 9) == []


def test_the_pages_pass() -> None:
    assert prose.page_faults() == []
