# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The certificate for programs."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from TesterLibrary.files.paths import report_file
from TesterLibrary.reporting.pages import statement
from TesterLibrary.reporting.pages.demonstration import of_run

from ..golden import GOLDEN, golden_records


@pytest.fixture
def told() -> Any:
    return json.loads(statement.statement(golden_records(), {"evidence/run.json": "0" * 64}))


def test_it_is_the_golden_one() -> None:
    golden = (GOLDEN / statement.FILE).read_text(encoding="utf-8")
    assert statement.statement(golden_records(), {}) == golden


def test_it_keeps_its_schema(told: Any) -> None:
    schema = json.loads(report_file("schemas/certificate.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(told, schema)


def test_each_requirement_has_its_verdict_and_each_result_its_deviations(told: Any) -> None:
    simulated, uncounted = told["testbeds"]
    judged = [requirement for test in simulated["tests"] for requirement in test["requirements"]]
    assert len(judged) == 7
    assert {"outcome", "subject", "measured", "bound", "least", "most"} <= judged[0].keys()
    assert any("asks for at least" in text for found in simulated["results"] for text in found["deviations"])
    assert uncounted["invalid_trials"] == 0
    assert [left["test"] for left in told["not_run"]] == ["512 Bytes"]
    assert told["certifies"] is False


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ([], ""),
        ([""], ""),
        (["embedded"], "a demonstration, not a certification"),
        (["embedded", ""], "in part a demonstration, not a certification"),
    ],
)
def test_every_page_says_what_it_certifies(reasons: list[str], said: str) -> None:
    assert of_run({"testers": [{"demonstration": reason} for reason in reasons]}) == said
