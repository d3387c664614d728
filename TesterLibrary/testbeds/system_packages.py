# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Installs the system packages of the named groups of resources/system-packages.txt that are missing.

    python3 TesterLibrary/testbeds/system_packages.py engine devices

As root, or with sudo. Without both it names what is missing and how to install it, and fails. It needs
nothing but the standard library: `make` runs it before anything is installed.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_IN_A_WHEEL = _PACKAGE / "_data"
UNASKED = (
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    "NEEDRESTART_MODE=a",
)  # apt-get asks nothing
LIST = (_IN_A_WHEEL if _IN_A_WHEEL.is_dir() else _PACKAGE.parent) / "resources" / "system-packages.txt"


def read(groups: list[str]) -> list[str]:
    """The packages of these groups, in the order of the list."""
    packages: dict[str, list[str]] = {}
    for line in LIST.read_text().splitlines():
        word, *only = line.split("#")[0].split() or [""]
        if word.startswith("["):
            packages[word.strip("[]")] = []
        elif word and (not only or distribution() in only):
            packages[list(packages)[-1]].append(word)
    unknown = [group for group in groups if group not in packages]
    if unknown:
        raise SystemExit(f"{LIST.name} has no group {', '.join(unknown)}; it has: {', '.join(packages)}")
    return [package for group in groups for package in packages[group]]


def distribution() -> str:
    """`debian` or `ubuntu`."""
    return platform.freedesktop_os_release()["ID"]


def missing(packages: list[str]) -> list[str]:
    """The packages that dpkg does not know as installed."""
    command = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *packages]
    output = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    installed = {line.split()[0] for line in output.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


def install(packages: list[str]) -> None:
    """Installs them with apt-get, once, without questions."""
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    prefix = privilege()
    if prefix is None:
        raise SystemExit(
            f"{len(packages)} system package(s) missing, and no root or sudo to install them. As root:\n"
            f"    apt-get update && {' '.join(command)}"
        )
    print("Installing system packages:", *packages, flush=True)
    for step in (["apt-get", "update", "--quiet=2"], command):
        if subprocess.run([*prefix, *step], stdin=subprocess.DEVNULL, check=False).returncode:
            raise SystemExit(f"{' '.join(step)} failed; on Ubuntu the component 'universe' must be enabled")


def privilege() -> list[str] | None:
    """The words before a command that run it as root; None where that is not possible."""
    if os.geteuid() == 0:
        return [*UNASKED]
    if shutil.which("sudo") is None:
        return None
    # With a terminal sudo may ask for the password; it reads from the terminal, not from stdin.
    asked = ["sudo", "--validate"] if sys.stdin.isatty() else ["sudo", "--non-interactive", "true"]
    allowed = subprocess.run(asked, check=False).returncode == 0
    return ["sudo", *UNASKED] if allowed else None


if __name__ == "__main__":
    if shutil.which("dpkg-query") is None:
        raise SystemExit(
            f"Set-up knows Debian and Ubuntu. Elsewhere install what {LIST.name} names, by hand."
        )
    lacking = missing(read(sys.argv[1:]))
    if lacking:
        install(lacking)
