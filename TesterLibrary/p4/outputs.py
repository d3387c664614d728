# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The outputs of a compilation that are kept with the sources, in a form that is the same each time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..targets.tofino.session.program import NOTES, SCHEMA
from . import sources

REPORT = "resources.json"
OUTPUTS = (SCHEMA, NOTES)  # the report has their hashes
_INDENTS = {SCHEMA: 1}  # spaces; other files have 2
_SNAPSHOTS = ".snapshot."  # of the names of tables by which a debugger takes snapshots of a pipeline
_NAMED = ("tables", "action_specs", "learn_filters")  # lists of named items in no particular order


def shipped(profile: str) -> Path:
    """The folder with the outputs of a shipped profile."""
    return sources.root() / "build" / profile


def read(path: Path) -> Any:
    """A JSON file of a compiler, in its canonical form."""
    return _canonical(json.loads(path.read_text(encoding="utf-8")))


def write(path: Path, found: Any) -> None:
    """A JSON file in its canonical form."""
    text = json.dumps(_canonical(found), indent=_INDENTS.get(path.name, 2)) + "\n"
    path.write_text(text, encoding="utf-8")


def hashes(folder: Path) -> Mapping[str, str]:
    """SHA-256 of each output in a folder, by its name."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in OUTPUTS}


def _canonical(found: Any) -> Any:
    """Tables and actions by name, without tables of snapshots.

    A compiler writes tables in another order each time, and gives those of snapshots other numbers.
    """
    if isinstance(found, list):
        return [_canonical(one) for one in found]
    if not isinstance(found, dict):
        return found
    whole = {key: _canonical(value) for key, value in found.items()}
    if isinstance(whole.get("tables"), list):
        whole["tables"] = [one for one in whole["tables"] if _SNAPSHOTS not in str(one["name"])]
    for key in _NAMED:
        if isinstance(whole.get(key), list):
            whole[key] = sorted(whole[key], key=lambda one: str(one["name"]))
    if isinstance(whole.get("depends_on"), list):
        whole["depends_on"] = sorted(whole["depends_on"])
    return whole
