# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the Python code of proto/ into TesterLibrary/_generated/, with stubs for type checkers.

Messages and services are protoc's work; the classes of counters are `counter_classes.py`'s.

protoc writes imports as the .proto files have them (``from tester.v1 import plan_pb2``). A top-level package
``tester`` is not ours to occupy, so they become ``from TesterLibrary._generated.tester.v1 import plan_pb2``.
"""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import tempfile
from importlib.resources import files
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # neither as a script nor in pip's build is it there

from tools.counter_classes import Classes  # noqa: E402

PACKAGE = "TesterLibrary._generated"
IMPORT = re.compile(r"^from (tester[.\w]*) import", re.MULTILINE)
DESCRIPTORS = "descriptors"
COUNTERS = Path("tester/v1/counters.py")
INIT = "# SPDX-FileCopyrightText: TesterLibrary contributors\n# SPDX-License-Identifier: Apache-2.0\n"


def generate(root: Path = ROOT) -> None:
    """Generates all of ``root``/proto; a file whose text has not changed is left alone."""
    target = root.joinpath(*PACKAGE.split("."))
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder)
        _protoc(root / "proto", output)
        made = {
            path.relative_to(output): IMPORT.sub(rf"from {PACKAGE}.\1 import", path.read_text())
            for path in output.rglob("*.py*")
        }
        described = FileDescriptorSet.FromString((output / DESCRIPTORS).read_bytes())
        made[COUNTERS] = Classes(described).text()
    made |= {folder / "__init__.py": INIT for path in list(made) for folder in path.parents if folder.name}
    for path, text in made.items():
        _write(target / path, text)
    for path in (target / "tester").rglob("*.py*"):
        if path.relative_to(target) not in made and "__pycache__" not in path.parts:
            path.unlink()


def _protoc(proto: Path, output: Path) -> None:
    sources = sorted(str(path.relative_to(proto)) for path in proto.rglob("*.proto"))
    status = protoc.main(
        [
            "protoc",
            f"-I{proto}",
            f"-I{files('grpc_tools') / '_proto'}",
            "--include_imports",
            f"--descriptor_set_out={output / DESCRIPTORS}",
            f"--python_out={output}",
            f"--pyi_out={output}",
            f"--grpc_python_out={output}",
            f"--plugin=protoc-gen-mypy_grpc={_plugin()}",
            f"--mypy_grpc_out=quiet:{output}",
            *sources,
        ]
    )
    if status:
        raise SystemExit(f"{proto}: protoc ended with status {status}; its message is above")


def _plugin() -> str:
    """The script of mypy-protobuf, of this interpreter's environment or of pip's build environment."""
    beside = shutil.which("protoc-gen-mypy_grpc", path=sysconfig.get_path("scripts"))
    plugin = beside or shutil.which("protoc-gen-mypy_grpc")
    if plugin is None:
        raise SystemExit(
            f"protoc-gen-mypy_grpc (package mypy-protobuf) is not installed for {sys.executable}"
        )
    return plugin


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    generate()
