# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The whole library on the fake tester: keywords are called as Robot Framework or a program calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.running import suite
from TesterLibrary.running.opening import OpenTestbed

from ..running.testers import opened


def library_on_fake(monkeypatch: pytest.MonkeyPatch, directory: Path, **options: Any) -> TesterLibrary:
    """A library whose testbeds are all the fake."""

    def open_tester(*_: Any, **given: Any) -> OpenTestbed:
        made = opened(directory, **options)
        bed = made.open_testbed
        bed.tester.scopes = given["scopes"]
        return bed

    monkeypatch.chdir(directory)
    monkeypatch.setattr(suite, "open_tester", open_tester)
    return TesterLibrary(testbed="fake")
