# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds testerd with meson and puts it where the library looks for it: TesterLibrary/_engine/testerd.

Used by the Makefile and by setup.py. Needs nothing but the standard library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "engine" / "build"
TARGET = ROOT / "TesterLibrary" / "_engine" / "testerd"

# What the build needs -> the Debian and Ubuntu package that has it.
PROGRAMS = {
    "c++": "g++",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "protoc": "protobuf-compiler",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
}
MODULES = {
    "libdpdk >= 22.11": "libdpdk-dev",
    "grpc++": "libgrpc++-dev",
    "protobuf": "libprotobuf-dev",
}


class EngineError(SystemExit):
    """The engine cannot be built; the message says what to do."""


def missing() -> list[str]:
    """The Debian packages that the build still needs."""
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if "pkg-config" in packages:
        return packages + list(MODULES.values())
    return packages + [package for module, package in MODULES.items() if not _has(module)]


def build() -> Path:
    """Builds what has changed and returns the installed program."""
    if lacking := missing():
        raise EngineError(
            f"The packet engine testerd cannot be built: {len(lacking)} system package(s) missing.\n"
            f"    Debian, Ubuntu:    apt-get install {' '.join(lacking)}\n"
            "    Without engine:    TESTER_ENGINE=skip pip install .    (for engines on other machines)"
        )
    if not (BUILD / "build.ninja").is_file():
        _run("meson", "setup", str(BUILD), str(ROOT / "engine"), "--buildtype=release", "-Db_ndebug=true")
    _run("meson", "compile", "-C", str(BUILD), "testerd")
    return _install(BUILD / "testerd")


def _has(module: str) -> bool:
    return subprocess.run(["pkg-config", "--exists", module], check=False).returncode == 0


def _run(*command: str) -> None:
    print("+", *command, flush=True)
    status = subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    if status:
        raise EngineError(f"{' '.join(command)}: ended with status {status}; its message is above")


def _install(program: Path) -> Path:
    """Replaces the program in one step: a running engine keeps its own file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    new = TARGET.with_suffix(".new")
    shutil.copy2(program, new)
    os.replace(new, TARGET)
    return TARGET


if __name__ == "__main__":
    print(build())
