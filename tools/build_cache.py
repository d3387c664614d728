# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of earlier builds of the engine: a build of the same inputs compiles nothing.

They are outside the checkout, in ${XDG_CACHE_HOME:-~/.cache}/testerlibrary/engine, and may be deleted at any
time. TESTER_BUILD_CACHE=off neither reads nor writes them.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_KEPT = 6  # builds
_DIGESTS = "sha256"
_PACKAGES = Path("/var/lib/dpkg/status")  # versions of all system packages: headers, libraries, compilers
_UNPACKAGED = (Path("/usr/local/include"), Path("/usr/local/lib"))
# With these a build reads files that the key does not cover.
VARIABLES = (
    *("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"),
    *("PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR", "COMPILER_PATH", "GCC_EXEC_PREFIX"),
)


class BuildCache:
    """Programs of one kind of build.

    Args:
        inputs: Files and folders that the build reads, without their folders build*.
        programs: What is run to build: compiler, generators.
        options: The options of the build.
    """

    def __init__(self, inputs: Iterable[Path], programs: Iterable[str], options: Sequence[str]) -> None:
        self._inputs, self._programs, self._options = tuple(inputs), tuple(programs), tuple(options)
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._root = Path(home) / "testerlibrary" / "engine"
        self._entry = self._find_entry()

    def has(self) -> bool:
        """Whether these inputs have been built."""
        return self._entry is not None and self._entry.is_dir()

    def restore(self, build: Path, programs: Iterable[Path]) -> bool:
        """Copies programs into a build folder; False: they have to be built."""
        if self._entry is None:
            return False
        try:
            digests = dict(
                line.split(" ", 1)[::-1] for line in (self._entry / _DIGESTS).read_text().splitlines()
            )
            for program in programs:
                name = str(program.relative_to(build))
                content = (self._entry / name).read_bytes()
                if hashlib.sha256(content).hexdigest() != digests.get(name):
                    shutil.rmtree(self._entry, ignore_errors=True)
                    return False
                program.parent.mkdir(parents=True, exist_ok=True)
                new = program.with_name(f"{program.name}.new")
                new.write_bytes(content)
                new.chmod(0o755)
                new.replace(program)
            os.utime(self._entry)
        except OSError:  # it is not there, or somebody deletes it
            return False
        print(f"+ built earlier from the same inputs: {self._entry}", flush=True)
        return True

    def store(self, build: Path, programs: Iterable[Path]) -> None:
        """Keeps built programs, unless an input has changed since the build began."""
        if self._entry is None or self._find_entry() != self._entry:
            return
        with suppress(OSError):  # no room, or no permission: the next build compiles
            self._root.mkdir(parents=True, exist_ok=True)
            new = Path(tempfile.mkdtemp(prefix="new-", dir=self._root))
            try:
                lines = []
                for program in programs:
                    name = program.relative_to(build)
                    (new / name).parent.mkdir(parents=True, exist_ok=True)
                    content = program.read_bytes()
                    (new / name).write_bytes(content)
                    lines.append(f"{hashlib.sha256(content).hexdigest()} {name}\n")
                (new / _DIGESTS).write_text("".join(lines))
                new.rename(self._entry)
            finally:
                shutil.rmtree(new, ignore_errors=True)
            self._delete_oldest()

    def _delete_oldest(self) -> None:
        entries = sorted(self._root.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in entries[_KEPT:]:
            shutil.rmtree(entry, ignore_errors=True)

    def _find_entry(self) -> Path | None:
        """The folder of these inputs; None: the key would not cover what the build reads."""
        variables = [name for name in VARIABLES if os.environ.get(name)]
        if os.environ.get("TESTER_BUILD_CACHE") == "off" or variables or not _PACKAGES.is_file():
            return None
        total = hashlib.sha256(repr((platform.machine(), self._options)).encode())
        for part in self._parts():
            total.update(hashlib.sha256(part).digest())
        return self._root / total.hexdigest()

    def _parts(self) -> Iterator[bytes]:
        yield _PACKAGES.read_bytes()
        for name in self._programs:
            program = shutil.which(name)
            yield f"{name} {program is not None}".encode()
            if program:
                yield Path(program).read_bytes()
        for folder in _UNPACKAGED:
            for file in _files(folder):
                yield f"{file} {file.lstat().st_size} {file.lstat().st_mtime_ns}".encode()
        for path in self._inputs:
            for file in _files(path):
                yield str(file.relative_to(path.parent)).encode()
                yield file.read_bytes()


def _files(path: Path) -> list[Path]:
    """A file, or the files below a folder, in order."""
    if path.is_file():
        return [path]
    files = []
    for folder, folders, names in os.walk(path):
        if Path(folder) == path:
            folders[:] = [name for name in folders if not name.startswith("build")]
        folders[:] = [name for name in folders if name != "__pycache__"]
        files += [Path(folder, name) for name in names]
    return sorted(files)
