# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks our C++ sources, not the generated ones.

python tools/clang.py format    fails on a file that clang-format would change
python tools/clang.py tidy      fails on a finding of clang-tidy, in the way engine/build compiles them
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"
BUILD = ENGINE / "build"


def sources(*suffixes: str) -> list[str]:
    """Our own files, relative to the repository."""
    found = (path.relative_to(ROOT) for suffix in suffixes for path in ENGINE.rglob(f"*{suffix}"))
    return sorted(str(path) for path in found if not path.parts[1].startswith("build"))


def check_format() -> int:
    """Exit status of clang-format over all files at once."""
    files = sources(".h", ".cc")
    print(f"clang-format: {len(files)} files", flush=True)
    return subprocess.run(["clang-format", "--dry-run", "--Werror", *files], cwd=ROOT, check=False).returncode


def check_tidy() -> int:
    """1 if any compiled file of ours has a finding; one process a CPU, since a file takes seconds."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    compiled = {os.path.normpath(Path(entry["directory"], entry["file"])) for entry in commands}
    files = [name for name in sources(".cc") if str(ROOT / name) in compiled]
    if not files:
        raise SystemExit(f"clang-tidy: {BUILD} compiles none of our files")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = sum(pool.map(_tidy, files))
    print(f"clang-tidy: {failed} of {len(files)} files with findings")
    return int(failed > 0)


def _tidy(name: str) -> bool:
    start = time.monotonic()
    command = ["clang-tidy", "--quiet", "--warnings-as-errors=*", "-p", str(BUILD), name]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(f"clang-tidy: {time.monotonic() - start:5.1f} s  {name}\n{result.stdout}", end="", flush=True)
    if result.returncode and not result.stdout:
        print(result.stderr, flush=True)
    return result.returncode != 0


if __name__ == "__main__":
    sys.exit({"format": check_format, "tidy": check_tidy}[sys.argv[1]]())
