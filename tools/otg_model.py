# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Takes the Open Traffic Generator model from a wheel of snappi: `python tools/otg_model.py snappi-….whl`.

The wheel holds the model as generated code, `snappi/otg_pb2.py`, in which the description of all messages is
one literal. Nothing of the wheel is executed.
"""

from __future__ import annotations

import ast
import gzip
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "TesterLibrary" / "service" / "otg" / "model.binpb.gz"
VERSION = "model.version"
_LICENSE = "MODEL_LICENSE"


def description(code: str) -> bytes:
    """The serialized FileDescriptorProto in generated code."""
    literals = [node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)]
    return max((value for value in literals if isinstance(value, bytes)), key=len)


def main(arguments: list[str]) -> int:
    """Writes the model, its version and its licence."""
    wheel = Path(arguments[0])
    found = re.match(r"snappi-([0-9.]+)-", wheel.name)
    if found is None:
        raise SystemExit(f"{wheel} is no wheel of snappi")
    with zipfile.ZipFile(wheel) as archive:
        described = description(archive.read("snappi/otg_pb2.py").decode())
        licence = next(name for name in archive.namelist() if name.endswith("/LICENSE"))
        MODEL.with_name(_LICENSE).write_bytes(archive.read(licence))
    MODEL.write_bytes(gzip.compress(described, 9, mtime=0))
    MODEL.with_name(VERSION).write_text(f"{found[1]}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
