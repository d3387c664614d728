# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes what a protocol file may have for an action into reports/schemas/protocol.schema.json.

    python3 tools/protocol_schema.py

Each class in TesterLibrary/protocols/actions/ says it for its keys. Run it again after one has changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from TesterLibrary.model.action import Act
from TesterLibrary.protocols import action_loader

FILE = Path(__file__).resolve().parent.parent / "reports" / "schemas" / "protocol.schema.json"
assert action_loader.actions  # with it all actions are known


def written() -> str:
    """The whole file."""
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    schema["$defs"]["action"] = action()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def action() -> dict[str, Any]:
    """The schema of an item of `do`: a mapping of one key."""
    keys = [key for act in dict.fromkeys(Act.known.values()) for key in act.keys]
    return {
        "description": f"give one action: {', '.join(keys[:-1])} or {keys[-1]}",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: Act.known[key].keys[key] for key in keys},
        "minProperties": 1,
        "maxProperties": 1,
    }


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
    print(f"{FILE.name}: {len(Act.known)} keys of actions")
