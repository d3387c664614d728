# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Fails if a keyword has no documentation, a docstring is no sentence, or a page is hard to read.

An argument is documented by its name in the keyword's text, as code, and has a type. A docstring says what a
thing is, or does; one that begins with "Of", "What", "Which" or "Whose" leaves that to its reader. For pages
see tools/prose.py.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT))

from tools.prose import page_faults  # noqa: E402

_FOLDERS = ("TesterLibrary", "benchmarks", "tests", "tools")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_FRAGMENT = re.compile(r"(Of|What|Which|Whose)\b")


def libdoc(library: str) -> dict[str, Any]:
    """The JSON that ``python -m robot.libdoc`` writes, as users run it."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "libdoc.json"
        subprocess.run(
            [sys.executable, "-m", "robot.libdoc", "--specdocformat", "RAW", library, str(output)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        spec: dict[str, Any] = json.loads(output.read_text())
    return spec


def faults(keyword: dict[str, Any]) -> list[str]:
    """The faults in the documentation of one keyword."""
    name, doc = keyword["name"], keyword["doc"]
    if not doc.strip():
        return [f"{name}: no documentation"]
    found = []
    for argument in keyword["args"]:
        if not argument["name"]:
            continue  # the markers / and * of Python signatures
        if not re.search(rf"``?\**{re.escape(argument['name'])}``?", doc):
            found.append(f"{name}: argument {argument['name']!r} is not in the documentation")
        if argument.get("type") is None:
            found.append(f"{name}: argument {argument['name']!r} has no type")
    return found


def fragments() -> list[str]:
    """Docstrings that begin like a question, as ``file:line: text``."""
    found = []
    for folder in _FOLDERS:
        for file in sorted((_ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                said = ast.get_docstring(node) if isinstance(node, _DOCUMENTED) else None
                if said and _FRAGMENT.match(said):
                    place = f"{file.relative_to(_ROOT)}:{getattr(node, 'lineno', 1)}"
                    found.append(f"{place}: a docstring says what a thing is or does: {said!r:.60}")
    return found


def main() -> int:
    """1 if anything is undocumented."""
    spec = libdoc("TesterLibrary")
    found = [fault for keyword in spec["keywords"] for fault in faults(keyword)]
    found += fragments() + page_faults()
    if not spec["doc"].strip():
        found.append("TesterLibrary: no introduction")
    if not spec["keywords"]:
        found.append("TesterLibrary: no keywords")
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(spec['keywords'])} keywords, {len(found)} faults")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
