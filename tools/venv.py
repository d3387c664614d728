# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes .venv and installs the library into it, as a checkout, with the named extras.

    python3 tools/venv.py report dev

The engine is built by tools/engine.py, where a changed source file costs one compilation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CANDIDATES = ("python3", "/usr/bin/python3", "python3.13", "python3.12", "python3.11", "python3.10")
SUITABLE = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"


def python() -> str:
    """The first Python >= 3.10 that can make virtual environments."""
    for name in CANDIDATES:
        program = shutil.which(name)
        if program and _status(program, "-c", SUITABLE, quiet=True) == 0:
            return program
    raise SystemExit(f"There is no Python >= 3.10 with venv; looked for: {', '.join(CANDIDATES)}")


def make(extras: list[str]) -> None:
    """Keeps an environment that works; one that does not, because its Python has gone, is made anew."""
    interpreter = VENV / "bin" / "python"
    if _status(str(interpreter), "-m", "pip", "--version", quiet=True) != 0:
        _check(python(), "-m", "venv", "--clear", str(VENV))
    # Its own pip is as old as the distribution's; editable installs with extras want a recent one.
    _check(str(interpreter), "-m", "pip", "install", "--quiet", "--upgrade", "pip >= 23.1")
    _check(str(interpreter), "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[{','.join(extras)}]")


def _status(*command: str, quiet: bool = False) -> int:
    environment = {**os.environ, "TESTER_ENGINE": "skip", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    output = subprocess.DEVNULL if quiet else None
    try:
        return subprocess.run(command, env=environment, stdout=output, stderr=output, check=False).returncode
    except FileNotFoundError:
        return 127


def _check(*command: str) -> None:
    print("+", *command, flush=True)
    if status := _status(*command):
        raise SystemExit(f"{' '.join(command)}: ended with status {status}; its message is above")


if __name__ == "__main__":
    make(sys.argv[1:])
