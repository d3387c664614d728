# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A summary keeps to its schema, and the schema refuses what must not be in one."""

from __future__ import annotations

import json

import jsonschema
import pytest

from benchmarks.harness.outcome import Outcome, Run
from benchmarks.harness.summary import SCHEMA, entry, write

VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
PAIRED = Outcome((Run(3.0, 2.0, 0.25), Run(1.0, 4.0, 0.5), Run(2.0, 2.0, 0.0)), "peer", "a note")
ALONE = Outcome((Run(12.5, None, 1.0),))


def test_an_entry_with_a_peer():
    assert entry("Mpps", PAIRED) == {
        "value": 2.0,
        "unit": "Mpps",
        "peer": "peer",
        "peer_value": 2.0,
        "ratio": 1.0,
        "runs": [
            {"value": 3.0, "peer_value": 2.0, "ratio": 1.5, "load_average": 0.25},
            {"value": 1.0, "peer_value": 4.0, "ratio": 0.25, "load_average": 0.5},
            {"value": 2.0, "peer_value": 2.0, "ratio": 1.0, "load_average": 0.0},
        ],
        "note": "a note",
    }


def test_an_entry_of_what_was_not_measured_has_no_figures():
    found = entry("ms", "Impossible: it needs root")
    assert found["error"] == "Impossible: it needs root"
    assert [found[key] for key in ("value", "peer", "peer_value", "ratio", "runs")] == [None] * 4 + [[]]


@pytest.mark.parametrize("outcome", [PAIRED, ALONE, "Impossible: it needs root"])
def test_entries_keep_to_the_schema(outcome):
    VALIDATOR.validate({"name": entry("Mpps", outcome)})


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": None},  # no figure, and no reason
        {"value": 0},
        {"value": -1.0},
        {"runs": []},  # a median of nothing
        {"error": "but there are figures"},
        {"unit": ""},
        {"unknown": 1},
    ],
)
def test_the_schema_refuses(wrong):
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({"name": {**entry("Mpps", PAIRED), **wrong}})


def test_the_schema_refuses_figures_beside_an_error():
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({"name": {**entry("Mpps", "broken"), "ratio": 1.0}})


def test_the_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "new" / "summary.json"
    write(path, {"old": entry("ms", ALONE)})
    write(path, {"name": entry("Mpps", PAIRED)})
    assert json.loads(path.read_text()) == {"name": entry("Mpps", PAIRED)}
    assert [each.name for each in path.parent.iterdir()] == ["summary.json"]
