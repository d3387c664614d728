# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that no imports of Python go round, and that includes in engine/src point one way.

Rooms of Python have their floors in pyproject.toml (import-linter); here no two files import each other in a
circle, in one room or across. Includes go from the top of LAYERS down (engine/README.md says why).
Only MESSAGES may include protobuf, only DEVICES DPDK. A test may use all that its executable is linked with;
programs are above all layers.
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

SOURCES = Path(__file__).resolve().parent.parent / "engine" / "src"
LIBRARIES = (  # as in engine/src/meson.build
    (
        "base",
        "wire",
        "policy",
        "stats",
        "replay",
        "generator",
        "receiver",
        "responder",
        "capture",
        "inline",
        "query",
    ),
    ("plan", "snapshot", "compiled_tables"),
    ("port", "worker", "tester"),
    ("rpc",),
)
LAYERS = tuple(folder for library in LIBRARIES for folder in library)
MESSAGES = {"plan", "snapshot", "tester", "rpc"}
DEVICES = {"port", "worker", "tester"}
INCLUDE = re.compile(r'^#include ["<]([^">]+)', re.MULTILINE)


def findings(folder: str, name: str, text: str) -> list[str]:
    """Includes that a file may not have; `name` is its path in the folder."""
    top = folder
    if name.endswith(("_test.cc", "_testing.h")):
        (top,) = (library[-1] for library in LIBRARIES if folder in library)
    allowed = LAYERS[: LAYERS.index(top) + 1]
    found = []
    for include in INCLUDE.findall(text):
        if include.endswith(".pb.h") or include.startswith("google/"):
            wrong = folder not in MESSAGES
        elif include.startswith("rte_"):
            wrong = folder not in DEVICES
        else:
            wrong = include.split("/")[0] in LAYERS and include.split("/")[0] not in allowed
        if wrong:
            found.append(f"engine/src/{folder}/{name} includes {include}; {folder} may not")
    return found


def circle(imported: dict[str, set[str]]) -> list[str]:
    """Modules each of which imports the next one, back to the first; none, if no imports go round."""
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as found:
        modules: list[str] = found.args[1][::-1]
        return modules
    return []


def main() -> int:
    """1 if any file includes what it may not, or imports itself by way of others."""
    graph = grimp.build_graph("TesterLibrary")
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    circular = " -> ".join(circle(imported))
    files = [path for path in sorted(SOURCES.glob("*/**/*")) if path.suffix in {".h", ".cc"}]
    files = [path for path in files if not path.stem.endswith("_main")]
    folders = {path: path.relative_to(SOURCES).parts[0] for path in files}
    unknown = set(folders.values()) - set(LAYERS)
    found = [f"engine/src/{name} is in no layer of tools/layers.py" for name in sorted(unknown)]
    for path, folder in folders.items():
        if folder not in unknown:
            name = str(path.relative_to(SOURCES / folder))
            found += findings(folder, name, path.read_text(encoding="utf-8"))
    found += [f"imports go round: {circular}"] if circular else []
    print(
        "\n".join(found) or f"{len(imported)} files of Python and {len(files)} of the engine import one way"
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
