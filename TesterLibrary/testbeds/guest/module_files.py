# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules of a Linux kernel on this machine's disk, and the order in which they are loaded."""

from __future__ import annotations

import gzip
import lzma
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import TestbedError

_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")
_READERS = {".gz": gzip.decompress, ".xz": lzma.decompress}


class ModuleFiles:
    """The modules in a folder such as `/lib/modules/6.1.0-56-amd64`.

    Their own words say which others they need (`modinfo`), so `modules.dep` may be missing, as it is where a
    package was unpacked but not installed.
    """

    def __init__(self, folder: Path) -> None:
        self._files = {_name(path.name): path for path in (folder / "kernel").rglob("*.ko*")}
        listed = folder / "modules.builtin"
        lines = listed.read_text().splitlines() if listed.is_file() else []
        self._built_in = {_name(Path(line).name) for line in lines}

    def has(self, name: str) -> bool:
        """Whether there is such a module."""
        return name in self._files

    def in_order(self, names: Sequence[str]) -> dict[str, Path]:
        """The files of these modules and of all that they need, each behind those that it needs.

        What is built into the kernel is left out. TestbedError if one is missing.
        """
        found: dict[str, Path] = {}
        for name in names:
            for needed in self._with_needed(name, ()):
                found.setdefault(needed, self._files[needed])
        return found

    def _with_needed(self, name: str, above: tuple[str, ...]) -> Iterator[str]:
        if name in self._built_in or name in above:
            return
        if name not in self._files:
            raise TestbedError(
                f"the kernel has no module {name}{f', which {above[-1]} needs' if above else ''}"
            )
        for needed in _needed_by(read_module(self._files[name])):
            yield from self._with_needed(needed, (*above, name))
        yield name


def read_module(path: Path) -> bytes:
    """The content of a module, which may be compressed. TestbedError if nothing here reads it."""
    octets = path.read_bytes()
    if path.suffix in _READERS:
        return _READERS[path.suffix](octets)
    if path.suffix != ".zst":
        return octets
    if shutil.which("zstd") is None:
        raise TestbedError(f"{path} is compressed by zstd; install the package zstd")
    return subprocess.run(["zstd", "-dcq"], input=octets, capture_output=True, check=True).stdout


def _needed_by(module: bytes) -> list[str]:
    found = _DEPENDS.search(module)
    return [_name(name) for name in found[1].decode().split(",") if name] if found else []


def _name(file: str) -> str:
    return file.partition(".ko")[0].replace("-", "_")
