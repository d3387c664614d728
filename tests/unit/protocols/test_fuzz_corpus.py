# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer of responders begins with is of the tables as they are now, not refused at once."""

from __future__ import annotations

from functools import cache

import pytest

from TesterLibrary.paths import names
from tools.fuzz_corpus import CORPUS, corpus

made = cache(corpus)


def plan(octets: bytes) -> bytes:
    """The first block of an item."""
    return octets[2 : 2 + int.from_bytes(octets[:2], "big")]


@pytest.mark.parametrize("name", names("protocols"))
def test_a_table_is_in_the_corpus_as_it_is(name: str) -> None:
    kept = CORPUS / name
    assert kept.is_file(), f"{name} is new: run tools/fuzz_corpus.py"
    assert plan(kept.read_bytes()) == plan(made()[name]), f"{name} has changed: run tools/fuzz_corpus.py"


def test_the_corpus_has_only_tables_that_are_shipped() -> None:
    assert {own.name for own in CORPUS.iterdir()} == set(names("protocols"))
