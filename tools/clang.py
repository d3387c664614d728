# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks our C++ sources, not the generated ones.

python tools/clang.py format    fails on a file that clang-format would change
python tools/clang.py tidy      fails on a finding of clang-tidy, in the way engine/build compiles them
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

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
    """1 if any compiled file of ours has a finding.

    All files of a folder are one unit: most of the time would go into the headers of DPDK, gRPC and protobuf,
    over and over again. One process a CPU.
    """
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    folders: dict[Path, list[dict[str, str]]] = defaultdict(list)
    for entry in sorted(commands, key=lambda entry: str(entry["file"])):
        file = Path(os.path.normpath(Path(entry["directory"], entry["file"])))
        if (ENGINE / "src") in file.parents:
            folders[file.parent].append({**entry, "file": str(file)})
    if not folders:
        raise SystemExit(f"clang-tidy: {BUILD} compiles none of our files")
    with ThreadPoolExecutor(os.cpu_count()) as pool, TemporaryDirectory() as units:
        failed = sum(pool.map(lambda entries: _tidy(entries, Path(units)), folders.values()))
    print(f"clang-tidy: {failed} of {len(folders)} folders with findings")
    return int(failed > 0)


def _tidy(entries: list[dict[str, str]], units: Path) -> bool:
    start = time.monotonic()
    folder = Path(entries[0]["file"]).parent.relative_to(ENGINE)
    unit = units / f"{'_'.join(folder.parts)}.cc"
    unit.write_text("".join(f'#include "{entry["file"]}"  // NOLINT\n' for entry in entries))
    compiled = shlex.split(max((entry["command"] for entry in entries), key=len))  # with most -I
    command = [
        "clang-tidy",
        "--quiet",
        "--warnings-as-errors=*",
        f"--config-file={ENGINE / '.clang-tidy'}",
        str(unit),
    ]
    result = subprocess.run(
        [*command, "--", *compiled[1:-4]],
        cwd=entries[0]["directory"],
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.monotonic() - start
    print(f"clang-tidy: {took:5.1f} s  {folder}, {len(entries)} files\n{result.stdout}", end="", flush=True)
    if result.returncode and not result.stdout:
        print(result.stderr, flush=True)
    return result.returncode != 0


def main() -> int:
    """Exit status of the check that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    checks = {"format": check_format, "tidy": check_tidy}
    parser.add_argument("check", choices=checks)
    return checks[parser.parse_args().check]()


if __name__ == "__main__":
    sys.exit(main())
