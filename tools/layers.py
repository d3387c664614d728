# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes in engine/src point one way, from the top of LAYERS down (engine/README.md says why).

Only MESSAGES may include protobuf, only DEVICES DPDK. A test may use all that its executable is linked with;
programs are above all layers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "engine" / "src"
LIBRARIES = (  # as in engine/src/meson.build
    ("base", "wire", "stats", "replay", "generator", "receiver", "responder", "capture"),
    ("plan", "snapshot", "compiled_tables"),
    ("port", "worker", "tester"),
    ("rpc",),
)
LAYERS = tuple(folder for library in LIBRARIES for folder in library)
MESSAGES = {"plan", "snapshot", "tester", "rpc"}
DEVICES = {"port", "worker", "tester"}
INCLUDE = re.compile(r'^#include ["<]([^">]+)', re.MULTILINE)


def findings(folder: str, name: str, text: str) -> list[str]:
    """Includes of a file that are not allowed."""
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


def main() -> int:
    """1 if any file includes what it may not."""
    files = [path for path in sorted(SOURCES.glob("*/*.*")) if path.suffix in {".h", ".cc"}]
    files = [path for path in files if not path.stem.endswith("_main")]
    unknown = {path.parent.name for path in files} - set(LAYERS)
    found = [f"engine/src/{name} is in no layer of tools/layers.py" for name in sorted(unknown)]
    for path in files:
        if path.parent.name not in unknown:
            found += findings(path.parent.name, path.name, path.read_text(encoding="utf-8"))
    print("\n".join(found) or f"{len(files)} files of the engine include one way")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
