# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every keyword is called by a suite that a test runs: its documentation would not show that it is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robot.api import get_model, get_resource_model
from robot.api.parsing import ModelVisitor

from TesterLibrary import TesterLibrary as Library
from TesterLibrary.files.paths import data_root

TESTS = Path(__file__).parents[1]
OWN = TESTS / "acceptance" / "suites"


def folded(name: str) -> str:
    """A keyword's name as Robot compares it."""
    return re.sub(r"[ _]", "", name).lower()


class Calls(ModelVisitor):  # type: ignore[misc]
    """Collects the words of keyword calls, arguments included: keywords take others as arguments."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def _see(self, node: Any) -> None:
        self.found |= {folded(token.value) for token in node.data_tokens}

    visit_KeywordCall = visit_Setup = visit_Teardown = visit_SuiteSetup = visit_SuiteTeardown = _see  # noqa: N815
    visit_TestSetup = visit_TestTeardown = visit_Template = visit_TestTemplate = _see  # noqa: N815


def suites() -> Iterator[Path]:
    """Suites of acceptance tests, and the shipped ones, which acceptance tests run."""
    yield from OWN.glob("*.robot")
    yield from (data_root() / "suites").rglob("*.robot")


def test_every_keyword_is_called_by_a_suite() -> None:
    calls = Calls()
    for suite in suites():
        calls.visit(get_model(suite))
    for resource in (data_root() / "resources").rglob("*.resource"):
        calls.visit(get_resource_model(resource))
    names: list[str] = Library().get_keyword_names()
    assert len(names) > 50
    assert [name for name in names if folded(name) not in calls.found] == []


def test_every_suite_is_run_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("acceptance/*.py"))
    assert [suite.name for suite in OWN.glob("*.robot") if f'"{suite.name}"' not in tests] == []
    shipped = {suite.parent.name for suite in (data_root() / "suites").rglob("[a-z]*.robot")}
    assert [folder for folder in shipped if f'"{folder}"' not in tests and f"/{folder}" not in tests] == []
