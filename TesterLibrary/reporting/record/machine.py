# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine that measured and the software on it, for the report."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("robotframework-testerlibrary", "robotframework")


@cache
def versions() -> dict[str, str]:
    """Versions of what took part on this side of the tester."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            continue
    return found


def describe_machine() -> dict[str, str | int]:
    """Facts that a reader of the report needs to judge the numbers. No host name, no address, no path."""
    return {
        "system": _first("/etc/os-release", "PRETTY_NAME=") or platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processor": _first("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "processors": os.cpu_count() or 0,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _first(file: str, start: str) -> str:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    for line in lines:
        if line.startswith(start):
            return line.removeprefix(start).strip(' \t:="')
    return ""
