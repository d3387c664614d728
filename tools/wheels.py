# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the two wheels of a release into dist/: the library, and the engine for any Linux of its glibc.

    python3 tools/wheels.py         both; `make wheels` does

`pip install 'robotframework-testerlibrary[engine]'` needs no compiler then. The engine's wheel has testerd,
the licence of everything that is linked into it (THIRD_PARTY), and a list of that for programs (CycloneDX).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import engine  # noqa: E402

DIST = ROOT / "dist"
NAME = "robotframework_testerlibrary_engine"
PACKAGE = "testerlibrary_engine"
DOCUMENTS = Path("/usr/share/doc")  # of packages of the system
_EPOCH = (2020, 1, 1, 0, 0, 0)  # of files in the wheel: equal sources make equal wheels


@dataclass(frozen=True)
class Component:
    """A package of the system from which archives are linked into testerd."""

    name: str
    version: str

    @property
    def licence(self) -> str:
        """The text of its licences, as the distribution has it."""
        return (DOCUMENTS / self.name / "copyright").read_text(encoding="utf-8", errors="replace")


def version() -> str:
    """The version of both wheels."""
    (text,) = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    return str(text)


def archives(linker_map: str) -> list[Path]:
    """The archives of the system of which a part was linked."""
    paths = re.findall(r"^(/\S+\.a)\(", linker_map, re.MULTILINE)
    return sorted({Path(path).resolve() for path in paths})


def components(paths: Iterable[Path]) -> list[Component]:
    """The packages that these files are of."""
    files = sorted({str(name) for path in paths for name in _names(path)})
    query = subprocess.run(["dpkg", "--search", *files], capture_output=True, text=True, check=False).stdout
    names = sorted({line.partition(":")[0] for line in query.splitlines()})
    shown = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *names],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted({Component(*line.split()) for line in shown.splitlines()}, key=lambda part: part.name)


def _names(path: Path) -> Iterator[Path]:
    """A file's names in a distribution whose /lib is a link to /usr/lib."""
    yield path
    yield (
        Path("/") / path.relative_to("/usr")
        if path.is_relative_to("/usr/lib")
        else Path("/usr") / str(path)[1:]
    )


def third_party(parts: Iterable[Component]) -> str:
    """The licences of all of them, one after the other."""
    line = "=" * 100
    return "\n".join(f"{line}\n{part.name} {part.version}\n{line}\n{part.licence}" for part in parts)


def bill_of_materials(parts: Iterable[Component]) -> str:
    """The components of testerd as CycloneDX."""
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "testerd", "version": version()}},
        "components": [
            {
                "type": "library",
                "name": part.name,
                "version": part.version,
                "purl": f"pkg:deb/debian/{part.name}@{part.version.replace('+', '%2B').replace(':', '%3A')}",
            }
            for part in parts
        ],
    }
    return json.dumps(bill, indent=2) + "\n"


def glibc(program: Path) -> tuple[int, int]:
    """The oldest glibc that has all that a program asks for. Refused: it needs other libraries."""
    said = subprocess.run(["objdump", "-p", str(program)], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"NEEDED +(\S+)", said))
    others = sorted(name for name in libraries if not re.match(r"(lib[cm]|ld-linux[-\w]*)\.so\.\d$", name))
    if others:
        raise SystemExit(f"testerd is not static: it needs {', '.join(others)}")
    return max((int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", said))


def engine_wheel(program: Path, parts: Iterable[Component], folder: Path) -> Path:
    """The wheel of the engine around a static program."""
    parts = list(parts)
    major, minor = glibc(program)
    tag = f"py3-none-manylinux_{major}_{minor}_{os.uname().machine}"
    info = f"{NAME}-{version()}.dist-info"
    readme = "`testerd`, the packet engine of robotframework-testerlibrary.\n"
    files = {
        f"{PACKAGE}/__init__.py": '"""The packet engine of TesterLibrary: testerd, beside this file."""\n',
        f"{PACKAGE}/testerd": program.read_bytes(),
        f"{info}/METADATA": (
            f"Metadata-Version: 2.4\nName: {NAME.replace('_', '-')}\nVersion: {version()}\n"
            "Summary: testerd, the packet engine of TesterLibrary\nLicense-Expression: Apache-2.0\n"
            "License-File: LICENSE\nLicense-File: THIRD_PARTY\nRequires-Python: >=3.10\n"
            f"Description-Content-Type: text/markdown\n\n{readme}"
        ),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: TesterLibrary\nRoot-Is-Purelib: false\nTag: {tag}\n"
        ),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/licenses/THIRD_PARTY": third_party(parts),
        f"{info}/sboms/testerd.cdx.json": bill_of_materials(parts),
    }
    path = folder / f"{NAME}-{version()}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            _add(wheel, name, data, 0o755 if name.endswith("/testerd") else 0o644)
        _add(wheel, f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644)
    return path


def _add(wheel: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data)


def library_wheel(folder: Path) -> Path:
    """The wheel of the library, which is Python only."""
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", made, str(ROOT)],
            env={**os.environ, "TESTER_ENGINE": "skip"},
            check=True,
        )
        (wheel,) = Path(made).glob("*.whl")
        return Path(shutil.copy2(wheel, folder))


def main() -> None:
    """Builds both and prints their sizes."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    program = engine.static()
    parts = components(archives(engine.STATIC_MAP.read_text()))
    with tempfile.TemporaryDirectory() as made:
        stripped = Path(made) / "testerd"
        subprocess.run(["strip", "--strip-all", "-o", str(stripped), str(program)], check=True)
        wheels = [library_wheel(DIST), engine_wheel(stripped, parts, DIST)]
    for wheel in wheels:
        print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 10**6:.1f} MB")


if __name__ == "__main__":
    main()
