# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel, programs and libraries of a guest, found among this machine's packages."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import NotInstalled
from .module_files import ModuleFiles

_QEMU = "qemu-system-x86_64"
_MACHINE = "x86_64"
_KERNEL_PACKAGE = "linux-image-amd64"
_BASE_MODULES = ("virtio_pci", "virtio_net", "virtio_console")
_LIBRARY = re.compile(r"(/\S+) \(0x")  # in a line of ldd
ROOTS_PLACES = ("/usr/sbin", "/sbin")  # of programs that only root has in PATH


@dataclass(frozen=True)
class Wanted:
    """The parts that a kind of guest needs beside QEMU, a kernel and a shell."""

    modules: tuple[str, ...]
    optional_modules: tuple[str, ...] = ()  # that only some kernels have
    programs: Mapping[str, str] = field(default_factory=dict)  # by name: the package of each
    files: Mapping[str, str] = field(default_factory=dict)  # by pattern below /: the package of each


@dataclass(frozen=True)
class Parts:
    """The parts of a guest, on this machine's disk."""

    qemu: Path
    release: str  # of the kernel
    kernel: Path
    modules: tuple[Path, ...]  # in the order in which they are loaded
    programs: Mapping[str, Path]  # by name; `busybox` is one of them
    files: tuple[Path, ...]  # libraries and others, which have the same place in the guest as here


def find_parts(wanted: Wanted, root: Path) -> Parts:
    """Finds every part, the kernel below `root`, which is `/` or a folder with `boot` and `lib/modules`.

    Raises:
        NotInstalled: something is missing; the message has all of it, and the packages to install.
    """
    if platform.machine() != _MACHINE:
        raise NotInstalled(f"its guests are for {_MACHINE}, and this machine is {platform.machine()}")
    missing: dict[str, str] = {}  # what it is: its package
    found = {name: _program(name) for name in (_QEMU, "busybox", *wanted.programs)}
    packages = {_QEMU: "qemu-system-x86", "busybox": "busybox-static", **wanted.programs}
    missing |= {name: packages[name] for name, path in found.items() if path is None}
    programs = {name: path for name, path in found.items() if path is not None}
    files: list[Path] = []
    for pattern, package in wanted.files.items():
        matching = sorted(Path("/").glob(pattern.lstrip("/")))
        files += matching
        if not matching:
            missing[pattern] = package
    kernel = _newest_kernel(root, wanted.modules)
    if kernel is None:
        missing[f"a kernel with the module {wanted.modules[0]} in {root / 'boot'}"] = _KERNEL_PACKAGE
    if missing or kernel is None:
        packages_named = " ".join(dict.fromkeys(missing.values()))
        raise NotInstalled(f"it needs {', '.join(missing)}; install the packages {packages_named}")
    if not os.access(kernel.image, os.R_OK):
        raise NotInstalled(
            f"its guests run {kernel.image}, which this user may not read: chmod a+r it, as root"
        )
    optional = [name for name in wanted.optional_modules if kernel.modules.has(name)]
    modules = kernel.modules.in_order([*_BASE_MODULES, *optional, *wanted.modules])
    qemu = programs.pop(_QEMU)
    return Parts(
        qemu=qemu,
        release=kernel.release,
        kernel=kernel.image,
        modules=tuple(modules.values()),
        programs=programs,
        files=tuple(dict.fromkeys((*files, *_libraries((*programs.values(), *files))))),
    )


@dataclass(frozen=True)
class _Kernel:
    release: str
    image: Path
    modules: ModuleFiles


def _newest_kernel(root: Path, modules: Iterable[str]) -> _Kernel | None:
    """The newest kernel that has these modules and an image."""
    for folder in sorted((root / "lib" / "modules").glob("*"), key=_by_number, reverse=True):
        image = root / "boot" / f"vmlinuz-{folder.name}"
        files = ModuleFiles(folder)
        if image.exists() and all(map(files.has, modules)):
            return _Kernel(folder.name, image, files)
    return None


def _by_number(folder: Path) -> list[tuple[int, str]]:
    """Sorts 6.10 behind 6.9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", folder.name)]


def _program(name: str) -> Path | None:
    """The path of a program; None if there is none of that name."""
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *ROOTS_PLACES)))
    return None if found is None else Path(found)


def _libraries(files: Iterable[Path]) -> list[Path]:
    """The shared libraries that programs and libraries load, and the loader itself."""
    found: dict[Path, None] = {}
    for file in files:
        done = subprocess.run(["ldd", file], capture_output=True, text=True, check=False)
        found |= dict.fromkeys(map(Path, _LIBRARY.findall(done.stdout)))  # of a static program: none
    return list(found)
