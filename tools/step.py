# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command unless it has run before on the same inputs and its product is still there.

    python3 tools/step.py NAME PRODUCT INPUT... -- COMMAND...

An INPUT is a file or a folder (without build*). What it was run on is remembered in .stamps/NAME.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

STAMPS = Path(".stamps")


def fingerprint(inputs: list[str], command: list[str]) -> str:
    """A hash over the names and contents of all inputs, the command, and the place: builds keep paths."""
    total = hashlib.sha256(repr((str(Path.cwd()), command)).encode())
    for path in sorted(file for name in inputs for file in files(Path(name))):
        total.update(str(path).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def files(path: Path) -> list[Path]:
    """The file itself, or the files below the folder; an input must exist."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise SystemExit(f"step: there is no {path}")
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(("build", "__pycache__", "."))]
        found += [Path(folder, name) for name in names]
    return found


def main(arguments: list[str]) -> int:
    """Exit status of the command; 0 where nothing was to be done."""
    cut = arguments.index("--")
    (name, product, *inputs), command = arguments[:cut], arguments[cut + 1 :]
    stamp = STAMPS / name
    now = fingerprint(inputs, command)
    if Path(product).exists() and stamp.is_file() and stamp.read_text() == now:
        return 0
    stamp.unlink(missing_ok=True)
    print(f"── {name}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    print(f"── {name}: {'done' if status == 0 else 'failed'} in {time.monotonic() - start:.0f} s", flush=True)
    if status == 0:
        STAMPS.mkdir(exist_ok=True)
        stamp.write_text(now)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
