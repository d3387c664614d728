# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approval import Approved


def test_what_was_approved_is_compared(tmp_path: Path) -> None:
    Approved(tmp_path / "approved", rewrite=True)("text", "one\ntwo")
    compare = Approved(tmp_path / "approved", rewrite=False)
    compare("text", "one\ntwo\n")
    with pytest.raises(AssertionError, match=r"(?s)-two.*\+three.*run the test with --approve"):
        compare("text", "one\nthree")


def test_what_nobody_has_approved_differs(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"\+new"):
        Approved(tmp_path, rewrite=False)("text", "new")
