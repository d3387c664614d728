# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions register themselves: with the language, with its schema, and with the engine's messages."""

from __future__ import annotations

import json

import pytest

from TesterLibrary._generated.tester.v1 import protocol_pb2
from TesterLibrary.model.action import Act
from tools import protocol_schema


def test_the_schema_has_what_the_actions_say() -> None:
    kept = protocol_schema.FILE.read_text(encoding="utf-8")
    said = json.loads(protocol_schema.written())
    assert json.loads(kept) == said, "an action has changed: run tools/protocol_schema.py"


@pytest.mark.parametrize("key", Act.known)
def test_a_key_belongs_to_the_class_that_says_it(key: str) -> None:
    assert key in Act.known[key].keys


def test_every_action_of_the_engine_is_one_of_the_language_or_of_a_signal() -> None:
    fields = {field.name for field in protocol_pb2.Action.DESCRIPTOR.fields}
    renamed = {"random": "randomize", "start": "start_timer", "stop": "stop_timer", "then": "step"}
    changes = {"set", "add", "subtract", "limit", "raise"}
    lowered = {renamed.get(key, key) for key in Act.known} - changes - {"signal"}
    assert fields == lowered | {"assign", "call", "tell"}
