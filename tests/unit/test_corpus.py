# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of the defect corpus has a row for each bug that there is."""

from __future__ import annotations

from collections import Counter

from tests.corpus.bugs import devices
from tests.corpus.router import Router, Switch
from tests.corpus.table import ROWS


def test_each_bug_has_a_row() -> None:
    bugs = {*devices(Router), *devices(Switch)}
    assert Counter(row.bug for row in ROWS) == Counter(bugs)


def test_a_bug_has_words_that_name_it_or_a_reason() -> None:
    assert [row.bug for row in ROWS if bool(row.words) == bool(row.why_not)] == []
